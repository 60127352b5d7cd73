/** The terminal and the environment of this process, for the commands of tasks and buses. */
import { isatty } from 'node:tty';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { ScopeFlags, TaskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { newTaskId, scopeOf, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { printable } from '../../stream/printable.ts';

export type Terminal = ReturnType<typeof thisTerminal>;

/** Errors of the operating system (a folder that is not ours, a disk that is full) are shown as they are. */
export async function runInTerminal(command: (terminal: Terminal) => Promise<number>): Promise<number> {
  try {
    return await command(thisTerminal());
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'path' in error)) throw error;
    throw new RalphError('SYSTEM', error.message, { exitCode: 1 });
  }
}

export function usage(fact: string, hint?: string): RalphError {
  return new RalphError('USAGE', fact, defined({ hint }));
}

export function notFound(fact: string): RalphError {
  return new RalphError('NOT_FOUND', fact, { exitCode: 1 });
}

/** With `makesTask`, no --task means a new task each time, not that of the surrounding run. */
export function placeOf(flags: ScopeFlags, { variables }: Environment, makesTask: boolean): TaskPlace {
  const { root, project, task } = scopeOf(flags, variables, process.cwd());
  if (project === null) throw usage('--project is required', 'For example: --project my-project');
  const meant = makesTask ? (flags.task ?? newTaskId(new Date())) : task;
  if (meant === null) throw usage('--task is required', `To see them: ralph task list --project ${project}`);
  return taskPlace(root, project, meant);
}

/** Aborted by Ctrl-C and the other signals to stop, for commands that would run forever. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function thisTerminal() {
  const environment = readEnvironment();
  const { mask } = environment;
  const isWatched = isatty(1);
  let isDeserted = false;
  const write = (bytes: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      process.stdout.write(bytes, (error) => {
        // The stream itself does not remember that it failed.
        isDeserted ||= error != null;
        resolve();
      });
    });
  return {
    environment,
    cwd: process.cwd(),
    mask,
    /** stdout is a terminal: what others wrote must not control it, and secrets are masked. */
    isWatched,
    /** Writes the bytes unchanged; resolves when the reader has kept up. */
    write,
    /** Writes a line of text that others wrote, made safe on a terminal. */
    show: (line: string) => write(`${isWatched ? printable(mask(line)) : line}\n`),
    warn: (line: string) => void process.stderr.write(`${printable(mask(line))}\n`),
    /** Its reader has gone. */
    isDeserted: () => isDeserted,
  };
}
