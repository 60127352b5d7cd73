import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Repository, testRepository } from '../../../../test/support/git/repository.ts';
import { codeSeenIn, workTree } from './work-tree.ts';

/** A repository with code and the folder with the list. */
function project() {
  const here = testRepository();
  mkdirSync(join(here.cwd, 'ralph'));
  mkdirSync(join(here.cwd, 'src/deep'), { recursive: true });
  here.write('ralph/tasks.json', '{}');
  here.write('src/code', 'one\n');
  here.write('src/deep/code', 'one\n');
  here.git('add', '.');
  here.git('commit', '-m', 'code');
  const tree = workTree(here.cwd, here.host, '');
  const print = (mode: 'review' | 'review-fix' = 'review') => codeSeenIn(mode, tree, 'ralph');
  return { ...here, print };
}

/** Ways in which an agent could hide its next change from git. */
const DISGUISES: Readonly<Record<string, (here: Repository) => void>> = {
  nothing: () => undefined,
  'update-index --assume-unchanged': ({ git }) => void git('update-index', '--assume-unchanged', 'src/code'),
  'update-index --skip-worktree': ({ git }) => void git('update-index', '--skip-worktree', 'src/code'),
  'an index that git cannot read': ({ write }) => write('.git/index', 'broken'),
  'a sparse checkout': ({ git, write }) => {
    git('config', 'core.sparseCheckout', 'true');
    mkdirSync(join(git('rev-parse', '--absolute-git-dir').trim(), 'info'), { recursive: true });
    write('.git/info/sparse-checkout', '/work\n');
  },
  'a filter': ({ git, write }) => {
    git('config', 'filter.hide.clean', 'echo one');
    git('config', 'filter.hide.required', 'true');
    write('.git/info/attributes', 'code filter=hide\n');
  },
  'an exclusion': ({ write }) => write('.git/info/exclude', 'src\n'),
  'a repository around it': ({ git }) => void git('init', 'src'),
  'a repository around it that alone knows it': ({ git }) => {
    git('init', 'src');
    git('-C', 'src', 'add', '.');
    git('-C', 'src', 'commit', '-m', 'inner');
    git('rm', '-r', '--cached', '--quiet', 'src');
    git('commit', '-m', 'outer');
  },
  'a repository in a repository around it': ({ git }) => {
    git('init', 'src/deep');
    git('init', 'src');
    git('-C', 'src', 'commit', '--allow-empty', '-m', 'inner');
  },
};

describe('an edit is seen, whatever hides it from git:', () => {
  test.each(Object.keys(DISGUISES))('%s', async (name) => {
    const { print, write, git, ...rest } = project();
    DISGUISES[name]?.({ write, git, ...rest });
    const before = await print();
    expect(before).toMatch(/^[0-9a-f]{40}$/);
    expect(await print()).toBe(before);
    write('src/code', 'two\n');
    const after = await print();
    expect(after).not.toBe(before);
    write('src/deep/code', 'two\n');
    expect(await print()).not.toBe(after);
    write('src/code', 'one\n');
    write('src/deep/code', 'one\n');
    expect(await print()).toBe(before);
  });
});

test('a commit alone changes nothing, here or in a repository inside', async () => {
  const { print, git, write } = project();
  git('init', 'src');
  write('src/code', 'two\n');
  write('work', 'more\n');
  const before = await print();
  git('-C', 'src', 'add', '.');
  git('-C', 'src', 'commit', '-m', 'inner');
  git('commit', '-m', 'outer', 'work');
  expect(await print()).toBe(before);
});

test('a new file, a removed one and another mode are seen', async () => {
  const { print, write, cwd } = project();
  const seen = [await print()];
  write('src/new', 'x');
  seen.push(await print());
  rmSync(join(cwd, 'src/code'));
  seen.push(await print());
  chmodSync(join(cwd, 'work'), 0o755);
  seen.push(await print());
  expect(new Set(seen).size).toBe(4);
});

test('the list and ignored files are no code; rules that hold beyond the loop are code only for a fix', async () => {
  const { print, write, git } = project();
  write('.gitignore', 'built/\n');
  git('add', '.');
  git('commit', '-m', 'ignore');
  const [review, fix] = [await print(), await print('review-fix')];
  write('ralph/tasks.json', '{"a": 1}');
  write('.ralph-active', '{}');
  git('init', 'built/cache');
  write('built/cache/x', 'x');
  expect(await print()).toBe(review);
  expect(await print('review-fix')).toBe(fix);
  write('CLAUDE.md', 'bun');
  expect(await print()).toBe(review);
  expect(await print('review-fix')).not.toBe(fix);
});

test('for a project in a folder of its repository, only that folder counts', async () => {
  const { git, write, cwd, host } = project();
  const tree = workTree(join(cwd, 'src'), host, '');
  const print = () => codeSeenIn('review', tree, 'ralph');
  const before = await print();
  expect(before).not.toBeNull();
  write('work', 'elsewhere\n');
  git('commit', '-a', '-m', 'elsewhere');
  expect(await print()).toBe(before);
  write('src/code', 'two\n');
  expect(await print()).not.toBe(before);
});

test('outside of a repository, and in one that git refuses, there is no result', async () => {
  const { print, cwd } = project();
  rmSync(join(cwd, '.git/HEAD'));
  expect(await print()).toBeNull();
});

test('the repository is left unchanged', async () => {
  const { print, git, write } = project();
  write('src/code', 'two\n');
  write('src/new', 'x');
  const status = () => git('status', '--porcelain') + git('count-objects', '-v');
  const before = status();
  await print();
  expect(status()).toBe(before);
});
