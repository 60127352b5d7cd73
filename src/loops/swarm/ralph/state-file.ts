/**
 * `~/.swarm/ralph/<name>/state.json`: what people and scripts look at. It is a projection of the journal, except that
 * three of its values are people's to edit.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { LoopState } from '../../../core/state.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import type { Wanted } from '../../../engine/control.ts';
import { makeFolders } from '../../../process/files.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { waitForLock } from '../../../state/lock.ts';
import { readPlainText } from '../../../state/plain-file.ts';
import { writeAnew, writeProjection } from '../../../state/projection.ts';
import { checkName } from '../workers/record.ts';
import { editable, type RalphData } from './rules.ts';
import { isoMicroseconds } from './times.ts';

export type RalphStatus = 'running' | 'paused' | 'stopped' | 'failed';

export type RalphState = ReturnType<typeof ralphStateOf>;

/** What is not in the loop's own state. */
export interface Outside {
  readonly createdAt: Instant;
  /** Of the last iteration that was started. */
  readonly iterationStartedAt: Instant;
  readonly order: Wanted;
  /** By the sandbox, of the run that is not over. */
  readonly refusals?: number;
  /** Why its supervisor gave up, though the loop is not over. */
  readonly problem?: string | null;
}

export function ralphStateOf(
  state: LoopState<RalphData>,
  { createdAt, iterationStartedAt, order, refusals = 0, problem = null }: Outside,
) {
  const { request } = state.data;
  const { max_iterations, inactivity_timeout, done_pattern } = editable(state.data);
  const kind = request.sandbox?.kind ?? null;
  return {
    worker_name: request.name,
    prompt_file: request.promptFile,
    max_iterations,
    current_iteration: begunIterations(state),
    status: statusOf(state, order, problem),
    started: isoMicroseconds(createdAt),
    last_iteration_started: isoMicroseconds(iterationStartedAt),
    consecutive_failures: state.failuresInARow,
    total_failures: state.failures,
    done_pattern,
    inactivity_timeout,
    // These two only where there is a sandbox.
    ...(kind === 'none' || kind === null
      ? {}
      : { sandbox: kind, sandbox_refusals: (state.usage.refusals ?? 0) + refusals }),
  };
}

/** An iteration whose inputs are being read has not begun. */
function begunIterations({ iteration, phase, tries }: LoopState<RalphData>): number {
  return phase.at === 'inputs' && (tries.work ?? 1) === 1 ? iteration - 1 : iteration;
}

function statusOf({ phase }: LoopState<RalphData>, order: Wanted, problem: string | null): RalphStatus {
  if (phase.at === 'over' || phase.at === 'end') {
    return ['done', 'iteration-limit', 'stopped'].includes(phase.ending.kind) ? 'stopped' : 'failed';
  }
  if (order === 'pause') return 'paused';
  return problem === null ? 'running' : 'failed';
}

export function ralphFolders(home: string): string {
  return join(home, 'ralph');
}

/** Also for removing it: a name that would lead elsewhere is refused. */
export function ralphFolder(home: string, name: string): string {
  checkName(name);
  return join(ralphFolders(home), name);
}

function stateFile(home: string, name: string): string {
  return join(ralphFolder(home, name), 'state.json');
}

/** What was found where the state file belongs. */
export type StateFile =
  | { readonly is: 'missing' }
  | { readonly is: 'whole'; readonly values: Values }
  /** `text` is null for what cannot be read as a file; `values` are those that can still be made out. */
  | { readonly is: 'damaged'; readonly text: string | null; readonly values: Values };

type Values = Readonly<Record<string, unknown>>;

/**
 * The one way to write it, for the loop and for those who give it orders: one after the other. A damaged file is kept
 * beside it and reported.
 */
export function changeStateFile(
  { home, name, warn }: { readonly home: string; readonly name: string; warn(line: string): void },
  change: (found: StateFile) => RalphState | null,
): void {
  const turn = { purpose: 'a change of the state file', place: thisMachine(), patience: LOCK_TAKES_AT_MOST };
  const attempt = waitForLock(join(home, 'locks', `ralph-${name}`), turn);
  if (!attempt.got)
    throw new RalphError('LOCKED', `the state file is locked by pid ${attempt.holder.pid}`, { exitCode: 1 });
  try {
    const found = readStateFile(home, name);
    const state = change(found);
    if (state === null) return;
    writeIn(ralphFolder(home, name), () => {
      if (found.is === 'damaged') keepDamaged(stateFile(home, name), found.text);
      writeProjection(stateFile(home, name), `${JSON.stringify(state, null, 2)}\n`);
    });
    if (found.is === 'damaged') warn(`swarm: warning: corrupt ralph state for '${name}', resetting`);
  } finally {
    attempt.lock.release();
  }
}

/** It is held for a read and a write. */
const LOCK_TAKES_AT_MOST: Duration = 10_000;

/** `rm -rf ~/.swarm/ralph/<name>` is a documented way to clean up, also while the loop runs and just then writes. */
export function writeIn(folder: string, write: () => void): void {
  for (let attempt = 1; ; attempt++) {
    try {
      // This, too, can find that a folder is gone that was there a moment ago.
      makeFolders(folder, 0o700);
      write();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Each is over in a tenth of a millisecond; only a removal without a pause comes in between often. */
const MOST_ATTEMPTS = 1000;

/** What people have edited since the last time stays until the loop reads it. */
export function withEdits(state: RalphState, found: StateFile): RalphState {
  return { ...state, ...editedInputs(found, state) };
}

/** For a new loop: what an earlier worker of the name has left is not its own. */
export function keepPreviousFiles(home: string, name: string): void {
  const folder = ralphFolder(home, name);
  for (const file of ['state.json', 'iterations.log']) {
    if (existsSync(join(folder, file))) renameSync(join(folder, file), join(folder, `${file}.previous`));
  }
}

export function readStateFile(home: string, name: string): StateFile {
  let text: string | null = null;
  try {
    text = readPlainText(stateFile(home, name));
    const values: unknown = JSON.parse(text);
    if (values === null || typeof values !== 'object') return { is: 'damaged', text, values: {} };
    const found = { text, values: values as Values };
    return isWhole(found.values) ? { is: 'whole', ...found } : { is: 'damaged', ...found };
  } catch (error) {
    // No JSON, a folder, a pipe, a file that we may not read: whatever it is, the journal knows better.
    return errnoOf(error) === 'ENOENT' ? { is: 'missing' } : { is: 'damaged', text, values: {} };
  }
}

function keepDamaged(file: string, text: string | null): void {
  if (text === null) removeEntry(file);
  else writeAnew(`${file}.corrupted`, text, 0o600);
}

type Edited = ReturnType<typeof editable>;

/** A value that differs from what we wrote last was edited; one that makes no sense is not taken. */
export function editedInputs(found: StateFile, known: Edited): Edited {
  const { max_iterations, inactivity_timeout, done_pattern } = found.is === 'missing' ? {} : found.values;
  return {
    max_iterations: isCount(max_iterations) ? max_iterations : known.max_iterations,
    inactivity_timeout: isCount(inactivity_timeout) ? inactivity_timeout : known.inactivity_timeout,
    done_pattern: done_pattern === null || typeof done_pattern === 'string' ? done_pattern : known.done_pattern,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** People's own three may say anything, but they must be there. */
function isWhole(values: Values): boolean {
  const isOf = (type: string, keys: readonly string[]): boolean => keys.every((key) => typeof values[key] === type);
  return (
    ['running', 'paused', 'stopped', 'failed'].includes(String(values.status)) &&
    isOf('string', ['worker_name', 'prompt_file', 'started', 'last_iteration_started']) &&
    isOf('number', ['current_iteration', 'consecutive_failures', 'total_failures']) &&
    ['max_iterations', 'inactivity_timeout', 'done_pattern'].every((key) => key in values)
  );
}
