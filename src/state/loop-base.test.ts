import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { baseOf } from './loop-base.ts';

function repository(): { folder: string; git: (...args: string[]) => string } {
  const folder = testFolder();
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, ...who } }).trim();
  git('init', '-q', '-b', 'main');
  return { folder, git };
}

test('the commit is the one that git names: on a branch, packed, in a worktree, detached', () => {
  const { folder, git } = repository();
  expect(baseOf(folder)).toEqual({ commit: null, pins: {} });
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const first = git('rev-parse', 'HEAD');
  expect(baseOf(folder).commit).toBe(first);
  git('pack-refs', '--all');
  expect(baseOf(folder).commit).toBe(first);
  const worktree = join(testFolder(), 'w');
  git('worktree', 'add', '-q', '-b', 'other', worktree);
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'], {
    cwd: worktree,
  });
  expect(baseOf(worktree).commit).toBe(git('rev-parse', 'other'));
  git('checkout', '-q', '--detach');
  expect(baseOf(join(folder)).commit).toBe(first);
});

test('there is no commit outside of a repository, and none in what is no reference', () => {
  const folder = testFolder();
  expect(baseOf(folder).commit).toBeNull();
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/HEAD'), 'ref: ../../etc/passwd\n');
  expect(baseOf(folder).commit).toBeNull();
});

test('a pinned file is known by its hash, one that is not there as absent', () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'there'), 'text');
  const hash = createHash('sha256').update('text').digest('hex');
  expect(baseOf(folder, ['there', 'missing']).pins).toEqual({ there: hash, missing: null });
  const elsewhere = join(folder, 'there');
  expect(baseOf(testFolder(), [elsewhere]).pins).toEqual({ [elsewhere]: hash });
});
