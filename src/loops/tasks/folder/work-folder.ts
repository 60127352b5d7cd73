/** The folder in which an agent is to work must be there. */
import { statSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';

export function checkWorkFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new RalphError('WORK_TREE', `cannot work in ${path}: there is no such folder`, {
    hint: 'Choose the folder in which the agent works with --cwd.',
    exitCode: 2,
  });
}
