/** The life of a story through the built binary: the seed's verification plan, sections 6, 9, 10 and 11. */
import { describe, expect, test } from 'vitest';
import { story } from '../support/stories.ts';
import { storiesScene } from './scene.ts';

const ONE = [story('US-001')];

describe('6. direct mode', () => {
  test('with --no-sandbox and one iteration a story is submitted, and the limit is told', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const { code, stderr } = await scene.loop('--max-iterations', '1');
    expect(stderr).toContain('[ralph] Max iterations (1) reached without completion.');
    expect(code).toBe(1);
    expect(scene.story('US-001')).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
    expect(scene.has('.ralph-active')).toBe(false);
  });
});

describe('9. the life of a story', () => {
  test('implement, review with changes, fix, re-review, approved', async () => {
    const scene = storiesScene(ONE, {
      play: 'cp ralph/tasks.json "$SCENE/before-$n"; honest "$([ $n = 2 ] && echo reject || echo approve)"',
    });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
    expect(code).toBe(0);
    const listBefore = (n: number) =>
      (JSON.parse(scene.read(`before-${n}`)) as { userStories: unknown[] }).userStories[0];
    expect(listBefore(2)).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
    expect(listBefore(3)).toMatchObject({
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      reviewFeedback: 'Handle the empty list',
    });
    expect(listBefore(4)).toMatchObject({ reviewStatus: 'needs_review', reviewCount: 1, reviewFeedback: '' });
    expect(scene.story('US-001')).toMatchObject({ reviewStatus: 'approved', passes: true, reviewCount: 2 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1', 'agent 3/work/1', 'agent 4/work/1']);
  });

  test('the promise is believed with the list, and not without it', async () => {
    const scene = storiesScene(ONE, { play: 'honest approve; echo "<promise>COMPLETE</promise>"' });
    const { code, stderr } = await scene.loop();
    expect(code).toBe(0);
    expect(stderr).toContain('[ralph] WARNING: Promise tag found but tasks.json verification failed.');
    expect(stderr).toContain(
      '[ralph] Completion signal detected. Verifying tasks.json...\n[ralph] All stories complete and verified!',
    );
    expect(scene.starts()).toHaveLength(2);
  });
});
