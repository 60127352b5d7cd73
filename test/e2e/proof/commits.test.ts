/** `ralph run --prove` in a loop that commits: it proves the commit, and pushes only afterwards. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  BACK,
  FIX,
  GREETER,
  inOneLine,
  type ProofScene,
  type ProofSceneOptions,
  proofScene,
} from '../../support/proof/proof-scene.ts';
import { DONE } from '../../support/scene.ts';

const COMMITS = { command: 'git', tasks: ['commit', 'push'] };
const EDIT = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';

/** A scene with a repository to push to. */
function committing({ settings, ...options }: ProofSceneOptions): ProofScene & { pushed(): string } {
  const scene = proofScene({ ...options, settings: { scm: COMMITS, ...settings } });
  const remote = join(scene.folder, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  scene.git('remote', 'add', 'origin', remote);
  scene.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return { ...scene, pushed: () => scene.git('log', '--format=%s', 'origin/main').trim() };
}

test('the commit is proved, then pushed, and the last lines name it', async () => {
  const scene = committing({ play: `${FIX}; ${DONE}` });
  const { code, stderr } = await scene.prove();
  const commit = scene.git('rev-parse', '--short=7', 'HEAD').trim();
  expect(code).toBe(0);
  expect(stderr).toContain(`  in a clean checkout of ${commit}:\n`);
  expect(stderr).toContain(`✓ proved at ${commit}\n`);
  expect(stderr).toContain(` · proved at ${commit}\n`);
  expect(stderr.indexOf('✓ proved at ')).toBeLessThan(stderr.indexOf('✓ pushed'));
  expect(scene.pushed()).toBe('Commit of iteration 1\nA project\nbegin');
});

test('a commit whose proof fails is not pushed; the next push contains both', async () => {
  const play = `if [ $n = 1 ]; then ${EDIT}; else git checkout -q HEAD~ -- test; ${FIX}; fi; ${DONE}`;
  const scene = committing({ play });
  const { code, stderr } = await scene.prove('-m', '2');
  const [first = '', second = ''] = stderr.split('── 2/2 ');
  expect(inOneLine(first)).toContain('✗ DONE rejected: node --test: test/greet.test.js was changed;');
  expect(first).toContain('✓ committed ');
  expect(first).not.toContain('✓ pushed');
  expect(second).toContain('✓ pushed');
  expect(code).toBe(0);
});

test('green work without a claim is pushed without a proof', async () => {
  const play = `if [ $n = 1 ]; then ${FIX}; else echo // >>greet.js; ${DONE}; fi`;
  const scene = committing({ play });
  expect((await scene.prove('-m', '2')).code).toBe(0);
  expect(scene.proofs()).toHaveLength(1);
  expect(scene.pushed().split('\n').slice(0, 2)).toEqual(['Commit of iteration 2', 'Commit of iteration 1']);
});

test('a required file that is not committed is named, also in the next prompt', async () => {
  const play = `echo "export default 'stranger';" >other.js
    echo "import other from './other.js'; export const greet = (name = other) => 'Hello, ' + name;" >greet.js
    [ $n = 1 ] || git add other.js; ${DONE}`;
  const scene = committing({ play });
  const { code, stderr } = await scene.prove('-m', '2');
  expect(inOneLine(stderr)).toMatch(
    /DONE rejected: node --test: exit 1, .* in a clean checkout of \w{7}; not in the commit: other\.js\./,
  );
  expect(scene.promptOf('2/work/1')).toContain(
    '; not in the commit: other.js.\nHint: If one of these files is needed, add it',
  );
  expect(code).toBe(0);
});

test('files that were never added do not count as changes by the agent', async () => {
  const scene = committing({ play: `[ $n = 1 ] || ${FIX}; ${DONE}`, check: 'test -f work.txt' });
  scene.write('work/conftest.py', '');
  scene.write('work/notes.txt', 'Of the user.\n');
  const { code, stderr } = await scene.prove('-m', '2');
  expect(inOneLine(stderr)).toContain('DONE rejected: nothing has changed since the loop began.');
  expect(code).toBe(0);
  expect(scene.proofs().map(({ pinned }) => pinned)).toEqual([null, null]);
});

test('a test that is removed from the repository, but not from the work tree, counts as missing', async () => {
  const scene = committing({
    files: { ...GREETER, Makefile: 'check:\n\t@for t in test/*.test.js; do [ ! -f $$t ] || node $$t; done\n' },
    check: 'make -s check',
    play: `if [ $n = 1 ]; then git rm -q --cached test/greet.test.js; ${FIX}; echo 'x' >>work.txt
      else git add test; ${FIX}; fi; ${DONE}`,
  });
  const { code } = await scene.prove('-m', '2');
  expect(code).toBe(0);
  expect(scene.proofs()[0]?.pinned?.changed).toEqual(['test/greet.test.js']);
});

test('a claim is proved even if the agent has committed the work itself', async () => {
  const scene = committing({ play: `${BACK}; ${FIX}; git commit -qam 'By the agent'; ${DONE}` });
  const { code, stderr } = await scene.prove('-m', '1');
  expect(stderr).toContain(`✓ proved at ${scene.git('rev-parse', '--short=7', 'HEAD').trim()}`);
  expect(code).toBe(0);
  expect(scene.pushed()).toContain('By the agent');
});

test('a commit in a separate worktree is proved', async () => {
  const scene = committing({ play: `${FIX}; ${DONE}`, settings: { scm: { command: 'git', tasks: ['commit'] } } });
  const { code, stderr } = await scene.prove('--worktree');
  expect(stderr).toMatch(/✓ proved at \w{7}\n/);
  expect(code).toBe(0);
});
