/** The file that ends a task: its presence is enough. */
import { statSync } from 'node:fs';
import { errnoOf, RalphError } from '../../core/error.ts';
import { taskFile } from './task-folder.ts';

export function isDone(task: string): boolean {
  const path = taskFile.done(task);
  try {
    if (!statSync(path).isDirectory()) return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RalphError('DONE', `stat DONE: ${reason}`, { exitCode: 2 });
  }
  throw new RalphError('DONE', 'DONE is a directory', {
    hint: `A file says that the task is done. Remove the directory: ${path}`,
    exitCode: 2,
  });
}
