/** Reads what people may edit while the loop runs: the prompt file, and three values of the state file. */
import { createHash } from 'node:crypto';
import { devNull } from 'node:os';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Result } from '../../../core/record.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { readPlainText } from '../../../state/plain-file.ts';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { editable, type RalphInputs, type RalphRequest } from './rules.ts';
import { editedInputs, readStateFile } from './state-file.ts';

/** The code of the error of a prompt file that cannot be read. */
export const PROMPT_PROBLEM = 'PROMPT_FILE';

export type InputsReader = (known: string | null) => Extract<Result, { kind: 'inputs' }>;

export interface InputsSource {
  readonly request: RalphRequest;
  /** What the journal knows; null at the beginning. */
  readonly before: RalphInputs | null;
  /** A loop that starts no agent any more needs no prompt: its file may be gone. */
  needsPrompt(limit: number): boolean;
  warn(line: string): void;
}

export function ralphInputsReader({ request, before, needsPrompt, warn }: InputsSource): InputsReader {
  let last = editable({ request, inputs: before });
  return (known) => {
    const edited = editedInputs(readStateFile(request.home, request.name), last);
    const { done_pattern } = edited;
    const isReadable = done_pattern === null || done_pattern === last.done_pattern || isDonePattern(done_pattern);
    if (!isReadable) warn(`swarm: warning: done_pattern is not a pattern that can be read: ${done_pattern}`);
    last = isReadable ? edited : { ...edited, done_pattern: last.done_pattern };
    const prompt = (): string => (needsPrompt(last.max_iterations) ? readPromptFile(request.promptFile) : '');
    const inputs: RalphInputs = { prompt: prompt(), ...last };
    const digest = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
    // Plain data by construction.
    return digest === known ? { kind: 'inputs', digest } : { kind: 'inputs', digest, inputs };
  };
}

function isDonePattern(pattern: string): boolean {
  try {
    parseDonePattern(pattern);
    return true;
  } catch {
    // On the command line the reason is shown; here it is enough that it is none.
    return false;
  }
}

/** `shown` is the path as the user gave it. */
export function readPromptFile(path: string, shown = path): string {
  try {
    return path === devNull ? '' : readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw promptProblem(`prompt file not found: ${shown}`);
    throw promptProblem(`cannot read prompt file: ${shown}`, reasonOf(error));
  }
}

/** The reason stands below the seed's sentence. */
function promptProblem(message: string, hint?: string): RalphError {
  return new RalphError(PROMPT_PROBLEM, message, { exitCode: 1, ...(hint === undefined ? {} : { hint }) });
}
