/** A loop whose agents run in tmux panes reaches its end; an agent whose supervisor died is adopted. */
import { readFileSync, watch } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { judge } from '../crash/oracle.ts';
import { deathOf, journals, makeScene, type Scene } from '../crash/scene.ts';
import { levelsOfThisMachine } from '../support/levels.ts';
import { makeScene as makePlay } from '../support/scene.ts';

const RUN = ['run', '--runner', 'tmux', '-p', 'Do the next step.', '-m', '20'];

let scene: Scene | null = null;
afterEach(() => {
  scene?.remove();
  scene = null;
});

test.each(levelsOfThisMachine())('agents in panes complete the loop (containment "%s")', async (level) => {
  scene = makeScene(level);
  const death = await deathOf(scene.ralph(RUN));
  expect(death).toMatchObject({ killed: false, code: 0 });
  judge(scene);
  expect(journals(scene)[0]).toContain('"runner":"tmux"');
});

test('an agent whose supervisor was killed is adopted, not started again', async () => {
  scene = makeScene('group');
  const supervisor = scene.ralph(RUN);
  const died = deathOf(supervisor);
  await oracleSays(scene, 'agent 2/work/1 1');
  supervisor.kill('SIGKILL');
  expect(await died).toEqual({ killed: true });
  expect(await deathOf(scene.ralph(['resume']))).toMatchObject({ killed: false, code: 0 });
  judge(scene);
  const starts = readFileSync(scene.oracle, 'utf8');
  expect(starts).toContain('agent 2/work/1 1');
  expect(starts).not.toContain('agent 2/work/2');
});

test('a process that an agent leaves in its pane is asked to end, and has time to clean up', async () => {
  const child = `(trap 'sleep 0.3; echo saved >"$SCENE/saved"; exit' TERM HUP; echo up >>"$SCENE/starts.log"; while :; do sleep 0.05; done)`;
  const until = 'until grep -q up "$SCENE/starts.log"; do sleep 0.01; done';
  const { run, read } = makePlay({
    play: `setsid sh -c ${JSON.stringify(child)} & ${until}; echo "<response>DONE</response>"`,
  });
  expect(await run('--runner', 'tmux')).toMatchObject({ code: 0 });
  expect(read('saved')).toBe('saved\n');
});

async function oracleSays(scene: Scene, line: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!readFileSync(scene.oracle, 'utf8').includes(line)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(scene.oracle, look);
    look();
  });
}
