/** A git repository for a test, with one commit of the file `work`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Host, thisHost } from '../../../src/process/host.ts';
import { testFolder } from '../folder.ts';
import { makeFirstCommit } from './first-commit.ts';

export interface Repository {
  readonly cwd: string;
  readonly host: Host;
  git(...args: readonly string[]): string;
  write(file: string, text: string): void;
  /** Writes a hook, a shell script that git calls. */
  hook(name: string, lines: string): void;
}

export function testRepository(): Repository {
  const cwd = testFolder();
  const who = { NAME: 'a', EMAIL: 'a@example.com' };
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    GIT_AUTHOR_NAME: who.NAME,
    GIT_AUTHOR_EMAIL: who.EMAIL,
    GIT_COMMITTER_NAME: who.NAME,
    GIT_COMMITTER_EMAIL: who.EMAIL,
  };
  const repository: Repository = {
    cwd,
    host: thisHost(env, null),
    git: (...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    write: (file, text) => writeFileSync(join(cwd, file), text),
    hook: (name, lines) => writeFileSync(join(cwd, '.git/hooks', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 }),
  };
  makeFirstCommit(cwd, 'work', 'begin\n', env);
  return repository;
}
