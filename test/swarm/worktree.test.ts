/** Workers with their own git worktree: created, reused, kept while it has work in it, removed on request. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScene, refusal, type Scene, said } from './scene.ts';

const DIRTY = 'worktree has 2 uncommitted change(s)';

async function withWorktree(...flags: string[]): Promise<Scene & { readonly tree: string }> {
  const scene = makeScene();
  const script = 'pwd; exec sleep 60';
  await scene.swarm('spawn', '--name', 'w', '--worktree', ...flags, '--', 'sh', '-c', script);
  return { ...scene, tree: join(scene.folder, 'work-worktrees/w') };
}

function makeDirty(tree: string): void {
  writeFileSync(join(tree, 'file'), 'changed\n');
  writeFileSync(join(tree, 'new'), 'new\n');
}

test('it is beside the repository, on a branch with the worker’s name, and the worker works in it', async () => {
  const scene = await withWorktree();
  const [worker] = JSON.parse(scene.read('home/state.json')).workers;
  expect(worker).toMatchObject({
    cwd: scene.tree,
    worktree: { path: scene.tree, branch: 'w', base_repo: scene.work },
  });
  await scene.until(() => scene.read('home/logs/w.stdout.log') === `${scene.tree}\n`);
  expect(scene.git('-C', scene.tree, 'branch', '--show-current')).toBe('w\n');
  expect((await scene.swarm('status', 'w')).stdout).toContain(`, worktree ${scene.tree}, uptime `);
  expect((await scene.swarm('ls')).stdout).toContain(scene.tree);
});

test('branch and folder can be chosen; an existing branch is used', async () => {
  const scene = makeScene();
  scene.git('branch', 'feature');
  const place = join(scene.folder, 'trees');
  const flags = ['--worktree', '--branch', 'feature', '--worktree-dir', place, '--cwd', '/ignored'];
  await scene.swarm('spawn', '--name', 'w', '--tmux', ...flags, '--', 'cat');
  expect(JSON.parse(scene.read('home/state.json')).workers[0].worktree).toEqual({
    path: join(place, 'w'),
    branch: 'feature',
    base_repo: scene.work,
  });
  expect(scene.git('-C', join(place, 'w'), 'branch', '--show-current')).toBe('feature\n');
});

test('outside of a repository, --worktree is refused', async () => {
  const scene = makeScene();
  expect(await scene.swarmIn({ cwd: scene.folder }, 'spawn', '--name', 'w', '--worktree', '--', 'true')).toEqual(
    refusal('not in a git repository (required for --worktree)'),
  );
});

test('a refusal by git is reported, and nothing is left', async () => {
  const scene = makeScene();
  const spawned = await scene.swarm('spawn', '--name', 'w', '--worktree', '--branch', 'main', '--', 'true');
  expect(spawned.code).toBe(1);
  expect(spawned.stderr).toMatch(/^swarm: error: failed to create worktree: fatal: 'main' is already [^\n]+\n$/);
  expect(existsSync(join(scene.folder, 'work-worktrees/w'))).toBe(false);
  expect(await scene.swarm('ls')).toEqual(said(''));
});

test('core.bare that was set by mistake is repaired, with a warning', async () => {
  const scene = makeScene();
  scene.git('config', 'core.bare', 'true');
  const { code, stderr } = await scene.swarm('spawn', '--name', 'w', '--worktree', '--', 'sleep', '60');
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'swarm: warning: Fixed core.bare=true in git config\n' });
});

test('if the start fails, the worktree and its branch are removed, unless they existed before', async () => {
  const scene = makeScene();
  const failed = await scene.swarm('spawn', '--name', 'w', '--worktree', '--', '/not/there');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(
    /^swarm: warning: spawn failed, cleaning up partial state\nswarm: error: failed to spawn process: .+\n$/,
  );
  expect(existsSync(join(scene.folder, 'work-worktrees/w'))).toBe(false);
  expect(scene.git('branch', '--format', '%(refname:short)')).toBe('main\n');
  await scene.swarm('spawn', '--name', 'w', '--worktree', '--', 'true');
  await scene.swarm('wait', 'w');
  const tree = join(scene.folder, 'work-worktrees/w');
  makeDirty(tree);
  expect((await scene.swarm('spawn', '--name', 'w', '--worktree', '--', '/not/there')).code).toBe(1);
  expect(existsSync(join(tree, 'new'))).toBe(true);
});

test('a missing tmux undoes the worktree', async () => {
  const scene = makeScene();
  const bin = join(scene.folder, 'bin');
  const env = { PATH: `${bin}:/nowhere` };
  execFileSync('sh', [
    '-c',
    'mkdir "$0" && ln -s "$(command -v git)" "$0/git" && ln -s "$(command -v sh)" "$0/sh"',
    bin,
  ]);
  const failed = await scene.swarmIn({ env }, 'spawn', '--name', 'w', '--tmux', '--worktree', '--', 'true');
  expect(failed).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'swarm: warning: spawn failed, cleaning up partial state\nswarm: error: failed to create tmux window: tmux is not installed\n',
  });
  expect(existsSync(join(scene.folder, 'work-worktrees/w'))).toBe(false);
});

test('kill keeps it; --rm-worktree removes it if it is clean', async () => {
  const scene = await withWorktree();
  await scene.swarm('kill', 'w');
  expect(existsSync(scene.tree)).toBe(true);
  await scene.swarm('respawn', 'w');
  expect(await scene.swarm('kill', 'w', '--rm-worktree')).toEqual(said('killed w\n'));
  expect(existsSync(scene.tree)).toBe(false);
});

test('kill --rm-worktree keeps one with work in it, unless forced', async () => {
  const scene = await withWorktree();
  makeDirty(scene.tree);
  expect(await scene.swarm('kill', 'w', '--rm-worktree')).toEqual({
    code: 0,
    stdout: 'killed w\n',
    stderr: `swarm: warning: cannot remove worktree for 'w': ${DIRTY}\nswarm: use --force-dirty to remove anyway\n`,
  });
  expect(existsSync(join(scene.tree, 'new'))).toBe(true);
  expect(await scene.swarm('kill', 'w', '--rm-worktree', '--force-dirty')).toEqual(said('killed w\n'));
  expect(existsSync(scene.tree)).toBe(false);
});

test('clean removes a clean one, keeps one with work in it, and with --no-rm-worktree any', async () => {
  const scene = await withWorktree();
  makeDirty(scene.tree);
  await scene.swarm('kill', 'w');
  expect(await scene.swarm('clean', 'w')).toEqual({
    code: 0,
    stdout: 'cleaned w\n',
    stderr: `swarm: warning: preserving worktree for 'w': ${DIRTY}\nswarm: worktree at: ${scene.tree}\nswarm: use --force-dirty to remove anyway\n`,
  });
  expect(existsSync(join(scene.tree, 'new'))).toBe(true);
  for (const [flags, stays] of [
    [['--no-rm-worktree'], true],
    [['--force-dirty'], false],
    [[], false],
  ] as const) {
    await scene.swarm('spawn', '--name', 'w', '--worktree', '--', 'true');
    await scene.swarm('wait', 'w');
    expect(await scene.swarm('clean', 'w', ...flags)).toEqual(said('cleaned w\n'));
    expect(existsSync(scene.tree)).toBe(stays);
  }
});

test('commits that no branch contains are work, too', async () => {
  const scene = await withWorktree();
  scene.git('-C', scene.tree, 'checkout', '--quiet', '--detach');
  scene.git('-C', scene.tree, 'commit', '--quiet', '--allow-empty', '--message=lonely');
  const { stderr } = await scene.swarm('kill', 'w', '--rm-worktree');
  expect(stderr).toContain("cannot remove worktree for 'w': worktree has commits that no branch holds\n");
  expect(existsSync(scene.tree)).toBe(true);
});

test('respawn uses it, creates a missing one again, and with --clean-first a fresh one', async () => {
  const scene = await withWorktree('--tmux');
  makeDirty(scene.tree);
  expect(await scene.swarm('respawn', 'w')).toEqual(said('respawned w (tmux: swarm:w)\n'));
  expect(existsSync(join(scene.tree, 'new'))).toBe(true);
  expect(await scene.swarm('respawn', 'w', '--clean-first')).toEqual(
    refusal(
      `cannot remove worktree: ${DIRTY}\nswarm: worktree at: ${scene.tree}\nswarm: use --force-dirty to remove anyway, or commit changes first`,
    ),
  );
  expect(existsSync(join(scene.tree, 'new'))).toBe(true);
  expect(await scene.swarm('respawn', 'w', '--clean-first', '--force-dirty')).toEqual(
    said('respawned w (tmux: swarm:w)\n'),
  );
  expect(existsSync(join(scene.tree, 'new'))).toBe(false);
  await scene.swarm('kill', 'w');
  rmSync(scene.tree, { recursive: true });
  expect(await scene.swarm('respawn', 'w')).toEqual(said('respawned w (tmux: swarm:w)\n'));
  await scene.printed('w', scene.tree);
});

test('Ctrl-C while git is at work undoes what was created', async () => {
  const scene = makeScene();
  const ready = join(scene.folder, 'ready');
  writeFileSync(join(scene.work, '.git/hooks/post-checkout'), `#!/bin/sh\necho >'${ready}'; exec sleep 60\n`, {
    mode: 0o755,
  });
  const spawning = scene.start(['spawn', '--name', 'w', '--tmux', '--worktree', '--', 'cat']);
  await scene.until(() => existsSync(ready));
  spawning.signalGroup('SIGINT');
  const { code, stderr } = await spawning.exited;
  expect(code).toBe(1);
  expect(stderr).toContain('swarm: error: failed to create worktree: ');
  expect(existsSync(join(scene.folder, 'work-worktrees/w'))).toBe(false);
  expect(scene.git('branch', '--format', '%(refname:short)')).toBe('main\n');
  expect(await scene.swarm('ls')).toEqual(said(''));
});
