/**
 * `npm run release:plugin`: commits what an agent installs, and nothing else, to the branch `plugin-release`: the
 * marketplace file, the plugin with its built files, the license. The branch is made from the commit that is
 * checked out; it is not pushed.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root, SetupError } from './setup.mjs';

const BRANCH = 'refs/heads/plugin-release';
const PARTS = ['.claude-plugin', 'LICENSE', 'plugin'];

try {
  release();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.log(error.message);
  process.exitCode = 1;
}

function release() {
  const changed = git(['status', '--porcelain', '--', ...PARTS, 'src']);
  if (changed !== '') throw new SetupError(`commit these first, or undo them:\n${changed}`);
  try {
    execFileSync(process.execPath, [join(root, 'scripts/build-plugin.mjs'), '--check'], {
      cwd: root,
      stdio: 'inherit',
    });
  } catch {
    throw new SetupError('the built files that are committed are not what the sources give');
  }
  const tree = git(['mktree'], { input: `${git(['ls-tree', 'HEAD', '--', ...PARTS])}\n` });
  const before = revision(BRANCH);
  if (before !== null && revision(`${BRANCH}^{tree}`) === tree) {
    console.log('plugin: the branch holds this already');
    return;
  }
  const message = `The plugin, as of ${git(['log', '-1', '--format=%h %s'])}`;
  const parents = before === null ? [] : ['-p', before];
  const commit = git(['commit-tree', tree, ...parents, '-m', message]);
  git(['update-ref', BRANCH, commit, ...(before === null ? [] : [before])]);
  console.log(
    `plugin: ${commit.slice(0, 10)} on the branch "plugin-release"; to publish it: git push origin plugin-release`,
  );
}

function revision(name) {
  try {
    return git(['rev-parse', '--verify', '--quiet', name]);
  } catch {
    return null;
  }
}

function git(args, options = {}) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', ...options }).trimEnd();
}
