/**
 * What a worker leaves behind ends with it, even a daemon that has forked twice, without an environment and in a
 * session of its own: only a cgroup can hold it.
 */
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cgroupsHere, processesOf } from '../support/programs/processes.ts';
import { ralphScene } from './ralph-scene.ts';
import { makeScene, type Scene, said, WORKER_LEVELS } from './scene.ts';

/** Continues once the daemon runs. The daemon's command line names its scene; the shell also logs its cgroup. */
const DAEMON = `
me="$HOME/daemon-$$"
(env -i setsid sh -c 'echo >"$0"; exec tail -f "$0"' "$me" >/dev/null 2>&1 &)
until [ -e "$me" ]; do sleep 0.01; done
grep '^0::' /proc/self/cgroup >>"$HOME/cgroups"
echo ready
`;

function daemons(scene: Scene): number[] {
  return processesOf(scene.folder)
    .filter(({ command }) => command.startsWith('tail -f'))
    .map(({ pid }) => pid);
}

/** The cgroups that workers lived in: how many there were, and which still exist. */
function cgroups(scene: Scene): { readonly all: number; readonly left: string[] } {
  const all = scene
    .read('cgroups')
    .trim()
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('/') + 1));
  return { all: new Set(all).size, left: cgroupsHere().filter((path) => all.includes(basename(path))) };
}

async function spawn(scene: Scene, name: string, mode: readonly string[], then: string): Promise<void> {
  const before = daemons(scene).length;
  await scene.swarm('spawn', '--name', name, ...mode, '--', 'sh', '-c', `${DAEMON}${then}`);
  await scene.until(() => daemons(scene).length > before);
}

describe.runIf(WORKER_LEVELS.includes('cgroup'))('a daemon that only a cgroup can hold', () => {
  test.each([[['--tmux']], [[]]])('is ended by kill and by clean (%j)', async (mode) => {
    const scene = makeScene('cgroup');
    await spawn(scene, 'runs', mode, 'exec sleep 61');
    await spawn(scene, 'ended', mode, 'exit 0');
    await scene.swarm('wait', 'ended');
    expect(daemons(scene)).toHaveLength(2);
    expect(await scene.swarm('kill', 'runs')).toEqual(said('killed runs\n'));
    expect(daemons(scene)).toHaveLength(1);
    expect(await scene.swarm('clean', 'ended')).toEqual(said('cleaned ended\n'));
    expect(daemons(scene)).toEqual([]);
    expect(cgroups(scene)).toEqual({ all: 2, left: [] });
  });

  test('is ended by respawn, and by a new worker of the same name', async () => {
    const scene = makeScene('cgroup');
    await spawn(scene, 'w', ['--tmux'], 'exec sleep 61');
    const [first] = daemons(scene);
    await scene.swarm('respawn', 'w');
    await scene.until(() => daemons(scene).some((pid) => pid !== first));
    expect(daemons(scene)).not.toContain(first);
    await scene.swarm('kill', 'w');
    await spawn(scene, 'w', ['--tmux'], 'exit 0');
    await scene.swarm('wait', 'w');
    await scene.swarm('spawn', '--name', 'w', '--', 'true');
    expect(daemons(scene)).toEqual([]);
    expect(cgroups(scene)).toEqual({ all: 3, left: [] });
  });

  test('does not outlive its iteration, whether that ends by itself or by inactivity', async () => {
    const scene = ralphScene(`${DAEMON}[ $n = 2 ] && gate never; exit 0`, 20, 'cgroup');
    const loop = scene.spawn(['--max-iterations', '3', '--inactivity-timeout', '10']);
    await loop.says('iteration 1 completed');
    await loop.says('starting iteration 2/3');
    expect(daemons(scene).length).toBeLessThanOrEqual(1);
    await loop.says('inactivity timeout (10s), restarting');
    expect((await loop.exited).code).toBe(0);
    expect(daemons(scene)).toEqual([]);
    expect(cgroups(scene)).toEqual({ all: 3, left: [] });
  });

  test('survives the kill of the supervisor, and ends with the agent that was adopted', async () => {
    const scene = ralphScene(`${DAEMON}gate go; exit 0`, 20, 'cgroup');
    const loop = scene.spawn(['--max-iterations', '1']);
    await scene.started(1);
    await scene.until(() => daemons(scene).length === 1);
    const before = daemons(scene);
    loop.signal('SIGKILL');
    await loop.exited;
    expect(daemons(scene)).toEqual(before);
    await scene.swarm('ralph', 'resume', 'agent');
    scene.open('go');
    await scene.until(() => scene.state().status === 'stopped');
    expect(daemons(scene)).toEqual([]);
    expect(cgroups(scene)).toEqual({ all: 1, left: [] });
  });

  test('escapes without a cgroup, but every other process is ended there, too', async () => {
    const scene = makeScene('group');
    await spawn(scene, 'w', ['--tmux'], 'setsid sleep 61 & sleep 62 & exec sleep 63');
    await scene.until(
      () => processesOf(scene.folder).filter(({ command }) => command.startsWith('sleep 6')).length === 3,
    );
    await scene.swarm('kill', 'w');
    expect(processesOf(scene.folder).filter(({ command }) => command.startsWith('sleep'))).toEqual([]);
    expect(daemons(scene)).toHaveLength(1);
    for (const pid of daemons(scene)) process.kill(pid, 'SIGKILL');
  });
});
