/** A loop whose iterations commit nothing says so, and ends because of it only if it was asked to. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

const IDLE = 'cp .ralph-active "$SCENE/marker-$n"; echo thinking';
const warnings = (stderr: string) =>
  [...stderr.matchAll(/WARNING: (\d+) iterations in a row without a commit/g)].map(([, n]) => n);

describe('iterations without a commit', () => {
  test('cause a warning from the third on, and are counted in the marker', async () => {
    const scene = storiesScene([story('A')], { play: IDLE });
    const { code, stderr } = await scene.loop('-n', '5');
    expect(warnings(stderr)).toEqual(['3', '4', '5']);
    expect(code).toBe(1);
    const counts = [1, 2, 5].map((n) => (JSON.parse(scene.read(`marker-${n}`)) as { stuckCount: number }).stuckCount);
    expect(counts).toEqual([0, 1, 4]);
  });

  test('end the loop with exit code 7 if --stuck-after says so; a commit resets the count', async () => {
    const scene = storiesScene([story('A')], { play: `[ $n = 2 ] && { honest; exit; }; ${IDLE}` });
    const { code, stderr } = await scene.loop('--stuck-after', '2', '-n', '9');
    expect(stderr).toContain('[ralph] ERROR: 2 iterations in a row without a commit (--stuck-after 2)');
    expect(code).toBe(7);
    expect(scene.starts()).toHaveLength(4);
    expect((await scene.stories('status').exited).stdout).toContain(
      'Loop: stuck after 4 iterations (2 iterations in a row without a commit',
    );
  });

  test('that complete the list do not count as stuck', async () => {
    const scene = storiesScene([story('A')], { play: `edit "honest('approve')"; echo ok` });
    expect((await scene.loop('--stuck-after', '2')).code).toBe(0);
  });

  test('are not reported outside of git', async () => {
    const scene = storiesScene([story('A')], { play: IDLE });
    rmSync(join(scene.work, '.git'), { recursive: true });
    const { code, stderr } = await scene.loop('-n', '4', '--stuck-after', '3');
    expect(warnings(stderr)).toEqual([]);
    expect(code).toBe(1);
  });

  test('--stuck-after 0 is refused', async () => {
    const scene = storiesScene([story('A')], { play: IDLE });
    expect((await scene.loop('--stuck-after', '0')).code).toBe(2);
  });
});
