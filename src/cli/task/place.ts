/** Which task a command means, and which prompt it was given. */
import type { Environment } from '../../config/environment.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { newTaskId, type TaskPlace, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { readOnce, readToEnd } from '../../process/read-once.ts';
import { handleCancel } from '../terminal/signals.ts';
import type { ScopeFlags } from './terminal.ts';

export interface PromptFlags {
  readonly prompt?: string;
  readonly promptFile?: string;
}

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

export function placeOf(
  flags: ScopeFlags,
  { variables }: Environment,
  { makesTask }: { readonly makesTask: boolean },
): TaskPlace {
  const { root, project, task } = scopeOf(flags, variables, process.cwd());
  if (project === null) throw wrong('--project is required', 'For example: --project my-project');
  // A new task each time, unless one is named: that of the run that we are in is not meant.
  const meant = makesTask ? (flags.task ?? newTaskId(new Date())) : task;
  if (meant === null) throw wrong('--task is required', `To see them: ralph task list --project ${project}`);
  return taskPlace(root, project, meant);
}

/** Read once: a pipe gives nothing a second time. What is empty is a mistake, not TASK.md. */
export async function givenPrompt({ prompt, promptFile }: PromptFlags): Promise<string | null> {
  if (prompt !== undefined && promptFile !== undefined) throw wrong('cannot specify both --prompt and --prompt-file');
  const text = promptFile === undefined ? prompt : await readPrompt(promptFile);
  if (text?.trim() === '') throw wrong(`the prompt is empty${promptFile === undefined ? '' : `: ${promptFile}`}`);
  return text?.trim() ?? null;
}

async function readPrompt(file: string): Promise<string> {
  const { cancel, release } = handleCancel(() => undefined);
  try {
    return STDIN.has(file) ? await readToEnd(process.stdin, 'stdin', cancel) : await readOnce(file, cancel);
  } catch (error) {
    if (cancel.aborted) throw new RalphError('STOPPED', 'stopped before the prompt was read', { exitCode: 130 });
    if (error instanceof RalphError) throw error;
    throw wrong(`cannot read prompt file ${file}: ${reasonOf(error)}`);
  } finally {
    release();
  }
}

export function wrong(message: string, hint?: string): RalphError {
  return new RalphError('TASK', message, defined({ hint }));
}
