import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { type GitPlace, believedGit as gitOf, submoduleFolders } from './git-place.ts';

/** A repository with one commit. */
function repository(path: string): string {
  const run = (...args: string[]) => git(path, ...args);
  mkdirSync(path, { recursive: true });
  run('init', '--quiet');
  run('commit', '--quiet', '--allow-empty', '--message=begin');
  return path;
}

function git(cwd: string, ...args: string[]): void {
  const user = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...user, ...args], { cwd, stdio: 'ignore' });
}

test('the repository of a folder, a worktree and a submodule is found', () => {
  const folder = testFolder();
  const [main, other] = [repository(join(folder, 'main')), repository(join(folder, 'other'))];
  git(main, 'worktree', 'add', join(folder, 'tree'));
  git(main, 'submodule', 'add', other, 'sub');
  expect(gitOf(main)).toEqual({ entry: `${main}/.git`, gitFolder: `${main}/.git`, commonFolder: `${main}/.git` });
  expect(gitOf(join(folder, 'tree'))).toMatchObject({
    gitFolder: `${main}/.git/worktrees/tree`,
    commonFolder: `${main}/.git`,
  });
  const sub = `${main}/.git/modules/sub`;
  expect(gitOf(join(main, 'sub'))).toMatchObject({ gitFolder: sub, commonFolder: sub });
});

test('the repositories of submodules are found, and of theirs, and of those with slashes in their names', () => {
  const folder = testFolder();
  const [main, other, third] = ['main', 'other', 'third'].map((name) => repository(join(folder, name)));
  git(other ?? '', 'submodule', 'add', third ?? '', 'deep');
  git(other ?? '', 'commit', '--quiet', '--message=deep');
  git(main ?? '', 'submodule', 'add', other ?? '', 'lib/sub');
  git(main ?? '', 'submodule', 'update', '--init', '--recursive');
  symlinkSync('..', `${main}/.git/modules/round`);
  const sub = `${main}/.git/modules/lib/sub`;
  expect(submoduleFolders(gitOf(main ?? '') as GitPlace)).toEqual([sub, `${sub}/modules/deep`]);
  expect(submoduleFolders(gitOf(third ?? '') as GitPlace)).toEqual([]);
});

test('what an agent has written in its work tree leads nowhere else', () => {
  const folder = testFolder();
  const main = repository(join(folder, 'main'));
  mkdirSync(join(folder, 'precious/worktrees/x'), { recursive: true });
  writeFileSync(join(main, '.git/commondir'), join(folder, 'precious'));
  expect(gitOf(main)?.commonFolder).toBe(`${main}/.git`);
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'own/worktrees/x'), { recursive: true });
  for (const target of ['precious', 'precious/worktrees/x']) {
    writeFileSync(join(tree, '.git'), `gitdir: ${join(folder, target)}\n`);
    expect(gitOf(tree)).toBeNull();
  }
  // A git folder inside the work tree that names the work tree, but a repository elsewhere.
  const own = join(tree, 'own/worktrees/x');
  writeFileSync(join(tree, '.git'), `gitdir: ${own}\n`);
  writeFileSync(join(own, 'gitdir'), `${tree}/.git\n`);
  writeFileSync(join(own, 'commondir'), `${join(folder, 'precious')}\n`);
  expect(gitOf(tree)).toBeNull();
  writeFileSync(join(own, 'config'), `[core]\n\tworktree = ${tree}\n`);
  expect(gitOf(tree)).toBeNull();
});

test('a repository that is a link is not believed, wherever it leads', () => {
  const main = repository(join(testFolder(), 'main'));
  renameSync(join(main, '.git'), join(main, 'moved'));
  symlinkSync('moved', join(main, '.git'));
  expect(gitOf(main)).toBeNull();
});

test.each(['.git', '.git/commondir'])('a pipe in the place of %s is not waited for', (name) => {
  const main = repository(join(testFolder(), 'main'));
  if (name === '.git') renameSync(join(main, '.git'), join(main, 'moved'));
  execFileSync('mkfifo', [join(main, name)]);
  expect(gitOf(main)?.entry ?? null).toBe(name === '.git' ? null : `${main}/.git`);
});
