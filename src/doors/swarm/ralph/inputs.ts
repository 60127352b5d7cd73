/** Reads what people may edit while the loop runs: the prompt file, and three values of the state file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Result } from '../../../core/record.ts';
import type { RalphInputs, RalphRequest } from './rules.ts';
import { editedInputs, readRalphState } from './state-file.ts';

export type InputsReader = (known: string | null) => Extract<Result, { kind: 'inputs' }>;

export interface InputsSource {
  readonly request: RalphRequest;
  /** What the journal knows; null at the beginning. */
  readonly before: RalphInputs | null;
  /** Refuses one that cannot be read. */
  isPattern(pattern: string): boolean;
  /** A loop that is told to stop starts no agent any more: its prompt file may be gone. */
  isStopping(): boolean;
  warn(line: string): void;
}

export function ralphInputsReader({ request, before, isPattern, isStopping, warn }: InputsSource): InputsReader {
  let last: Omit<RalphInputs, 'prompt'> = before ?? {
    max_iterations: request.maxIterations,
    inactivity_timeout: request.inactivityTimeout,
    done_pattern: request.donePattern,
  };
  return (known) => {
    const found = readRalphState(request.home, request.name, warn);
    const edited = editedInputs(found, last);
    const { done_pattern } = edited;
    const isReadable = done_pattern === null || done_pattern === last.done_pattern || isPattern(done_pattern);
    if (!isReadable) warn(`swarm: warning: done_pattern is not a pattern that can be read: ${done_pattern}`);
    last = isReadable ? edited : { ...edited, done_pattern: last.done_pattern };
    const inputs: RalphInputs = { prompt: isStopping() ? '' : readPromptFile(request.promptFile), ...last };
    const digest = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
    // Plain data by construction.
    return digest === known
      ? { kind: 'inputs', digest }
      : { kind: 'inputs', digest, inputs: inputs as unknown as Json };
  };
}

/** `shown` is the path as the user gave it. */
export function readPromptFile(path: string, shown = path): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const problem = errnoOf(error) === 'ENOENT' ? 'prompt file not found' : 'cannot read prompt file';
    throw new RalphError('PROMPT_FILE', `${problem}: ${shown}`, { exitCode: 1 });
  }
}
