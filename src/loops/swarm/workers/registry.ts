/**
 * The registry of workers, `state.json`: changed under a lock, and replaced atomically. If the file is lost or damaged,
 * running workers are not: each is found by the copy of its record and by its window or process, or by its loop's
 * supervisor.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson } from '../../../core/text/json.ts';
import { ifThere, makeFolders, plainTextIfThere, writeFile } from '../../../process/files.ts';
import { tryLock } from '../../../state/lock.ts';
import { writeProjection } from '../../../state/projection.ts';
import { isTurned } from '../ralph/find.ts';
import { isWorkerAlive } from './liveness.ts';
import { parseRecord, type WorkerRecord } from './record.ts';
import { locked, refused, type Swarm, workerFiles } from './swarm.ts';

const statePath = (home: string) => join(home, 'state.json');
const stateLock = (home: string) => join(home, 'locks', 'state');

export function readWorkers(swarm: Swarm): WorkerRecord[] {
  const text = plainTextIfThere(statePath(swarm.home));
  return text === null ? livingRecords(swarm) : (parseState(text) ?? resetSpoiled(swarm, text));
}

export const findWorker = (swarm: Swarm, name: string) => readWorkers(swarm).find((worker) => worker.name === name);

export function workerNamed(swarm: Swarm, name: string, exitCode = 1): WorkerRecord {
  const worker = findWorker(swarm, name);
  if (worker === undefined) throw refused(`worker '${name}' not found`, exitCode);
  return worker;
}

/** Workers without a record, such as those that had ended when a state file was lost; their processes may still run. */
export function forgottenWorkers(swarm: Swarm): string[] {
  const known = new Set(readWorkers(swarm).map(({ name }) => name));
  return folderNames(swarm).filter((name) => !known.has(name));
}

/** Adds the worker, or replaces the one with the same name. */
export function putWorker(swarm: Swarm, record: WorkerRecord): Promise<void> {
  const files = workerFiles(swarm.home, record.name);
  makeFolders(files.folder, 0o700);
  writeProjection(files.record, `${JSON.stringify(record)}\n`);
  return changeWorkers(swarm, (workers) => [...workers.filter(({ name }) => name !== record.name), record]);
}

export function updateWorker(swarm: Swarm, name: string, change: Partial<WorkerRecord>): Promise<void> {
  return changeWorkers(swarm, (workers) =>
    workers.map((worker) => (worker.name === name ? { ...worker, ...change } : worker)),
  );
}

/** Removes the worker, and its folder with the proofs of its processes. */
export async function removeWorker(swarm: Swarm, name: string): Promise<void> {
  await changeWorkers(swarm, (workers) => workers.filter((worker) => worker.name !== name));
  rmSync(workerFiles(swarm.home, name).folder, { recursive: true, force: true });
}

async function changeWorkers(swarm: Swarm, change: (workers: WorkerRecord[]) => WorkerRecord[]): Promise<void> {
  const write = (): void => writeState(swarm, change(readWorkers(swarm)));
  await locked(stateLock(swarm.home), 'a change of state.json', write);
}

function parseState(text: string): WorkerRecord[] | null {
  const { workers } = (parsedJson(text) ?? {}) as { workers?: unknown };
  return Array.isArray(workers) ? workers.flatMap((value) => parseRecord(value) ?? []) : null;
}

/** Keeps the damaged file, and writes one with the running workers, unless another process is about to write anyway. */
function resetSpoiled(swarm: Swarm, spoiled: string): WorkerRecord[] {
  const { home, warn } = swarm;
  const workers = livingRecords(swarm);
  const attempt = tryLock(stateLock(home), 'a reset of state.json');
  try {
    writeFile(`${statePath(home)}.corrupted`, spoiled, { mode: 0o600 });
    warn('swarm: warning: corrupt state file, resetting');
    if (attempt.got && plainTextIfThere(statePath(home)) === spoiled) writeState(swarm, workers);
    return workers;
  } finally {
    if (attempt.got) attempt.lock.release();
  }
}

function writeState({ home }: Swarm, workers: readonly WorkerRecord[]): void {
  writeProjection(statePath(home), `${JSON.stringify({ workers }, null, 2)}\n`);
}

function livingRecords(swarm: Swarm): WorkerRecord[] {
  const copies = folderNames(swarm).map((name) => plainTextIfThere(workerFiles(swarm.home, name).record));
  // Invalid JSON comes from a power failure, which no worker survives.
  const records = copies.flatMap((text) => parseRecord(parsedJson(text ?? '')) ?? []);
  return records.filter((record) => isWorkerAlive(swarm, record) || isTurned(swarm, record.name));
}

const folderNames = ({ home }: Swarm) => ifThere(() => readdirSync(join(home, 'workers')))?.sort() ?? [];
