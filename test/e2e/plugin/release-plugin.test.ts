/** `npm run release:plugin` in a clone: the branch has what an agent installs, and grows only when that changes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/scene.ts';

test('the branch is created, stays the same without changes, and refuses uncommitted changes', () => {
  const clone = join(testFolder(), 'clone');
  execFileSync('git', ['clone', '-q', ROOT, clone]);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  // Use the installed packages and the build of this tree, whatever is committed, so that nothing is installed again.
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(clone, file));
  cpSync(join(ROOT, 'dist'), join(clone, 'dist'), { recursive: true });
  const env = { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' };
  Object.assign(env, { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
  const release = () =>
    spawnSync(process.execPath, ['scripts/release-plugin.mjs'], { cwd: clone, encoding: 'utf8', env });

  expect(release()).toMatchObject({ status: 0, stdout: expect.stringContaining('on the branch "plugin-release"') });
  expect(git('ls-tree', '--name-only', 'plugin-release').split('\n')).toEqual(['.claude-plugin', 'LICENSE', 'plugin']);
  expect(git('diff', '--stat', 'HEAD:plugin', 'plugin-release:plugin')).toBe('');
  expect(git('show', 'plugin-release:.claude-plugin/marketplace.json')).toContain('"source": "./plugin"');

  expect(release()).toMatchObject({ status: 0, stdout: expect.stringContaining('holds this already') });
  expect(git('rev-list', '--count', 'plugin-release')).toBe('1');

  appendFileSync(join(clone, 'plugin/README.md'), 'more\n');
  expect(release()).toMatchObject({ status: 1, stdout: expect.stringContaining('commit these first') });
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'more');
  expect(release()).toMatchObject({ status: 0 });
  expect(git('rev-list', '--count', 'plugin-release')).toBe('2');
});
