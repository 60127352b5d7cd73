/** What a sandboxed worker plants for the next git that swarm runs outside. Everything is real, nothing is faked. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Scene, sceneOnDisk } from './scene.ts';

function spawn(scene: Scene, play: string, ...flags: string[]) {
  const script = join(scene.folder, 'play.sh');
  writeFileSync(script, play);
  return scene.swarm('spawn', '--name', 'agent', '--sandbox=os', ...flags, '--', 'sh', script);
}

/** Creates a repository within the given one, with a hook that runs when a worktree is created. */
const evilIn = (common: string, outside: string): string => `
  mkdir -p ${common}/evil/hooks; cp -r ${common}/config ${common}/refs ${common}/objects ${common}/HEAD ${common}/evil
  printf '#!/bin/sh\\ntouch ${outside}\\n' >${common}/evil/hooks/post-checkout; chmod +x ${common}/evil/hooks/post-checkout
  echo evil >${common}/commondir`;

describe('the repository of a worktree', () => {
  test.each([
    ['while it runs', 'touch planted; sleep 1000'],
    ['when it has ended', 'touch planted'],
  ])('cannot be redirected by a worker in it: what it plants runs nothing %s', async (_, then) => {
    const scene = sceneOnDisk();
    const outside = join(scene.folder, 'outside');
    await spawn(scene, `${evilIn(`${scene.work}/.git`, outside)}; ${then}`, '--worktree');
    await scene.until(() => existsSync(join(scene.folder, 'work-worktrees/agent/planted')));
    if (then === 'touch planted') await scene.swarm('wait', 'agent');
    await scene.until(() => !existsSync(join(scene.work, '.git/commondir')));
    const next = await scene.swarm('spawn', '--name', 'next', '--worktree', '--', 'true');
    expect(next.code).toBe(0);
    expect(existsSync(outside)).toBe(false);
    const { stdout } = await scene.swarm('ls', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'agent', refusals: 1 }, { name: 'next' }]);
  });

  test('is not touched by git if it was redirected nevertheless', async () => {
    const scene = sceneOnDisk();
    const outside = join(scene.folder, 'outside');
    await scene.swarm('spawn', '--name', 'early', '--worktree', '--', 'true');
    await scene.swarm('wait', 'early');
    const play = join(scene.folder, 'evil.sh');
    writeFileSync(play, evilIn(`${scene.work}/.git`, outside));
    execFileSync('sh', [play]);
    for (const dry of [[], ['--dry-run']]) {
      const { code, stderr } = await scene.swarm('spawn', '--name', 'next', '--worktree', ...dry, '--', 'true');
      expect(stderr).toContain(
        `swarm: error: git would use another repository, because of ${scene.work}/.git/commondir`,
      );
      expect(code).toBe(1);
    }
    const { stderr } = await scene.swarm('kill', 'early', '--rm-worktree');
    expect(stderr).toContain("cannot remove worktree for 'early': git would use another repository");
    expect(existsSync(join(scene.folder, 'work-worktrees/early'))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  });

  test('can have hooks in the work tree, where a worker can change them: they are not run', async () => {
    const scene = sceneOnDisk();
    mkdirSync(join(scene.work, '.husky'));
    scene.git('config', 'core.hooksPath', '.husky');
    const hook = join(scene.work, '.husky/post-checkout');
    await spawn(scene, `printf '#!/bin/sh\\ntouch ${scene.folder}/outside\\n' >${hook}; chmod +x ${hook}`);
    await scene.swarm('wait', 'agent');
    expect(existsSync(hook)).toBe(true);
    const next = await scene.swarm('spawn', '--name', 'next', '--worktree', '--', 'true');
    expect(next.code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('has its hooks run as usual where no sandbox was used', async () => {
    const scene = sceneOnDisk();
    const hook = join(scene.work, '.git/hooks/post-checkout');
    mkdirSync(join(scene.work, '.git/hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${scene.folder}/ran\n`);
    chmodSync(hook, 0o755);
    await scene.swarm('spawn', '--name', 'next', '--worktree', '--', 'true');
    expect(existsSync(join(scene.folder, 'ran'))).toBe(true);
  });
});

test('a worker that is killed leaves nothing that it has planted', async () => {
  const scene = sceneOnDisk();
  const play = `trap '' TERM HUP; mkdir .claude; sleep 0.2; echo '{}' >.claude/settings.json; touch planted
    while :; do sleep 1; done`;
  await spawn(scene, play, '--tmux');
  await scene.until(() => existsSync(join(scene.work, 'planted')));
  await scene.swarm('kill', 'agent');
  expect(existsSync(join(scene.work, '.claude/settings.json'))).toBe(false);
});

describe('--sandbox=auto without any sandbox', () => {
  test('says so, with the reasons', async () => {
    const scene = sceneOnDisk();
    const bin = join(scene.folder, 'bin');
    mkdirSync(bin);
    for (const program of ['bwrap', 'docker']) {
      writeFileSync(join(bin, program), '#!/bin/sh\necho "No permissions" >&2; exit 1\n', { mode: 0o755 });
    }
    const env = { ...scene.env, PATH: `${bin}:${scene.env.PATH}` };
    const { code, stdout, stderr } = await scene.swarmIn(
      { env },
      'spawn',
      '--name',
      'a',
      '--sandbox=auto',
      '--',
      'true',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Isolation: none, the agent can do whatever you can\nspawned a /);
    expect(stderr).toMatch(/^swarm: warning: no sandbox: its machine has to be stopped.*; .*No permissions.*$/m);
  });
});
