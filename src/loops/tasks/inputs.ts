/** Reads what people may change while a task runs: its prompt, its DONE file, and how often it may be started. */
import { lstatSync } from 'node:fs';
import { errnoOf, RalphError } from '../../core/error.ts';
import type { Result } from '../../core/record.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { digestOf } from '../../core/text/digest.ts';
import { readPlain, readPlainText } from '../../state/plain-file.ts';
import { isDone, isStopRequested, type RunSpan, waitSignal } from './folder/signals.ts';
import { taskFile } from './folder/task-folder.ts';
import { isSandboxed, type TaskInputs, type TaskRequest } from './rules.ts';

/**
 * `maxRestarts` of this start; a resumed loop may be given another limit. `lastRun`: what was said since
 * then counts, too, as long as no other run has begun.
 */
export function taskInputsReader(request: TaskRequest, maxRestarts: number, lastRun: () => RunSpan | null) {
  return (known: string | null): Extract<Result, { kind: 'inputs' }> => {
    const { folder, bus, kind } = request;
    const done = isDone(folder);
    // A job is one run: nothing comes between two of them.
    const said =
      kind === 'job'
        ? {}
        : { wait: waitSignal(folder, bus, lastRun()), stopRequested: isStopRequested(folder, Date.now()) };
    // A task that is done needs no prompt.
    const prompt = request.prompt ?? (done ? '' : readTaskPrompt(request.folder, isSandboxed(request)));
    const inputs: TaskInputs = { prompt, isDone: done, maxRestarts, ...said };
    const digest = digestOf(JSON.stringify(inputs));
    return digest === known ? { kind: 'inputs', digest } : { kind: 'inputs', digest, inputs: { ...inputs } };
  };
}

/** Only the prompt was hidden: whether the task was done then, and how often it might be started, is as it was then. */
export function wholeInputs(request: TaskRequest, masked: TaskInputs): TaskInputs {
  return { ...masked, prompt: request.prompt ?? readTaskPrompt(request.folder, isSandboxed(request)) };
}

/** An agent that may not read a file must not be told what it holds: a sandboxed one may have made a link. */
export function readTaskPrompt(folder: string, isLinkRefused: boolean): string {
  const path = taskFile.prompt(folder);
  try {
    return (isLinkRefused ? readUnlinked(path) : readPlainText(path)).trim();
  } catch (error) {
    const isMissing = errnoOf(error) === 'ENOENT';
    throw new RalphError(
      'TASK_MD',
      isMissing ? 'TASK.md not found and no prompt provided' : `read TASK.md: ${reasonOf(error)}`,
      { hint: `Give --prompt or --prompt-file, or write the task into ${path}` },
    );
  }
}

function readUnlinked(path: string): string {
  const text = readPlain(path);
  if (text !== null) return text;
  const stat = lstatSync(path);
  throw new Error(
    `${path} is ${stat.isSymbolicLink() ? 'a link, which is not followed in a sandbox' : 'not a plain file'}`,
  );
}
