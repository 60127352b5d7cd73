/**
 * `~/.swarm/ralph/<name>/state.json`: what people and scripts look at. It is a projection of the journal, except that
 * three of its values are people's to edit.
 */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { writeProjection } from '../../../state/projection.ts';
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
}

export function ralphFolder(home: string, name: string): string {
  return join(home, 'ralph', name);
}

export function stateFile(home: string, name: string): string {
  return join(ralphFolder(home, name), 'state.json');
}

export function writeRalphState(home: string, state: RalphState): void {
  const file = stateFile(home, state.worker_name);
  // `rm -rf ~/.swarm/ralph/<name>` is a documented way to clean up, also while the loop runs.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeProjection(file, `${JSON.stringify(state, null, 2)}\n`);
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
