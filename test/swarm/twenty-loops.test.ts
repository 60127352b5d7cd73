/** Twenty loops at once, all supervisors killed in mid-run, each resumed: every agent ran once, none is left. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ralphScene } from './ralph-scene.ts';
import { resumed } from './scene.ts';

const WORKERS = Array.from({ length: 20 }, (_, index) => `w${index + 1}`);
const ITERATIONS = 3;

/** Every worker has its own log; the second agent waits until the supervisors are dead. */
const PLAY = `
me=$(basename "$RALPH_WORKER_LOG")
echo start >>"$RALPH_WORKER_LOG"; n=$(grep -c start "$RALPH_WORKER_LOG")
[ $n = 2 ] && gate killed
echo end >>"$RALPH_WORKER_LOG"
`;

test('twenty loops survive the death of all their supervisors', async () => {
  const scene = ralphScene(PLAY, 2000);
  const log = (name: string): string[] => {
    const path = join(scene.folder, `${name}.log`);
    return readdirSync(scene.folder).includes(`${name}.log`)
      ? readFileSync(path, 'utf8').split('\n').filter(Boolean)
      : [];
  };
  const loops = WORKERS.map((name) => {
    const env = ['--prompt-via', 'stdin', '--env', `RALPH_WORKER_LOG=${join(scene.folder, `${name}.log`)}`];
    return scene.spawn(['--max-iterations', String(ITERATIONS), ...env], name);
  });
  await scene.until(() => WORKERS.every((name) => log(name).filter((line) => line === 'start').length === 2));
  for (const loop of loops) loop.signal('SIGKILL');
  await Promise.all(loops.map((loop) => loop.exited));
  const answers = await Promise.all(WORKERS.map((name) => scene.swarm('ralph', 'resume', name)));
  expect(answers).toEqual(WORKERS.map((name) => resumed(name)));
  scene.open('killed');
  await scene.until(() => WORKERS.every((name) => scene.state(name).status === 'stopped'));
  for (const name of WORKERS) {
    expect([name, log(name)]).toEqual([name, ['start', 'end', 'start', 'end', 'start', 'end']]);
    expect(scene.state(name)).toMatchObject({ current_iteration: ITERATIONS, total_failures: 0 });
  }
  // The scene itself fails if anything is left running.
  expect((await scene.swarm('ralph', 'list', '--status', 'running')).stdout).toBe('');
}, 180_000);
