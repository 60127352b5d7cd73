/** The prompt on a task's command line. */
import { RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { isStdin, readOnce, readToEnd } from '../../process/read-once.ts';
import { handleCancel } from '../terminal/signals.ts';
import type { TaskRunFlags } from './request.ts';
import { usage } from './terminal.ts';

/** Read only once, because a pipe cannot be read again. An empty prompt is an error, and does not mean TASK.md. */
export async function givenPrompt({ prompt, promptFile }: TaskRunFlags): Promise<string | null> {
  if (prompt !== undefined && promptFile !== undefined) throw usage('cannot specify both --prompt and --prompt-file');
  const text = promptFile === undefined ? prompt : await readPrompt(promptFile);
  if (text?.trim() === '') throw usage(`the prompt is empty${promptFile === undefined ? '' : `: ${promptFile}`}`);
  return text?.trim() ?? null;
}

async function readPrompt(file: string): Promise<string> {
  const { cancel, release } = handleCancel(() => undefined);
  try {
    return isStdin(file) ? await readToEnd(process.stdin, 'stdin', cancel) : await readOnce(file, cancel);
  } catch (error) {
    if (cancel.aborted) throw new RalphError('STOPPED', 'stopped before the prompt was read', { exitCode: 130 });
    if (error instanceof RalphError) throw error;
    throw usage(`cannot read prompt file ${file}: ${reasonOf(error)}`);
  } finally {
    release();
  }
}
