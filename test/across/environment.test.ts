/** A resumed loop gives its agents the same environment as the first start did: the user's own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endProcessesOf } from '../support/programs/processes.ts';
import { AT_WORK, KIND_NAMES, KINDS } from './bench.ts';

/** Variables that people set for their tools; a harness written in Node could be tempted to change some of them. */
const USERS = {
  NODE_OPTIONS: '--no-deprecation',
  NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  MY_TOOL: 'two words',
  LC_ALL: 'C',
};

/** Variables that identify the run or the shell, and so differ each time. */
const OF_THE_RUN =
  /^(RALPH_KEY|RALPH_ATTEMPT|RALPH_MARK|JRUN_.*|RALPH_RUN.*|RUN_.*|.*_RUN_ID|RUNS_DIR|SHLVL|PWD|OLDPWD|_|TMUX.*|STY|WINDOWID)$/;

test.each(KIND_NAMES)('%s: the agent of a resumed loop gets the same environment as the first one', async (kind) => {
  const dump = 'env -0 >"$HOME/.env-$$" && mv "$HOME/.env-$$" "$HOME/env-of-$$"';
  const bench = KINDS[kind]((done) => `${dump}; ${AT_WORK(done)}`);
  const dumps = (): string[] => readdirSync(bench.folder).filter((name) => name.startsWith('env-of-'));
  const read = (name: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(join(bench.folder, name), 'utf8')
        .split('\0')
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
        .filter(([variable]) => !OF_THE_RUN.test(variable ?? '')),
    );
  const loop = bench.begin(5, { env: USERS });
  while (!existsSync(join(bench.folder, 'second'))) await new Promise((resolve) => setTimeout(resolve, 10));
  loop.signal('SIGKILL');
  await loop.exited;
  endProcessesOf(bench.folder);
  const [first = ''] = dumps();
  const before = read(first);
  expect(before).toMatchObject(USERS);
  expect(await bench.resume({ env: USERS }).exited).toMatchObject({ code: 0 });
  const later = dumps().filter((name) => name !== first);
  expect(later.length).toBeGreaterThan(0);
  for (const name of later) expect(read(name)).toEqual(before);
});
