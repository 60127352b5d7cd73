/** Turns a loop of a task in a terminal: what it does is shown, and a signal ends it. */
import type { Environment } from '../../config/environment.ts';
import { maskFor } from '../../core/mask.ts';
import type { TaskOptions } from '../../doors/tasks/loop.ts';
import type { Driven } from '../../engine/drive.ts';
import { handleCancel } from '../signals.ts';
import { taskConsole } from './console.ts';

export interface Turned extends Pick<TaskOptions, 'release' | 'self'> {
  readonly environment: Environment;
  /** The command that goes on with it, for people. */
  readonly resume: string;
}

export async function inTerminal(
  { environment, release, self, resume }: Turned,
  turn: (options: TaskOptions) => Promise<Driven>,
): Promise<Driven> {
  const { show, tell, ready, close } = taskConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color: process.stdout.isTTY && environment.color,
    mask: maskFor(environment.variables),
    resume,
    now: () => new Date(),
  });
  const { cancel, release: letGo } = handleCancel((line) => process.stderr.write(`${line}\n`));
  try {
    const driven = await turn({ environment, release, self, emit: show, tell, ready, cancel });
    close(driven);
    return driven;
  } finally {
    letGo();
  }
}
