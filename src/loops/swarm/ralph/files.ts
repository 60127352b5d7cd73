/**
 * The files of a loop in `~/.swarm`: its state file, which is a projection of the journal in which people can edit
 * three values, its `iterations.log`, and the pointer from a worker's name to its loop.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending } from '../../../core/ending.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { LoopState } from '../../../core/state.ts';
import { type Fields, isFields } from '../../../core/text/json.ts';
import type { Instant } from '../../../core/time.ts';
import type { Wanted } from '../../../engine/control.ts';
import { ifThere, makeFolders, readPlainText, writeFile } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { writeAnew, writeProjection } from '../../../state/projection.ts';
import { waitForLock } from '../../../state/wait-for-lock.ts';
import { checkName } from '../workers/record.ts';
import { editable, type RalphData, type RalphInputs } from './rules.ts';

export type RalphState = ReturnType<typeof ralphStateOf>;

/** Values that are not in the loop's own state. */
interface Outside {
  readonly createdAt: Instant;
  readonly iterationStartedAt: Instant;
  readonly wanted: Wanted;
  /** Refusals by the sandbox in the current run. */
  readonly refusals?: number;
  /** Why its supervisor gave up, although the loop is not over. */
  readonly problem?: string | null;
}

export function ralphStateOf(
  state: LoopState<RalphData>,
  { createdAt, iterationStartedAt, wanted, refusals = 0, problem = null }: Outside,
) {
  const { iteration, phase, tries, data } = state;
  const { request } = data;
  const { max_iterations, inactivity_timeout, done_pattern } = editable(data);
  const { kind = 'none' } = request.sandbox ?? {};
  const isReadingInputs = phase.at === 'inputs' && (tries.work ?? 1) === 1;
  return {
    worker_name: request.name,
    prompt_file: request.promptFile,
    max_iterations,
    // An iteration has not begun while its inputs are being read.
    current_iteration: isReadingInputs ? iteration - 1 : iteration,
    status: statusOf(state, wanted, problem),
    started: isoMicroseconds(createdAt),
    last_iteration_started: isoMicroseconds(iterationStartedAt),
    consecutive_failures: state.failuresInARow,
    total_failures: state.failures,
    done_pattern,
    inactivity_timeout,
    ...(kind === 'none' ? {} : { sandbox: kind, sandbox_refusals: (state.usage.refusals ?? 0) + refusals }),
  };
}

const STATUSES = ['running', 'paused', 'stopped', 'failed'] as const;

export type RalphStatus = (typeof STATUSES)[number];

function statusOf({ phase }: LoopState<RalphData>, wanted: Wanted, problem: string | null): RalphStatus {
  if (phase.at === 'over' || phase.at === 'end') {
    return ['done', 'iteration-limit', 'stopped'].includes(phase.ending.kind) ? 'stopped' : 'failed';
  }
  if (wanted === 'pause') return 'paused';
  return problem === null ? 'running' : 'failed';
}

export const ralphFolders = (home: string) => join(home, 'ralph');
export const iterationsLog = (home: string, name: string) => join(ralphFolder(home, name), 'iterations.log');
const stateFile = (home: string, name: string) => join(ralphFolder(home, name), 'state.json');

/** Refuses names that would lead to another folder: callers also remove this folder. */
export function ralphFolder(home: string, name: string): string {
  checkName(name);
  return join(ralphFolders(home), name);
}

/** What was found at the state file's path. `text`: its content, if readable. `values`: what of it could be parsed. */
export interface StateFile {
  readonly is: 'missing' | 'whole' | 'damaged';
  readonly text: string | null;
  readonly values: Fields;
}

/** The only way to write the state file: under a lock. A damaged file is kept beside the new one, and reported. */
export function changeStateFile(
  { home, name, warn }: { readonly home: string; readonly name: string; warn(line: string): void },
  change: (found: StateFile) => RalphState | null,
): void {
  const lock = join(home, 'locks', `ralph-${name}`);
  const attempt = waitForLock(lock, 'a change of the state file', { patience: 10_000 });
  if (!attempt.got)
    throw new RalphError('LOCKED', `the state file is locked by pid ${attempt.holder.pid}`, { exitCode: 1 });
  try {
    const file = stateFile(home, name);
    const found = readStateFile(home, name);
    const state = change(found);
    if (state === null) return;
    writeIn(ralphFolder(home, name), () => {
      if (found.is === 'damaged' && found.text === null) removeEntry(file);
      else if (found.is === 'damaged') writeAnew(`${file}.corrupted`, found.text ?? '', 0o600);
      writeProjection(file, `${JSON.stringify(state, null, 2)}\n`);
    });
    if (found.is === 'damaged') warn(`swarm: warning: corrupt ralph state for '${name}', resetting`);
  } finally {
    attempt.lock.release();
  }
}

/** `rm -rf ~/.swarm/ralph/<name>` is a documented way to clean up, and can happen in the middle of a write. */
export function writeIn(folder: string, write: () => void): void {
  for (let attempt = 1; ; attempt++) {
    try {
      // This can fail, too, if a folder is removed at that moment.
      makeFolders(folder, 0o700);
      write();
      return;
    } catch (error) {
      // An attempt takes a tenth of a millisecond, so only a removal in a tight loop can make many of them fail.
      if (errnoOf(error) !== 'ENOENT' || attempt === 1000) throw error;
    }
  }
}

/** Moves away what an earlier worker of this name has left, before a new loop begins. */
export function keepPreviousFiles(home: string, name: string): void {
  for (const file of [stateFile(home, name), iterationsLog(home, name)]) {
    if (existsSync(file)) renameSync(file, `${file}.previous`);
  }
}

export function readStateFile(home: string, name: string): StateFile {
  let text: string | null = null;
  try {
    text = readPlainText(stateFile(home, name));
    const parsed: unknown = JSON.parse(text);
    const values = isFields(parsed) ? parsed : {};
    return { is: isWhole(values) ? 'whole' : 'damaged', text, values };
  } catch (error) {
    // Not JSON, a folder, a pipe, not readable: in any case, the journal has the truth.
    return { is: errnoOf(error) === 'ENOENT' ? 'missing' : 'damaged', text, values: {} };
  }
}

/** Keeps what people have edited until the loop reads it. */
export function withEdits(state: RalphState, found: StateFile): RalphState {
  return { ...state, ...editedInputs(found, state) };
}

/** A value that differs from what we wrote last was edited; invalid values are ignored. */
export function editedInputs({ values }: StateFile, known: Omit<RalphInputs, 'prompt'>): typeof known {
  const { max_iterations, inactivity_timeout, done_pattern } = values;
  return {
    max_iterations: isCount(max_iterations) ? max_iterations : known.max_iterations,
    inactivity_timeout: isCount(inactivity_timeout) ? inactivity_timeout : known.inactivity_timeout,
    done_pattern: done_pattern === null || typeof done_pattern === 'string' ? done_pattern : known.done_pattern,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** The three values that people edit must exist, but can be anything. */
function isWhole(values: StateFile['values']): boolean {
  const isOf = (type: string, keys: readonly string[]): boolean => keys.every((key) => typeof values[key] === type);
  return (
    STATUSES.some((status) => status === values.status) &&
    isOf('string', ['worker_name', 'prompt_file', 'started', 'last_iteration_started']) &&
    isOf('number', ['current_iteration', 'consecutive_failures', 'total_failures']) &&
    ['max_iterations', 'inactivity_timeout', 'done_pattern'].every((key) => key in values)
  );
}

export type LogEvent = 'START' | 'END' | 'FAIL' | 'TIMEOUT' | 'DONE' | 'PAUSE' | 'REFUSED' | 'WARN';

/** One line per event, for `tail -f`. */
export function appendLog(home: string, name: string, event: LogEvent, text: string): void {
  const line = `${isoMicroseconds(Date.now()).slice(0, 19)} [${event}] ${text}\n`;
  writeIn(ralphFolder(home, name), () => writeFile(iterationsLog(home, name), line, { flag: 'a', mode: 0o600 }));
}

const REASONS: Partial<Record<Ending['kind'], string>> = {
  done: 'done_pattern',
  'iteration-limit': 'max_iterations',
  stopped: 'killed',
  'kept-failing': 'failed',
};

export const exitReason = ({ kind }: Ending) => REASONS[kind] ?? kind;

/** Local time, as `2024-01-15T10:30:00.123000`. */
export function isoMicroseconds(at: Instant): string {
  return `${new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 23)}000`;
}

/** One file for each worker with a loop. Outside the seed's folder: `rm -rf ~/.swarm/ralph` must not lose a loop. */
export const pointersFolder = (home: string) => join(home, 'loops');

export function pointTo(home: string, name: string, loop: string): void {
  makeFolders(pointersFolder(home), 0o700);
  writeProjection(join(pointersFolder(home), name), `${loop}\n`);
}

export function loopOf(home: string, name: string): string | null {
  const id = ifThere(() => readPlainText(join(pointersFolder(home), name)))?.trim() ?? '';
  // Only what a loop id can contain: anything else could lead to another folder.
  return /^[\w-]+$/.test(id) ? id : null;
}

export const forgetLoop = (home: string, name: string) => rmSync(join(pointersFolder(home), name), { force: true });

export function loopsOfWorkers(home: string): Set<string> {
  const names = ifThere(() => readdirSync(pointersFolder(home))) ?? [];
  return new Set(names.flatMap((name) => loopOf(home, name) ?? []));
}
