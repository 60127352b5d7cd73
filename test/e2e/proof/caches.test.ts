/** Checks in a clean checkout can read the user's package caches, and do not change them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK, testFolder } from '../../support/folder.ts';
import { FIX, proofScene } from '../../support/proof/proof-scene.ts';
import { DONE } from '../../support/scene.ts';

/** Some containers have no overlays. Without them, checks use the caches directly, or empty ones in a sandbox. */
function hasOverlays(): boolean {
  const at = testFolder();
  for (const name of ['lower', 'upper', 'work']) mkdirSync(join(at, name));
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const options = `lowerdir=${at}/lower,upperdir=${at}/upper,workdir=${at}/work${user.length === 0 ? '' : ',userxattr'}`;
  const mount = ['--mount', 'mount', '-t', 'overlay', 'test', '-o', options, join(at, 'lower')];
  return spawnSync('unshare', [...user, ...mount]).status === 0;
}

/** Its check reads and changes the cache, but only in the clean checkout. */
function scene(cache: string) {
  const look = `grep -q before "${cache}/known" && rm -rf "${cache}/old" && mkdir "${cache}/old" && echo new >"${cache}/new"`;
  const check = `case $PWD in */proofs/*) ${look};; esac`;
  const made = proofScene({ play: `${FIX}; ${DONE}`, check, place: ON_DISK });
  for (const folder of ['.npm', '.npm/old']) mkdirSync(join(made.folder, folder));
  made.write('.npm/known', 'was downloaded before\n');
  made.write('.npm/old/file', '');
  return made;
}

test('without a sandbox, checks see the caches through an overlay, if the machine has overlays', async () => {
  const made = scene('$HOME/.npm');
  expect((await made.prove('--no-sandbox', '-m', '1')).code).toBe(0);
  expect(existsSync(join(made.folder, '.npm/new'))).toBe(!hasOverlays());
  expect(readdirSync(join(made.folder, '.npm/old'))).toEqual(hasOverlays() ? ['file'] : []);
  made.expectNoCheckouts();
});

test('in a sandbox, which sets its own cache folders, checks see the caches through an overlay, too', async () => {
  const made = scene('$npm_config_cache');
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(made.folder, name)]);
  expect((await made.prove('--sandbox=os', '-m', '1', ...own)).code).toBe(hasOverlays() ? 0 : 2);
  expect(existsSync(join(made.folder, '.npm/new'))).toBe(false);
  made.expectNoCheckouts();
});
