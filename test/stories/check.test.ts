/** `ralph stories check`: what the Stop hook would say now, and what is checked while no iteration runs. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { story, tasksOf } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

describe('check', () => {
  test('says what the Stop hook would say in this iteration', async () => {
    const play = `edit "approve('A')"; ralph stories check >"$SCENE/said" 2>&1; echo "code $?" >>"$SCENE/said"; git checkout -q ralph; honest`;
    const scene = storiesScene([story('A')], { play });
    await scene.loop('-n', '1');
    const said = scene.read('said');
    expect(said).toContain('Transition validation failed: Implement iterations cannot set passes=true');
    expect(said).toContain('You have uncommitted changes. Before stopping, you must:');
    expect(said).toContain('The Stop hook would not let the agent stop (mode implement).');
    expect(said).toContain('code 1');
  });

  test('outside of an iteration, only the state is checked', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    scene.git('add', '.ralph');
    scene.git('commit', '--quiet', '--message=all');
    const { code, stdout } = await scene.stories('check').exited;
    expect(stdout).toBe('[ralph] All checks passed (no iteration is running, so transitions were not checked).\n');
    expect(code).toBe(0);
    scene.write('work/ralph/tasks.json', JSON.stringify(tasksOf(story('A', { passes: true }))));
    expect((await scene.stories('check').exited).stdout).toContain(
      'Review integrity check failed: Story A has passes=true',
    );
  });

  test('a marker that a dead loop left is no iteration, for the hook and for check', async () => {
    const scene = storiesScene([story('A')], { play: `edit "approve('A')"; commit x; at_gate` });
    const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    await scene.letGo();
    const { code, stdout } = await scene.stories('check').exited;
    expect(stdout).toBe(
      `[ralph] All checks passed (.ralph-active was left by process ${loop.pid}, which is gone, so transitions were not checked).\n`,
    );
    expect(code).toBe(0);
  });

  test('after a loop without reviews, a complete list is in order', async () => {
    const play = `edit "of(story).passes = true; of(story).notes = 'done'"; commit x; echo ok`;
    const scene = storiesScene([story('A')], { play });
    scene.git('add', '.ralph');
    scene.git('commit', '--quiet', '--message=all');
    await scene.loop('--skip-review');
    expect((await scene.stories('status').exited).stdout).toContain('All stories are complete.');
    const { code, stdout } = await scene.stories('check').exited;
    expect(stdout).toContain('[ralph] All checks passed');
    expect(code).toBe(0);
  });

  test('outside of an iteration it only says what is not in order, because no agent would be sent back', async () => {
    const scene = storiesScene([story('A', { passes: true })], { play: 'honest' });
    const { code, stdout, stderr } = await scene.stories('check').exited;
    expect(stdout).toContain('Review integrity check failed: Story A has passes=true');
    expect(stderr).toBe('[ralph] Not in order (no iteration is running, so transitions were not checked).\n');
    expect(code).toBe(1);
  });
});
