import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type Repository, testRepository } from '../../test/support/git/repository.ts';
import { excludeFromGit } from './git.ts';

const PATTERN = '**/.ralph/*.log';

function excluded(repository: Repository): string {
  return readFileSync(join(repository.cwd, '.git/info/exclude'), 'utf8');
}

function untracked(repository: Repository, folder = '.'): string {
  return repository.git('-C', folder, 'status', '--porcelain');
}

function leaveLog(folder: string): void {
  mkdirSync(join(folder, '.ralph'), { recursive: true });
  writeFileSync(join(folder, '.ralph/guardrail_001_x.log'), '');
}

describe('what is excluded', () => {
  test('is not seen by git any more, at the root and below, and .gitignore is not touched', () => {
    const repository = testRepository();
    leaveLog(repository.cwd);
    leaveLog(join(repository.cwd, 'packages/a'));
    expect(untracked(repository)).toContain('.ralph/');
    excludeFromGit(repository.cwd, PATTERN);
    expect(untracked(repository)).toBe('');
  });

  test('stands there once, however often it is asked for, behind what was there', () => {
    const repository = testRepository();
    writeFileSync(join(repository.cwd, '.git/info/exclude'), '# mine\nbuild');
    for (const _ of [1, 2, 3]) excludeFromGit(repository.cwd, PATTERN);
    expect(excluded(repository)).toBe(`# mine\nbuild\n${PATTERN}\n`);
  });

  test('is written also where there is no folder for it yet', () => {
    const repository = testRepository();
    rmSync(join(repository.cwd, '.git/info'), { recursive: true });
    excludeFromGit(repository.cwd, PATTERN);
    expect(excluded(repository)).toBe(`${PATTERN}\n`);
  });

  test('counts for the whole repository, asked for from a folder within it', () => {
    const repository = testRepository();
    const inner = join(repository.cwd, 'packages/a');
    leaveLog(inner);
    excludeFromGit(inner, PATTERN);
    expect(untracked(repository)).toBe('');
  });

  test('counts in a worktree, whose excludes are those of its main repository', () => {
    const repository = testRepository();
    const tree = join(testFolder(), 'tree');
    repository.git('worktree', 'add', '-b', 'side', tree);
    leaveLog(tree);
    expect(untracked(repository, tree)).toContain('.ralph/');
    excludeFromGit(tree, PATTERN);
    expect(untracked(repository, tree)).toBe('');
    expect(excluded(repository)).toContain(PATTERN);
  });

  test('counts in a submodule, which keeps its own', () => {
    const [outer, inner] = [testRepository(), testRepository()];
    outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', inner.cwd, 'sub');
    const sub = join(outer.cwd, 'sub');
    leaveLog(sub);
    excludeFromGit(sub, PATTERN);
    expect(untracked(outer, sub)).toBe('');
    expect(readFileSync(join(outer.cwd, '.git/modules/sub/info/exclude'), 'utf8')).toContain(PATTERN);
  });
});

test('where there is no repository nothing happens', () => {
  const folder = testFolder();
  excludeFromGit(folder, PATTERN);
  expect(readdirSync(folder)).toEqual([]);
});

describe('what an agent has left in the work tree leads nowhere else', () => {
  let outside: string;
  let repository: Repository;

  beforeEach(() => {
    outside = testFolder();
    repository = testRepository();
    writeFileSync(join(outside, 'profile'), 'mine\n');
  });

  const inGit = (path: string): string => join(repository.cwd, '.git', path);

  test.each<[string, () => unknown]>([
    [
      'excludes that are a link',
      () => replaced('info/exclude', () => symlinkSync(join(outside, 'profile'), inGit('info/exclude'))),
    ],
    [
      'excludes that are a link to nothing',
      () => replaced('info/exclude', () => symlinkSync(join(outside, 'x'), inGit('info/exclude'))),
    ],
    ['their folder that is a link', () => replaced('info', () => symlinkSync(outside, inGit('info')))],
    ['a repository that is a link', () => replaced('', () => symlinkSync(outside, inGit('')))],
    [
      'a file that names a folder elsewhere',
      () => replaced('', () => writeFileSync(inGit(''), `gitdir: ${outside}\n`)),
    ],
    ['a common folder elsewhere', () => writeFileSync(inGit('commondir'), outside)],
  ])('%s', (_what, leave) => {
    leave();
    excludeFromGit(repository.cwd, PATTERN);
    expect(readdirSync(outside)).toEqual(['profile']);
    expect(readFileSync(join(outside, 'profile'), 'utf8')).toBe('mine\n');
  });

  test.each<[string, string, (path: string) => unknown]>([
    ['excludes that are a folder', 'info/exclude', (path) => mkdirSync(path)],
    ['excludes that are a pipe', 'info/exclude', (path) => execFileSync('mkfifo', [path])],
    ['a repository that is a pipe', '', (path) => execFileSync('mkfifo', [path])],
    ['a common folder that is a pipe', 'commondir', (path) => execFileSync('mkfifo', [path])],
  ])('%s do not block it', (_what, name, make) => {
    replaced(name, () => make(inGit(name)));
    expect(() => excludeFromGit(repository.cwd, PATTERN)).not.toThrow();
  });

  function replaced(name: string, make: () => unknown): void {
    rmSync(inGit(name), { recursive: true, force: true });
    make();
  }
});
