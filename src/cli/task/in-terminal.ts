/** Hosts a loop of a task, or a job, in this terminal. Already the first signal ends its agent: it is started again. */
import type { Driven } from '../../engine/drive.ts';
import type { TaskOptions } from '../../loops/tasks/loop.ts';
import { handleCancel } from '../signals.ts';
import { inTerminal, thisTerminal } from '../terminal.ts';
import { taskConsole } from './console.ts';

export type Hosting = Pick<TaskOptions, 'environment' | 'release' | 'self'>;

export function hostedTask(
  kind: 'task' | 'job',
  hosting: Hosting,
  host: (options: TaskOptions) => Promise<Driven>,
): Promise<number> {
  const console = taskConsole({ ...thisTerminal(hosting.environment), now: () => new Date() });
  const signals = handleCancel((line) => process.stderr.write(`${line}\n`));
  return inTerminal(kind, console, signals, (ports) => host({ ...hosting, ...ports }));
}
