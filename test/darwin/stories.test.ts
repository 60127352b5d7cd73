/** `ralph stories` on the simulated Mac, without a sandbox, and in the fake of the system's sandbox. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLAY, storiesScene, withStories } from '../stories/scene.ts';
import { ON_DISK } from '../support/folder.ts';
import { makeScene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { makeMac } from './mac.ts';

const ONE = [story('US-001')];

test('resuming after kill -9 terminates the old agent first, and the story is completed and approved', async () => {
  const machine = makeMac();
  const play = '[ "$RALPH_KEY" = 2/work/1 ] && at_gate; honest approve';
  const scene = storiesScene(ONE, { play, machine, env: machine.env });
  const flags = ['run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), '--failure-backoff', '10ms'];
  const killed = scene.stories(...flags);
  await scene.logged('at gate 2/work/1');
  killed.signal('SIGKILL');
  await killed.exited;
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect(stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
  expect(code).toBe(0);
  expect(scene.story('US-001')).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 1 });
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1', 'at gate 2/work/1', 'agent 2/work/2']);
});

test('a second loop over the same stories is refused while the first runs', async () => {
  const machine = makeMac();
  const scene = storiesScene(ONE, { play: 'at_gate; honest approve', machine, env: machine.env });
  const first = scene.loop('--max-iterations', '1');
  await scene.logged('at gate 1/work/1');
  const refused = { code: 2, stderr: expect.stringContaining('error: a loop is already running in') };
  expect(await scene.loop()).toMatchObject(refused);
  scene.openGate();
  expect(await first).toMatchObject({ code: 1 });
});

test('by default, a loop runs in sandbox-exec, and can write to its work tree', async () => {
  const machine = makeMac();
  const made = makeScene({ place: ON_DISK, play: `${PLAY}honest approve`, machine, env: machine.env });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(made.folder, name)]);
  const agent = join(made.folder, 'bin/agent');
  const scene = withStories(made, ONE, ['--agent', agent, '--failure-backoff', '10ms', ...own]);
  const { code, stderr } = await scene.loop();
  expect(stderr).toContain("using the operating system's sandbox");
  expect(code).toBe(0);
  const profiles = machine.profiles();
  expect(profiles.length).toBeGreaterThanOrEqual(2);
  for (const profile of profiles) {
    expect(profile).toContain(`(subpath "${scene.work}")`);
    expect(profile.split('(')).toHaveLength(profile.split(')').length);
  }
});
