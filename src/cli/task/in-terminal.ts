/** Turns a loop of a task in a terminal: what it does is shown, and a signal ends it. */
import type { Environment } from '../../config/environment.ts';
import { maskFor } from '../../core/text/mask.ts';
import type { Driven } from '../../engine/drive.ts';
import type { TaskOptions } from '../../loops/tasks/loop.ts';
import { handleCancel } from '../signals.ts';
import { taskConsole } from './console.ts';

export interface Turned extends Pick<TaskOptions, 'release' | 'self'> {
  readonly environment: Environment;
}

export async function inTerminal(
  { environment, release, self }: Turned,
  turn: (options: TaskOptions) => Promise<Driven>,
): Promise<Driven> {
  const { show, tell, ready, close } = taskConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color: process.stdout.isTTY && environment.color,
    mask: maskFor(environment.variables),
    now: () => new Date(),
  });
  const { cancel, release: letGo } = handleCancel((line) => process.stderr.write(`${line}\n`));
  try {
    let atEnd: Parameters<NonNullable<TaskOptions['left']>> | null = null;
    const left: TaskOptions['left'] = (...seen) => {
      atEnd = seen;
    };
    const driven = await turn({ environment, release, self, emit: show, tell, ready, cancel, left });
    if (atEnd !== null) close(atEnd[0], driven, atEnd[1]);
    return driven;
  } finally {
    letGo();
  }
}
