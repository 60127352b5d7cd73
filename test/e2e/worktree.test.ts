/** `ralph run --worktree`: the loop works in a new git worktree, on its own branch, and leaves your work tree alone. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const SCM = { command: 'git', tasks: ['commit'], message: 'template' };
function treesOf(scene: Scene): string[] {
  const folder = join(scene.folder, 'work-worktrees');
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe('ralph run --worktree', () => {
  test('works and commits on a branch named after the task; the original work tree is left unchanged', async () => {
    const scene = makeScene({ play: `echo line >>work.txt; pwd; ${DONE}`, settings: { scm: SCM } });
    scene.write('work/work.txt', 'mine, and not committed\n');
    const { code, stdout, stderr } = await scene.run('--worktree');
    expect(code).toBe(0);
    const [tree = ''] = treesOf(scene);
    const short = scene.loops()[0]?.slice(-8, -4);
    expect(tree).toBe(`do-the-work-${short}`);
    const path = join(scene.folder, 'work-worktrees', tree);
    const branch = `ralph/${tree}`;
    expect(stdout).toContain(`${path}\n`);
    expect(scene.git('log', '--format=%s', branch).split('\n').slice(0, 2)).toEqual([
      'Do the work. (iteration 1)',
      'begin',
    ]);
    expect(scene.git('show', `${branch}:work.txt`)).toBe('begin\nline\n');
    expect(scene.read('work/work.txt')).toBe('mine, and not committed\n');
    expect(scene.git('rev-parse', '--abbrev-ref', 'HEAD').trim()).not.toBe(branch);
    const said = stderr.replaceAll(/\s+/g, ' ');
    expect(said).toContain(`The work is in ${path}, on the branch ${branch}.`);
    expect(stderr).toContain(`git merge ${branch}`);
    expect(stderr).toContain('git worktree remove ');
  });

  test('can be listed, shown and resumed from the directory it was started in, with the settings there', async () => {
    const scene = makeScene({ play: `[ $n -lt 2 ] || ${DONE}`, settings: { maximumIterations: 1 } });
    expect((await scene.run('--worktree')).code).toBe(1);
    expect((await scene.shell('ralph ls')).stdout).toContain('reached its limit');
    expect((await scene.shell('ralph status')).stdout).toContain('work-worktrees/do-the-work-');
    const resumed = await scene.shell('ralph resume -m 2');
    expect(resumed).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  });

  test('can run at the same time as a loop in the original work tree', async () => {
    const scene = makeScene({ play: `at_gate; ${DONE}` });
    const one = scene.ralph(['run', '-p', 'One.', '--worktree']);
    const other = scene.ralph(['run', '-p', 'Two.']);
    await expect.poll(() => scene.starts().filter((line) => line.startsWith('at gate')).length).toBe(2);
    scene.openGate();
    scene.openGate();
    expect([(await one.exited).code, (await other.exited).code]).toEqual([0, 0]);
  });

  test('works in the same folder of the repository that it was started in', async () => {
    const scene = makeScene({ play: `pwd; ${DONE}` });
    mkdirSync(join(scene.work, 'lib/.ralph'), { recursive: true });
    scene.write('work/lib/a.txt', 'a');
    scene.git('add', '.');
    scene.git('commit', '-qm', 'lib');
    scene.write('work/lib/.ralph/settings.json', scene.read('work/.ralph/settings.json'));
    const { code, stdout } = await scene.ralph(['run', '-p', 'x', '--branch', 'try/one'], join(scene.work, 'lib'))
      .exited;
    expect(code).toBe(0);
    expect(stdout).toContain(`${join(scene.folder, 'work-worktrees/try-one/lib')}\n`);
    expect(scene.git('branch', '--list', 'try/one')).toContain('try/one');
  });

  test('copies the ignored files that .worktreeinclude lists, and names those it leaves behind', async () => {
    const scene = makeScene({ play: `ls -a; ${DONE}` });
    scene.write('work/.gitignore', 'deps/\n.env\ncache/\n');
    scene.write('work/.worktreeinclude', 'deps/\n.env\n');
    scene.git('add', '.gitignore', '.worktreeinclude');
    scene.git('commit', '-qm', 'ignore');
    for (const path of ['deps/a/b', 'cache/c', '.env']) {
      mkdirSync(join(scene.work, path, '..'), { recursive: true });
      scene.write(join('work', path), path);
    }
    const { code, stdout, stderr } = await scene.run('--worktree');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['.env', 'deps']));
    expect(stdout.split('\n')).not.toContain('cache');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      '! ignored files are not in the worktree: cache/ name those you need in .worktreeinclude',
    );
    const [tree = ''] = treesOf(scene);
    expect(existsSync(join(scene.folder, 'work-worktrees', tree, 'deps/a/b'))).toBe(true);
  });

  test.each([
    ['a branch that is there', ['--branch', 'main'], 'the branch main already exists'],
    ['what is no name for a branch', ['--branch', 'a..b'], '"a..b" is not a valid branch name'],
  ])('refuses %s, and leaves nothing behind', async (_what, flags, message) => {
    const scene = makeScene({ play: DONE });
    scene.git('branch', '-M', 'main');
    const { code, stderr } = await scene.run('--worktree', ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}`);
    expect([treesOf(scene), scene.loops()]).toEqual([[], []]);
  });

  test('needs a repository with a commit', async () => {
    const scene = makeScene({ play: DONE });
    const outside = join(scene.folder, 'outside');
    mkdirSync(join(outside, '.ralph'), { recursive: true });
    scene.write('outside/.ralph/settings.json', scene.read('work/.ralph/settings.json'));
    const run = () => scene.ralph(['run', '-p', 'x', '--worktree'], outside).exited;
    const none = await run();
    expect(none.code).toBe(2);
    expect(none.stderr).toContain(`error: --worktree needs a git repository, and ${outside} is in none`);
    scene.git('init', '-q', outside);
    const empty = await run();
    expect(empty.code).toBe(2);
    expect(empty.stderr).toContain(`error: --worktree needs a commit to start from, and ${outside} has none`);
    expect(scene.loops()).toEqual([]);
  });

  test('removes its worktree and its branch again if the loop cannot start', async () => {
    const scene = makeScene({ play: DONE });
    rmSync(scene.state, { recursive: true, force: true });
    scene.write('state', 'a file where the state should be');
    const { code } = await scene.run('--worktree');
    expect(code).toBe(2);
    expect(treesOf(scene)).toEqual([]);
    expect(scene.git('branch', '--list', 'ralph/*')).toBe('');
    rmSync(scene.state);
  });
});
