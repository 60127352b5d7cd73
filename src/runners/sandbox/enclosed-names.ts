/** What a loop and the process around a program in its sandbox both know by name. */
import { join } from 'node:path';

/** The PATH of the program; that of the processes around it is another. */
export const INSIDE_PATH = 'RALPH_INSIDE_PATH';

/** Of a loop: what its programs have planted, for somebody to read. */
export function asideFolder(loopFolder: string): string {
  return join(loopFolder, 'put-aside');
}
