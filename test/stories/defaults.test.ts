/** A loop that is started without options: what it says, what it writes down, and how it starts its agents. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

/** Prints what Claude Code would, and keeps what each iteration found. */
const KEEPS = `env >"$SCENE/env-$n"; printf '%s\\n' "$@" >"$SCENE/args-$n"; cp .ralph-active "$SCENE/marker-$n"
honest approve >/dev/null; claude_says ok; claude_result ok`;

describe('by default', () => {
  test('there are 15 iterations and 5 reviews, the budget is reported, and author and reviewer have the plugin', async () => {
    const scene = storiesScene([story('A'), story('B')], { play: KEEPS, agent: 'claude' });
    const began = Date.now();
    const loop = scene.stories('run', '--no-sandbox');
    const { code, stderr } = await loop.exited;
    expect(code).toBe(0);
    expect(stderr).toContain('[ralph] Estimated budget: 2 stories × ~3 iterations each = ~6 iterations needed\n');
    expect(stderr).toContain('=== Iteration 1/15 — implement — A');
    const modes = ['implement', 'review', 'implement', 'review'];
    for (const [index, iterationMode] of modes.entries()) {
      const n = index + 1;
      const marker = JSON.parse(scene.read(`marker-${n}`)) as Record<string, unknown>;
      expect(marker).toMatchObject({
        pid: loop.pid,
        max_iterations: 15,
        mode: 'direct',
        skipReview: false,
        reviewCap: 5,
        iterationMode,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      expect(Date.parse(String(marker.timestamp))).toBeGreaterThanOrEqual(Math.floor(began / 1000) * 1000);
      const args = scene.read(`args-${n}`).split('\n');
      expect(args[args.indexOf('--plugin-dir') + 1], `in ${iterationMode}`).toBe(join(ROOT, 'plugin'));
      expect(scene.read(`env-${n}`)).toContain('\nCLAUDE_CODE_STOP_HOOK_BLOCK_CAP=30\n');
    }
  });

  test('the user’s own limit of Stop hook blocks is kept', async () => {
    const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '4' };
    const scene = storiesScene([story('A')], { play: KEEPS, agent: 'claude', env });
    await scene.stories('run', '--no-sandbox', '-n', '1').exited;
    expect(scene.read('env-1')).toContain('\nCLAUDE_CODE_STOP_HOOK_BLOCK_CAP=4\n');
  });
});
