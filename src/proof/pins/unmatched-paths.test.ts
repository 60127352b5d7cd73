import { expect, test } from 'vitest';
import { provingScene } from '../../../test/support/proof/proving.ts';
import { unmatchedPaths } from './unmatched-paths.ts';

const scene = () => provingScene({ 'test/a.test.js': '', 'golden/out.txt': '' });

test('paths that match no file are named, each with what comes of it', async () => {
  const trees = scene().trees();
  const { at } = await trees.take('refs/proof/1');
  const paths = { pins: ['golden', '*.golden'], allowEdit: ['test/*.test.js', 'tset'] };
  expect(await unmatchedPaths(trees, { at: [at], paths, within: '' })).toEqual([
    {
      level: 'warning',
      what: '--pin *.golden matches no file',
      fix: 'is it a typo? a file that is created there later is pinned',
    },
    { level: 'warning', what: '--allow-edit tset matches no file', fix: 'is it a typo? it frees nothing' },
  ]);
});

test('in a folder of the repository it is said where paths begin', async () => {
  const trees = scene().trees();
  const { at } = await trees.take('refs/proof/1');
  const paths = { pins: ['a.test.js'], allowEdit: [] };
  const [found] = await unmatchedPaths(trees, { at: [at], paths, within: 'test' });
  expect(found?.fix).toMatch(/; paths begin at the top of the repository$/);
});

test('a file of the start that is gone is matched, too', async () => {
  const here = scene();
  const trees = here.trees();
  const start = await trees.take('refs/proof/1');
  here.remove('test/a.test.js');
  const now = await trees.take('refs/proof/2');
  const paths = { pins: [], allowEdit: ['test/a.test.js'] };
  expect(await unmatchedPaths(trees, { at: [start.at, now.at], paths, within: '' })).toEqual([]);
  expect(await unmatchedPaths(trees, { at: [now.at], paths, within: '' })).toHaveLength(1);
});

test.each(['../elsewhere', ':(no such)x'])('%s is refused: git cannot read it', async (path) => {
  const trees = scene().trees();
  const { at } = await trees.take('refs/proof/1');
  const looking = unmatchedPaths(trees, { at: [at], paths: { pins: [path], allowEdit: [] }, within: '' });
  await expect(looking).rejects.toThrow(`--pin ${path}: git cannot read that path`);
});
