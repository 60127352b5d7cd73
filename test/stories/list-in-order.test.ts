/** A list that contradicts its reviews is reported before an agent is blamed for it. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SENT_BACK, story, tasksOf } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

const UNREVIEWED = "Story US-001 has passes=true but reviewStatus is 'null', not 'approved'.";

describe('a list that contradicts its reviews', () => {
  test('because a loop without reviews passed a story: with reviews nothing is started, and the hint says what to do', async () => {
    const play = `[ -n "$PASS" ] && { edit "of(story).passes = true; of(story).notes = 'done'"; commit x; echo ok; exit; }; honest approve`;
    const scene = storiesScene([story('US-001')], { play });
    await scene.shell(`PASS=1 ralph stories run --no-sandbox --agent "$SCENE/bin/agent" --skip-review`);
    const list = scene.tasks();
    scene.write(
      'work/ralph/tasks.json',
      JSON.stringify({ ...list, userStories: [...list.userStories, story('US-002')] }),
    );
    const started = scene.starts().length;
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(`error: ralph/tasks.json does not agree with its reviews: ${UNREVIEWED}`);
    expect(stderr).toMatch(/\nhint: .*"needs_review".*--skip-review/);
    expect(code).toBe(2);
    expect(scene.starts()).toHaveLength(started);
    expect((await scene.loop('--skip-review', '--dry-run')).code).toBe(0);
    // As the hint says: the loop continues with a review of the story.
    const reviewed = { ...story('US-001'), notes: 'done', reviewStatus: 'needs_review' as const };
    scene.write('work/ralph/tasks.json', JSON.stringify(tasksOf(reviewed, story('US-002'))));
    const fixed = await scene.loop();
    expect(fixed.stderr).not.toContain('TAMPERED');
    expect(fixed.code).toBe(0);
  });

  test.each([
    ['approved without passing', { reviewStatus: 'approved' as const }, "has reviewStatus='approved' but passes=false"],
    ['sent back without a word', { ...SENT_BACK, reviewFeedback: ' ' }, 'but empty reviewFeedback'],
  ])('%s', async (_title, fields, says) => {
    const scene = storiesScene([story('A', fields), story('B')], { play: 'honest' });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(says);
    expect(code).toBe(2);
    expect(scene.starts()).toEqual([]);
  });

  test('since a pause: the loop ends and says so, and does not call it tampering', async () => {
    const scene = storiesScene([story('US-001'), story('US-002')], { play: 'at_gate; honest' });
    const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
    await scene.logged('at gate 1/work/1');
    await scene.stories('pause').exited;
    scene.openGate();
    await loop.says('Paused before');
    scene.write('work/ralph/tasks.json', JSON.stringify(tasksOf(story('US-001', { passes: true }), story('US-002'))));
    await scene.stories('resume').exited;
    const { code, stderr } = await loop.exited;
    expect(stderr).toContain(`[ralph] ERROR: ralph/tasks.json does not agree with its reviews: ${UNREVIEWED}`);
    expect(stderr).toContain('[ralph] hint: ');
    expect(stderr).not.toContain('TAMPERED');
    expect(code).toBe(2);
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toHaveLength(1);
  });

  test('does not matter to a loop without reviews', async () => {
    const play = `edit "of(story).passes = true; of(story).notes = 'done'"; commit x; echo ok`;
    const scene = storiesScene([story('A', { passes: true }), story('B')], { play });
    expect((await scene.loop('--skip-review')).code).toBe(0);
  });

  test('a count above a lowered cap does not count as a contradiction', async () => {
    const reviewed = story('A', { reviewStatus: 'approved', passes: true, reviewCount: 9 });
    const scene = storiesScene([reviewed, story('B')], { play: 'honest approve' });
    expect((await scene.loop('--review-cap', '2')).code).toBe(0);
  });
});
