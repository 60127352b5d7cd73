/** Returns a PATH without one program. */
import { accessSync, constants, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testFolder } from '../support/folder.ts';

export function withoutProgram(program: string, { PATH = '' }: NodeJS.ProcessEnv): { readonly PATH: string } {
  return {
    PATH: PATH.split(delimiter)
      .map((folder) => (has(folder, program) ? copyWithout(folder, program) : folder))
      .join(delimiter),
  };
}

function has(folder: string, program: string): boolean {
  try {
    accessSync(join(folder, program), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function copyWithout(folder: string, program: string): string {
  const copy = testFolder();
  for (const name of readdirSync(folder)) if (name !== program) symlinkSync(join(folder, name), join(copy, name));
  return copy;
}
