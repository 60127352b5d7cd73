/**
 * `~/.swarm/ralph/<name>/state.json`: what people and scripts look at. It is a projection of the journal, except that
 * three of its values are people's to edit.
 */
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Duration } from '../../../core/time.ts';
import { makeFolders } from '../../../process/files.ts';
import { thisPlace } from '../../../process/identity.ts';
import { type Lock, tryLock } from '../../../state/lock.ts';
import { writeProjection } from '../../../state/projection.ts';
import { checkName } from '../workers/worker-name.ts';
import type { RalphInputs } from './rules.ts';

export type RalphStatus = 'running' | 'paused' | 'stopped' | 'failed';

export interface RalphState {
  readonly worker_name: string;
  readonly prompt_file: string;
  readonly max_iterations: number;
  readonly current_iteration: number;
  readonly status: RalphStatus;
  readonly started: string;
  readonly last_iteration_started: string;
  readonly consecutive_failures: number;
  readonly total_failures: number;
  readonly done_pattern: string | null;
  readonly inactivity_timeout: number;
  /** These two only where there is one. */
  readonly sandbox?: string;
  readonly sandbox_refusals?: number;
}

export function ralphFolders(home: string): string {
  return join(home, 'ralph');
}

/** Also for removing it: a name that would lead elsewhere is refused. */
export function ralphFolder(home: string, name: string): string {
  checkName(name);
  return join(ralphFolders(home), name);
}

export function stateFile(home: string, name: string): string {
  return join(ralphFolder(home, name), 'state.json');
}

/** The one way to write it, for the loop and for those who give it orders: one after the other. */
export function changeRalphState(home: string, name: string, change: (found: RalphState | null) => RalphState): void {
  const lock = takeLock(join(home, 'locks', `ralph-${name}`));
  try {
    const state = change(readRalphState(home, name, () => undefined));
    writeIn(ralphFolder(home, name), () => {
      writeProjection(stateFile(home, name), `${JSON.stringify(state, null, 2)}\n`);
    });
  } finally {
    lock.release();
  }
}

/** `rm -rf ~/.swarm/ralph/<name>` is a documented way to clean up, also while the loop runs and just then writes. */
export function writeIn(folder: string, write: () => void): void {
  for (let attempt = 1; ; attempt++) {
    makeFolders(folder, 0o700);
    try {
      write();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Each is over in a tenth of a millisecond; only somebody who removes it without a pause comes in between often. */
const MOST_ATTEMPTS = 1000;

/** What people have edited since the last time stays until the loop reads it. */
export function projectRalphState(home: string, state: RalphState): void {
  changeRalphState(home, state.worker_name, (found) => ({ ...state, ...editedInputs(found, state) }));
}

/** Held for the time of a read and a write. */
function takeLock(folder: string): Lock {
  const place = thisPlace();
  const deadline = performance.now() + LOCK_TAKES_AT_MOST;
  for (;;) {
    const attempt = tryLock(folder, 'a change of the state file', place);
    if (attempt.got) return attempt.lock;
    if (performance.now() > deadline) {
      throw new RalphError('LOCKED', `the state file is locked by pid ${attempt.holder.pid}`, { exitCode: 1 });
    }
  }
}

const LOCK_TAKES_AT_MOST: Duration = 10_000;

/** For a new loop: what an earlier worker of the name has left is not its own. */
export function putAsideRalphFiles(home: string, name: string): void {
  const folder = ralphFolder(home, name);
  for (const file of ['state.json', 'iterations.log']) {
    if (existsSync(join(folder, file))) renameSync(join(folder, file), join(folder, `${file}.previous`));
  }
}

/** Null where there is none. A corrupt one is kept beside, and told of. */
export function readRalphState(home: string, name: string, warn: (line: string) => void): RalphState | null {
  const file = stateFile(home, name);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const state: unknown = JSON.parse(text);
    if (isState(state)) return state;
  } catch {
    // Not JSON: as corrupt as JSON of another shape.
  }
  copyFileSync(file, `${file}.corrupted`);
  warn(`swarm: warning: corrupt ralph state for '${name}', resetting`);
  return null;
}

type Edited = Omit<RalphInputs, 'prompt'>;

/** A value that differs from what we wrote last is somebody's edit; one that makes no sense is not taken. */
export function editedInputs(found: RalphState | null, known: Edited): Edited {
  if (found === null) return known;
  const { max_iterations, inactivity_timeout, done_pattern } = found;
  return {
    max_iterations: isCount(max_iterations) ? max_iterations : known.max_iterations,
    inactivity_timeout: isCount(inactivity_timeout) ? inactivity_timeout : known.inactivity_timeout,
    done_pattern: done_pattern === null || typeof done_pattern === 'string' ? done_pattern : known.done_pattern,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isState(value: unknown): value is RalphState {
  if (value === null || typeof value !== 'object') return false;
  const { status, current_iteration } = value as Partial<RalphState>;
  return ['running', 'paused', 'stopped', 'failed'].includes(status ?? '') && typeof current_iteration === 'number';
}
