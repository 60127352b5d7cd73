import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { endProcessesOf, processesOf } from '../../test/support/programs/processes.ts';
import { workState } from './git.ts';

let cwd: string;

beforeEach(() => {
  cwd = testFolder();
});

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}

function write(path: string, text = 'x'): void {
  writeFileSync(join(cwd, path), text);
}

const look = () => workState(cwd, { env: process.env }, '/dev/null');

test('a folder without a repository has none', async () => {
  expect(await look()).toEqual({ kind: 'no-repository' });
});

test('changed, new, renamed and conflicting files are counted; the harness does not count its own', async () => {
  git('init', '-q');
  for (const name of ['a b', 'old', 'gone']) write(name, name.repeat(20));
  expect(await look()).toEqual({ kind: 'uncommitted', files: 3 });
  git('add', '-A');
  git('commit', '-qm', 'one');
  expect(await look()).toEqual({ kind: 'committed', commit: git('rev-parse', 'HEAD') });
  mkdirSync(join(cwd, '.ralph'));
  write('.ralph/settings.json');
  expect(await look()).toEqual({ kind: 'committed', commit: git('rev-parse', 'HEAD'), except: '.ralph/' });
  write('a b', 'other');
  write('new\nline');
  git('mv', 'old', 'renamed');
  git('rm', '-q', 'gone');
  expect(await look()).toEqual({ kind: 'uncommitted', files: 4 });
});

test('a repository without a commit holds nothing', async () => {
  git('init', '-q');
  expect(await look()).toEqual({ kind: 'uncommitted', files: 0 });
});

test('where git cannot be asked it is unknown, with the reason', async () => {
  git('init', '-q');
  write('.git/config', 'nonsense[');
  expect(await look()).toEqual({ kind: 'unknown', reason: expect.stringMatching(/config/) });
  expect(await workState(cwd, { env: { PATH: '/nonexistent' } }, '/dev/null')).toMatchObject({ kind: 'unknown' });
});

test.each(['', 'submodule/'])(
  'where %s.gitignore is a pipe it is unknown, and no git is left waiting',
  async (below) => {
    git('init', '-q');
    if (below !== '') {
      git('init', '-q', below);
      git('-C', below, 'commit', '-q', '--allow-empty', '-m', 'x');
      git('add', '.');
    }
    execFileSync('mkfifo', [join(cwd, below, '.gitignore')]);
    onTestFinished(() => void endProcessesOf(cwd));
    const env = { ...process.env, MARK: cwd };
    const reason = 'git took longer than 0.5 seconds';
    expect(await workState(cwd, { env }, '/dev/null', 500)).toEqual({ kind: 'unknown', reason });
    await vi.waitFor(() => expect(processesOf(cwd)).toEqual([]));
  },
);
