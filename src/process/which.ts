/** Finds the program that a command names, as the operating system would. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export function findProgram(command: string, path: string | undefined, cwd: string): string | null {
  const folders = command.includes('/') ? ['.'] : (path ?? '').split(delimiter);
  for (const folder of folders) {
    const candidate = resolve(cwd, folder, command);
    if (isProgram(candidate)) return candidate;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() && hasInterpreter(file);
  } catch {
    // Not there, or not ours to run: not the program we look for.
    return false;
  }
}

/** A script whose interpreter is missing cannot be started, though it is there itself. */
function hasInterpreter(file: string): boolean {
  const buffer = Buffer.alloc(256);
  const fd = openSync(file, 'r');
  try {
    const head = buffer.toString('utf8', 0, readSync(fd, buffer));
    const interpreter = /^#!\s*(\S+)/.exec(head)?.[1];
    if (interpreter !== undefined) accessSync(resolve(interpreter), constants.X_OK);
    return true;
  } finally {
    closeSync(fd);
  }
}
