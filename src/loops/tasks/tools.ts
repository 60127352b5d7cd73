/** A folder for an agent's path, so that it finds the program that started it: by our name, and by the one of old prompts. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';

const NAMES = ['ralph', 'run-agent'];

/** Read by every bash that runs a command: a login shell, which some agents start, has set the path anew before. */
export const BASH_ENV_NAME = 'bash-env';
export const USERS_BASH_ENV = 'RALPH_USERS_BASH_ENV';

export function toolsFolder(loop: string): string {
  return join(loop, 'bin');
}

export function makeTools(loop: string, self: readonly string[]): string {
  const folder = toolsFolder(loop);
  makePrivateFolder(folder);
  const command = self.map(shellQuote).join(' ');
  writeFile(
    join(folder, BASH_ENV_NAME),
    `if [ -n "\${${USERS_BASH_ENV}:-}" ]; then . "$${USERS_BASH_ENV}"; fi\nPATH=${shellQuote(folder)}:"$PATH"\n`,
    { mode: 0o600 },
  );
  for (const name of NAMES) {
    const path = join(folder, name);
    writeFile(path, `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(path, 0o700);
  }
  return folder;
}
