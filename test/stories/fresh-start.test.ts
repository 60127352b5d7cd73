/** What an earlier loop left in the project is not mistaken for the new loop's. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

test('every loop has its own logs; those of the loop before are kept beside them', async () => {
  const scene = storiesScene([story('A'), story('B')], { play: 'honest approve' });
  await scene.loop('-n', '1');
  const first = {
    log: scene.read('work/ralph/logs/iteration-001.log'),
    csv: scene.read('work/ralph/logs/summary.csv'),
  };
  const [id = ''] = scene.loops();
  const { stderr } = await scene.loop('-n', '2');
  expect(stderr).toContain(`[ralph] The logs of the last loop are in ralph/logs/${id}/`);
  const rows = scene.read('work/ralph/logs/summary.csv').trim().split('\n');
  expect(rows.map((row) => row.split(',').slice(0, 2).join(' '))).toEqual([
    'iteration mode',
    '1 review',
    '2 implement',
  ]);
  expect(scene.read('work/ralph/logs/iteration-001.log').match(/^===/gm)).toHaveLength(1);
  expect(scene.read(`work/ralph/logs/${id}/iteration-001.log`)).toBe(first.log);
  expect(scene.read(`work/ralph/logs/${id}/summary.csv`)).toBe(first.csv);
  const before = scene.loops();
  await scene.loop('-n', '1');
  const folders = readdirSync(join(scene.work, 'ralph/logs')).filter((name) => !name.includes('.'));
  expect(new Set(folders)).toEqual(new Set(before));
});

test('resume continues the logs that its loop has begun', async () => {
  const scene = storiesScene([story('A')], { play: '[ $n = 1 ] && at_gate; honest approve' });
  const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
  await scene.logged('at gate 1/work/1');
  loop.signal('SIGTERM');
  await loop.says('Received signal');
  scene.openGate();
  await loop.exited;
  await scene.stories('resume').exited;
  expect(scene.read('work/ralph/logs/summary.csv').trim().split('\n')).toHaveLength(3);
});

test('if the logs folder is a link, what it leads to is not moved', async () => {
  const scene = storiesScene([story('A')], { play: 'honest' });
  await scene.shell('mkdir "$SCENE/mine"; echo mine >"$SCENE/mine/summary.csv"; ln -s "$SCENE/mine" ralph/logs');
  const { stderr } = await scene.loop('-n', '1');
  expect(stderr).not.toContain('The logs of the last loop');
  expect(scene.read('mine/summary.csv')).toMatch(/^mine\n/);
});

test('blocked.txt is moved away when a loop starts', async () => {
  const scene = storiesScene([story('A')], {
    play: `[ -e "$SCENE/asked" ] && { honest approve; exit; }; touch "$SCENE/asked"; echo "<promise>BLOCKED:no key</promise>"`,
  });
  expect((await scene.loop()).code).toBe(5);
  const { code, stderr } = await scene.loop();
  const kept = /\[ralph\] ralph\/blocked\.txt of an earlier loop is kept in (\S+)/.exec(stderr)?.[1] ?? '';
  expect(code).toBe(0);
  expect(scene.has('ralph/blocked.txt')).toBe(false);
  expect(scene.read(kept.slice(scene.folder.length + 1))).toContain('no key');
});
