/** The prompt of a loop: words, or a file that is read again for every iteration. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { readOnce } from '../../process/read-once.ts';
import { readPlainText } from '../../state/plain-file.ts';
import type { RunRequest } from './rules.ts';

/** What these name is another file for every process: none of them can be found again by its name. */
const OF_THIS_PROCESS = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/**
 * What is no regular file is read once, now, and kept with the request: a pipe is empty the second time, and a
 * resumed loop has another stdin.
 */
export async function withKeptPrompt(request: RunRequest, cwd: string, signal: AbortSignal): Promise<RunRequest> {
  const { promptFile } = request;
  if (promptFile === null) {
    refuseEmpty(request.prompt ?? '', 'the prompt');
    return request;
  }
  const path = resolve(cwd, promptFile);
  try {
    if (statSync(path).isFile() && !OF_THIS_PROCESS.test(path)) return request;
    const prompt = await readOnce(path, signal);
    refuseEmpty(prompt, `the prompt from ${promptFile}`);
    return { ...request, prompt, promptFile: null };
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(error, promptFile);
  }
}

/** The prompt of the next iteration. */
export function readPrompt({ prompt, promptFile }: RunRequest, cwd: string): string {
  if (promptFile === null) return prompt ?? '';
  try {
    const text = readPlainText(resolve(cwd, promptFile));
    refuseEmpty(text, `prompt file ${promptFile}`);
    return text;
  } catch (error) {
    throw unreadable(error, promptFile);
  }
}

export function refuseEmpty(prompt: string, what: string): void {
  if (prompt.trim() !== '') return;
  throw new RalphError('PROMPT_EMPTY', `${what} is empty`, {
    hint: 'Say what the agent is to do, for example: ralph run -p "Fix the failing tests"',
  });
}

function unreadable(error: unknown, promptFile: string): RalphError {
  if (error instanceof RalphError && error.code === 'PROMPT_EMPTY') return error;
  if (errnoOf(error) === 'ENOENT') return wrongFile(`prompt file not found: ${promptFile}`);
  return wrongFile(`cannot access prompt file: ${promptFile}: ${reasonOf(error)}`);
}

function wrongFile(message: string): RalphError {
  return new RalphError('PROMPT_FILE', message, { hint: 'Check the path given with --prompt-file.' });
}
