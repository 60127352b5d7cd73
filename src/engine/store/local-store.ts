/** The loops of this machine: their folders are the registry, their journals the truth. */
import { closeSync, existsSync, fstatSync, readdirSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { fold, type LoopMachine } from '../../core/machine.ts';
import type { Recorded } from '../../core/record.ts';
import { systemFault } from '../../core/system-fault.ts';
import { parsedJson } from '../../core/text/json.ts';
import { ifThere, nullOn, openPlain, readPlainText } from '../../process/files.ts';
import { watchFolder } from '../../process/folder-watch.ts';
import { readJournal, readJournalEnds, readJournalFrom } from '../../state/journal.ts';
import { isLocked, lockHolder } from '../../state/lock.ts';
import { withRequest } from '../../state/new-loop.ts';
import {
  journalPath,
  loopFolder,
  loopLock,
  loopsFolder,
  type StateRoot,
  statusPath,
  workTreeLock,
} from '../../state/paths.ts';
import { isStatus, type LoopStatus, statusOf } from '../../state/registry.ts';
import { pendingControl, sendCommand } from '../control.ts';
import type { LoopStore, StoredLoop, Supervisor, TranscriptBytes, TranscriptPart } from './loop-store.ts';

/** Null for a kind of loop that this release does not know. */
export type MachineOf = (loopKind: string) => Promise<LoopMachine<unknown> | null>;

export function localStore(root: StateRoot, machineOf: MachineOf): LoopStore {
  return {
    async list() {
      const names = ifThere(() => readdirSync(loopsFolder(root))) ?? [];
      const loops: StoredLoop[] = [];
      for (const name of names) {
        const loop = await readStored(root, name, machineOf);
        if (loop !== null) loops.push(loop);
      }
      return loops.sort((a, b) => beganAt(a) - beganAt(b));
    },
    async first(id) {
      return ifThere(() => readJournalEnds(journalPath(folderOf(root, id))))?.first ?? null;
    },
    async records(id, from = 0) {
      return readJournal(journalPath(folderOf(root, id))).records.slice(from);
    },
    follow: (id, from, signal) => followJournal(folderOf(root, id), from, signal),
    async transcript(id, path, part) {
      const file = isAbsolute(path) ? path : join(folderOf(root, id), path);
      try {
        return readPart(file, part);
      } catch (error) {
        // It is not there, or an agent has put something in its place that is no file.
        if (error instanceof RalphError || systemFault(error) !== null) return null;
        throw error;
      }
    },
    async send(id, command) {
      sendCommand(folderOf(root, id), command);
    },
  };
}

/** Refuses a name that would lead elsewhere. */
function folderOf(root: StateRoot, id: string): string {
  const folder = loopFolder(root, id);
  if (/^[\w.-]+$/.test(id) && !/^\.+$/.test(id) && existsSync(folder)) return folder;
  throw new RalphError('NO_LOOP', `there is no loop ${id} on this machine`, {
    hint: 'To see those that are: ralph ls --all',
  });
}

const beganAt = (loop: StoredLoop): number => ('createdAt' in loop ? loop.createdAt : Number.NEGATIVE_INFINITY);

/** Null for what is no loop. */
async function readStored(root: StateRoot, name: string, machineOf: MachineOf): Promise<StoredLoop | null> {
  const folder = loopFolder(root, name);
  try {
    const size = nullOn(['ENOENT', 'ENOTDIR'], () => statSync(journalPath(folder)).size);
    if (size === null) return null;
    const status = currentStatus(folder, name, size) ?? (await foldedStatus(folder, machineOf));
    // One that was cut off before its first record has never been.
    if (status === null)
      return existsSync(statusPath(folder)) ? { id: name, problem: `${journalPath(folder)} is empty` } : null;
    if (status.id !== name) return { id: name, problem: `${journalPath(folder)} is of another loop: ${status.id}` };
    const supervisor = status.ending === null ? supervisorOf(root, status) : null;
    const pending = status.ending?.kind === 'done' ? null : pendingControl(folder, status.consumed);
    const wanted = status.ending === null ? (pending?.wanted ?? 'run') : 'run';
    return { ...status, supervisor, wanted, messages: [...status.told, ...(pending?.told ?? [])] };
  } catch (error) {
    const fault = error instanceof RalphError ? error : systemFault(error);
    if (fault === null) throw error;
    return { id: name, problem: fault.message };
  }
}

/** The status file, if the journal has had nothing to say since: folding a thousand journals would take seconds. */
function currentStatus(folder: string, id: string, size: number): LoopStatus | null {
  const text = ifThere(() => readPlainText(statusPath(folder)));
  const status = text === null ? null : parsedJson(text);
  return isStatus(status) && status.id === id && status.journalBytes === size ? status : null;
}

async function foldedStatus(folder: string, machineOf: MachineOf): Promise<LoopStatus | null> {
  const { records, wholeBytes } = readJournal(journalPath(folder));
  const [first] = records;
  if (first === undefined) return null;
  const loopKind = first.result.kind === 'created' ? first.result.loopKind : '';
  const machine = await machineOf(loopKind);
  if (machine === null) {
    throw new RalphError('LOOP_KIND', `this release does not know loops of the kind "${loopKind}"`);
  }
  const state = fold(machine, withRequest(records, folder));
  return statusOf(machine, state, { createdAt: first.at, bytes: wholeBytes });
}

/** A loop holds its own lock, or that of its directory under its name. Looking takes nothing. */
function supervisorOf(root: StateRoot, { id, cwd }: LoopStatus): Supervisor | null {
  const own = loopLock(loopFolder(root, id));
  if (isLocked(own)) return { pid: lockHolder(own)?.pid ?? null };
  const ofDirectory = workTreeLock(root, cwd);
  const holder = lockHolder(ofDirectory);
  if (holder !== null) return holder.purpose === `loop ${id}` ? { pid: holder.pid } : null;
  return isLocked(ofDirectory) ? { pid: null } : null;
}

async function* followJournal(folder: string, from: number, signal: AbortSignal): AsyncGenerator<Recorded> {
  let wake = (): void => undefined;
  const watch = watchFolder(folder);
  const stop = watch.on('journal.jsonl', () => wake());
  const aborted = (): void => wake();
  signal.addEventListener('abort', aborted);
  let byte = 0;
  try {
    while (!signal.aborted) {
      // Made before the look: what is appended after it wakes the next one.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { records, next } = readJournalFrom(journalPath(folder), byte);
      byte = next;
      for (const record of records) if (record.seq >= from) yield record;
      if (records.length === 0 && !signal.aborted) await changed;
    }
  } finally {
    signal.removeEventListener('abort', aborted);
    stop();
    watch.close();
  }
}

/** So much is read at once. */
const MOST_BYTES = 1024 * 1024;

function readPart(path: string, part: TranscriptPart): TranscriptBytes {
  const fd = openPlain(path);
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const from = 'from' in part ? Math.min(part.from, size) : Math.max(0, size - part.last);
    const bytes = Buffer.alloc(Math.min(size - from, MOST_BYTES));
    const read = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, read), next: from + read, changedAt: mtimeMs };
  } finally {
    closeSync(fd);
  }
}
