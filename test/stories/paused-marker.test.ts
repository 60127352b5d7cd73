/** In a pause a person works in the project: the Stop hook lets agents stop; the marker still names the loop's pid. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answered, hookSession } from '../support/session/plugin-hooks.ts';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

test('the marker of a paused loop locks the directory but checks no agent; the next iteration writes it again', async () => {
  const scene = storiesScene([story('A')], { play: 'at_gate; cp .ralph-active "$SCENE/marker-$n"; honest approve' });
  const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
  await scene.logged('at gate 1/work/1');
  await scene.stories('pause').exited;
  scene.openGate();
  await loop.says('Paused before');

  const marker = JSON.parse(readFileSync(join(scene.work, '.ralph-active'), 'utf8')) as Record<string, unknown>;
  expect(marker).toMatchObject({ pid: loop.pid, paused: true, max_iterations: 15, skipReview: false, reviewCap: 5 });
  for (const field of ['iterationMode', 'preIterationSnapshot', 'story', 'verifyCommands'])
    expect(marker).not.toHaveProperty(field);

  // In a pause, a person can change what no iteration may, and leave it uncommitted for now.
  const list = { ...scene.tasks(), verifyCommands: ['true'] };
  scene.write('work/ralph/tasks.json', JSON.stringify(list));
  const session = hookSession(scene.work);
  expect(answered(await session.call('stop', { hook_event_name: 'Stop' }))).toBeNull();
  const check = await scene.stories('check').exited;
  expect(check.stdout).not.toContain('verifyCommands may not be changed');
  expect(check.stderr).toContain('(the loop is paused, so transitions were not checked)');
  const second = await scene.shell(
    'XDG_STATE_HOME=$SCENE/other ralph stories run --no-sandbox --agent $SCENE/bin/agent',
  );
  expect(second.stderr).toContain(`(pid ${loop.pid})`);

  scene.git('add', '-A', 'ralph');
  scene.git('commit', '--quiet', '--message=mine');
  await scene.stories('resume').exited;
  await scene.logged('at gate 2/work/1');
  scene.openGate();
  expect((await loop.exited).code).toBe(0);
  const again = JSON.parse(scene.read('marker-2')) as Record<string, unknown>;
  expect(again).toMatchObject({ iterationMode: 'review', story: 'A', verifyCommands: ['true'] });
  expect(again).not.toHaveProperty('paused');
  expect(scene.has('.ralph-active')).toBe(false);
});
