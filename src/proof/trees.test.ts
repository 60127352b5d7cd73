import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asked, proved, provingScene } from '../../test/support/proof/proving.ts';
import { proofTrees } from './trees.ts';

test('a work tree that is as it was committed is known by the commit', async () => {
  const scene = provingScene({ a: 'a\n', '.gitignore': 'out\n' });
  const trees = scene.trees();
  const head = await trees.head();
  scene.write('out', 'ignored\n');
  expect(await trees.take('refs/proof/1')).toMatchObject({ tree: head?.tree, commit: head?.commit });
  scene.write('b', 'b\n');
  expect(await trees.take('refs/proof/2')).toMatchObject({ commit: null });
});

describe('a file that is too large for a snapshot', () => {
  const LARGE = 'x'.repeat(11 * 1024 * 1024);

  test('is in the tree as long as it is as it was committed', async () => {
    const scene = provingScene({ a: 'a\n', 'data/ümlaut "1"': LARGE });
    const trees = scene.trees();
    const clean = await trees.take('refs/proof/1');
    expect(clean.commit).toBe(scene.git('rev-parse', 'HEAD').trim());
    expect(await trees.kept(clean.at)).toEqual(clean);
    scene.write('b', 'b\n');
    const { at } = await trees.take('refs/proof/2');
    expect(await trees.files(at)).toEqual(['a', 'b', 'data/ümlaut "1"']);
    scene.write('data/ümlaut "1"', `${LARGE}y`);
    expect(await trees.files((await trees.take('refs/proof/3')).at)).toEqual(['a', 'b']);
    scene.remove('data');
    expect(await trees.files((await trees.take('refs/proof/4')).at)).toEqual(['a', 'b']);
  });

  test('is there in every checkout, and no change where a loop commits', async () => {
    const check = asked('test -f test/data && test -f done');
    const scene = provingScene({ a: 'a\n', 'test/data': LARGE });
    const base = proved(await scene.base([asked('test -f test/data'), check]));
    expect(base.checks.map(({ outcome }) => outcome.is)).toEqual(['passed', 'failed']);
    scene.write('done');
    expect(await scene.claim(base, [check])).toMatchObject({ pinned: null, findings: [] });
    scene.commit('work');
    expect(await scene.claim(base, [check], { isCommitted: true })).toMatchObject({ pinned: null, findings: [] });
  });
});

test('what a clone lacks, and which file says so, in whichever folder it is', async () => {
  const scene = provingScene({ a: 'a\n', 'deep/.gitattributes': '# filter=lfs\n*.bin -text\n' });
  const trees = scene.trees();
  const why = async () => trees.whyLacking((await trees.head())?.at ?? '');
  expect(await why()).toBeNull();
  scene.write('deep/.gitattributes', '*.bin filter=lfs -text\n');
  scene.commit('a filter');
  expect(await why()).toBe('deep/.gitattributes names a filter, as Git LFS does');
  scene.git('init', '--quiet', 'sub');
  scene.git('-C', 'sub', 'commit', '--quiet', '--allow-empty', '--message=x');
  scene.commit('a submodule');
  expect(await why()).toBe('it has submodules');
});

test('a repository without a commit has none', async () => {
  const scene = provingScene({ a: 'a\n' });
  scene.git('update-ref', '-d', 'HEAD');
  expect(await scene.trees().head()).toBeNull();
});

test('the files that differ, also within pathspecs, and what is in them', async () => {
  const scene = provingScene({ a: 'a\n', 'deep/b.txt': 'b\n', 'deep/c.md': 'c\n', run: '#!/bin/sh\n' });
  const trees = scene.trees();
  const from = (await trees.take('refs/proof/1')).at;
  scene.remove('a');
  scene.write('deep/b.txt', 'changed\n');
  scene.write('deep/new [x].txt', 'new\n');
  symlinkSync('a', join(scene.work, 'link'));
  chmodSync(join(scene.work, 'run'), 0o755);
  const to = (await trees.take('refs/proof/2')).at;
  expect(await trees.changes(from, to)).toEqual([
    { path: 'a', how: 'deleted', isLink: false },
    { path: 'deep/b.txt', how: 'modified', isLink: false },
    { path: 'deep/new [x].txt', how: 'added', isLink: false },
    { path: 'link', how: 'added', isLink: true },
    { path: 'run', how: 'modified', isLink: false },
  ]);
  expect((await trees.changes(from, to, ['deep/*.txt'])).map(({ path }) => path)).toEqual([
    'deep/b.txt',
    'deep/new [x].txt',
  ]);
  expect(await trees.files(from)).toEqual(['a', 'deep/b.txt', 'deep/c.md', 'run']);
  expect(await trees.entry(to, 'deep/new [x].txt')).toEqual({ content: Buffer.from('new\n'), isExecutable: false });
  expect(await trees.entry(to, 'run')).toMatchObject({ isExecutable: true });
  expect([await trees.entry(to, 'link'), await trees.entry(to, 'a'), await trees.entry(to, 'deep')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('without a repository there are none', () => {
  const { folder, env, stop } = provingScene({ a: 'a\n' });
  const options = { loop: join(folder, 'other'), cwd: folder, env, except: folder, signal: stop.signal };
  expect(proofTrees(options)).toBeNull();
});
