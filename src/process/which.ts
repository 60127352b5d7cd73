/** Finds the program that a command names, as the operating system would. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export function findProgram(command: string, path: string | undefined, cwd: string): string | null {
  const candidates = command.includes('/')
    ? [resolve(cwd, command)]
    : (path ?? '').split(delimiter).map((folder) => resolve(cwd, folder, command));
  return candidates.find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not ours to run: not the program we look for.
    return false;
  }
}
