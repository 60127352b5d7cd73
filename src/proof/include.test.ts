import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { provingScene } from '../../test/support/proof/proving.ts';
import { keepIncluded, putIncluded } from './include.ts';

test('what is named is kept as it is, and put into a checkout without writing over its files', async () => {
  const scene = provingScene({
    '.gitignore': '.env*\nout/\n',
    '.worktreeinclude': '.env.test\n',
    tracked: 'tracked\n',
  });
  scene.write('.env.test', 'A=1\n');
  scene.write('.env.local', 'B=2\n');
  scene.write('out/deep/a', 'built\n');
  symlinkSync('/nowhere', join(scene.work, 'out/link'));
  const { work: root, env } = scene;
  const kept = join(scene.folder, 'kept');
  const keep = { root, kept, patterns: ['out/'], env, signal: scene.stop.signal };
  expect((await keepIncluded(keep)).sort()).toEqual(['.env.test', 'out/']);
  scene.write('.env.test', 'A=changed\n');

  const checkout = join(scene.folder, 'checkout');
  mkdirSync(checkout);
  putIncluded(kept, checkout);
  expect(readFileSync(join(checkout, '.env.test'), 'utf8')).toBe('A=1\n');
  expect(readFileSync(join(checkout, 'out/deep/a'), 'utf8')).toBe('built\n');
  expect(lstatSync(join(checkout, 'out/link')).isSymbolicLink()).toBe(true);
  expect(existsSync(join(checkout, '.env.local'))).toBe(false);

  scene.write('.worktreeinclude', '');
  expect(await keepIncluded({ ...keep, patterns: [] })).toEqual([]);
  expect(existsSync(join(kept, '.env.test'))).toBe(false);
});

test('nothing is kept where nothing is named', async () => {
  const { work: root, env, folder, stop } = provingScene({ a: 'a\n' });
  const kept = join(folder, 'kept');
  expect(await keepIncluded({ root, kept, patterns: [], env, signal: stop.signal })).toEqual([]);
  putIncluded(join(folder, 'no such folder'), root);
});
