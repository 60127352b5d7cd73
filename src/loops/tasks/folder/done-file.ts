/** The file that ends a task: its presence is enough. */
import { statSync } from 'node:fs';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { taskFile } from './task-folder.ts';

export function isDone(task: string): boolean {
  const path = taskFile.done(task);
  try {
    if (!statSync(path).isDirectory()) return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw new RalphError('DONE', `stat DONE: ${path}: ${reasonOf(error)}`, { exitCode: 2 });
  }
  throw new RalphError('DONE', 'DONE is a directory', {
    hint: `A file says that the task is done. Remove the directory: ${path}`,
    exitCode: 2,
  });
}
