import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { BASH_ENV_NAME, makeTools, USERS_BASH_ENV } from './tools.ts';

const PATH = process.env.PATH ?? '';

/** Where the rest of the home is empty, so that only the system's own profile speaks. */
function inBash(flag: '-lc' | '-c', command: string, env: Readonly<Record<string, string>>, home: string): string {
  return execFileSync('bash', [flag, command], { env: { HOME: home, ...env }, encoding: 'utf8' }).trim();
}

test('the program that started an agent is on its path by both names, and gets its words as they are', () => {
  const folder = testFolder();
  const self = join(folder, "it's me");
  writeFileSync(self, '#!/bin/sh\nprintf "<%s>" "$@"\n');
  chmodSync(self, 0o755);
  const tools = makeTools(folder, [self, 'a b']);
  for (const name of ['ralph', 'run-agent']) {
    const said = inBash('-c', `${name} 'bus' '$HOME "x"'`, { PATH: `${tools}:${PATH}` }, folder);
    expect(said).toBe('<a b><bus><$HOME "x">');
  }
});

test('a login shell, which sets the path anew, finds it too, and what the user has for his shells is read', () => {
  const folder = testFolder();
  const tools = makeTools(folder, ['/bin/true']);
  const users = join(folder, 'users');
  writeFileSync(users, 'FOUND=yes\n');
  const env = { PATH: '/usr/bin:/bin', BASH_ENV: join(tools, BASH_ENV_NAME), [USERS_BASH_ENV]: users };
  expect(inBash('-lc', 'command -v ralph; echo $FOUND', env, folder)).toBe(`${join(tools, 'ralph')}\nyes`);
});
