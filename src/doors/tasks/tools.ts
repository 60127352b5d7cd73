/** A folder for an agent's path, so that it finds the program that started it: by our name, and by the one of old prompts. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../state/folders.ts';

const NAMES = ['ralph', 'run-agent'];

export function makeTools(loop: string, self: readonly string[]): string {
  const folder = join(loop, 'bin');
  makePrivateFolder(folder);
  const command = self.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  for (const name of NAMES) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(path, 0o700);
  }
  return folder;
}
