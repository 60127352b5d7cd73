/** `ralph stories run --detach`: the command returns once the loop has begun; the loop continues in the background. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

test('a detached loop completes its stories', async () => {
  const scene = storiesScene([story('A')], { play: 'at_gate; honest approve' });
  const started = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), '--detach');
  const { code, stdout, stderr } = await started.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Loop \S+ runs in the background /);
  for (const iteration of [1, 2]) {
    await scene.logged(`at gate ${iteration}/work/1`);
    scene.openGate();
  }
  await scene.journalSays('"kind":"ended"');
  while (processesOf(scene.folder).length > 0) await sleep(10);
  expect(scene.journal().at(-1)).toMatchObject({ result: { kind: 'ended', ending: { kind: 'done' } } });
});

test('a loop that cannot begin says why, as without --detach', async () => {
  const scene = storiesScene([story('A')], { play: 'true' });
  const run = (...flags: string[]) => scene.stories('run', '--no-sandbox', '--agent', 'no-such-agent', ...flags).exited;
  expect(await run('--detach')).toEqual(await run());
});
