/** Iterations that do not count: failed ones, reviews without a verdict, fixes without a fix, empty replies. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/scene.ts';
import { SENT_BACK, SUBMITTED, story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

describe('a run that failed', () => {
  test('is not judged: its changes to the list are undone, and not called tampering', async () => {
    const play = `[ $n = 2 ] && { honest approve; exit; }; edit "approve('A')"; commit x; echo "limit"; exit 1`;
    const scene = storiesScene([story('A', SUBMITTED)], { play });
    const { code, stderr } = await scene.loop('-n', '2');
    expect(stderr).toContain('[ralph] Agent failed (exit 1)');
    expect(stderr).not.toContain('TAMPERED');
    expect(scene.commits()).toContain('chore(ralph): restore the story list — the iteration failed');
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
    expect(code).toBe(0);
  });

  test('five times in a row ends the loop', async () => {
    const scene = storiesScene([story('A')], { play: 'echo no; exit 3' });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain('[ralph] ERROR: 5 consecutive failures. Aborting.');
    expect(code).toBe(3);
    expect(scene.starts()).toHaveLength(5);
  });

  test('because the agent ran longer than --timeout counts as a failure', async () => {
    const scene = storiesScene([story('A')], { play: 'sleep 100' });
    const { code, stderr } = await scene.loop('--timeout', '100ms');
    expect(stderr).toContain('[ralph] ERROR: 5 consecutive failures. Aborting.');
    expect({ code, starts: scene.starts().length }).toEqual({ code: 3, starts: 5 });
  });

  test('that promised completion completes nothing', async () => {
    const scene = storiesScene([story('A', SUBMITTED)], {
      play: `edit "approve('A')"; commit x; echo "<promise>COMPLETE</promise>"; exit 1`,
    });
    const { code } = await scene.loop('-n', '1');
    expect(code).toBe(1);
    expect(scene.story('A').passes).toBe(false);
  });
});

test('--on-stuck end ends a loop whose iterations change nothing; without it there is a warning', async () => {
  const scene = storiesScene([story('A')], { play: 'echo thinking' });
  const { code, stderr } = await scene.loop('--on-stuck', 'end');
  expect(code).toBe(7);
  expect(scene.starts()).toHaveLength(3);
  expect(stderr).toContain('The last 3 iterations changed nothing.');
  const patient = await storiesScene([story('A')], { play: 'echo thinking' }).loop('-n', '4');
  expect(patient.code).toBe(1);
  expect(patient.stderr).toContain('no progress: the last 3 iterations changed nothing');
});

test('an agent at its usage limit hands its story over to the fallback, in the same iteration', async () => {
  const refusal = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"no more"}`;
  const play = `case \${0##*/} in claude) echo '${refusal}'; exit 1 ;; *) honest approve ;; esac`;
  const scene = storiesScene([story('A', SUBMITTED)], { play, agent: 'claude' });
  symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/helper'));
  const { code, stderr } = await scene.loop('--fallback', 'helper');
  expect(stderr).toContain('continuing with helper');
  expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
  expect([code, scene.starts()]).toEqual([0, ['agent 1/work/1', 'agent 1/work/2']]);
});

test('a review without a verdict counts as failed, and the story waits for another one', async () => {
  const scene = storiesScene([story('A', SUBMITTED)], { play: '[ $n = 1 ] && { echo looked; exit; }; honest approve' });
  const { code, stderr } = await scene.loop();
  expect(stderr).toContain(
    '[ralph] Iteration failed: Transition validation failed: Review iteration ended without a verdict on story A',
  );
  expect(scene.promptOf('2/work/1')).toContain('ended without a verdict on story A');
  expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
  expect(code).toBe(0);
});

describe('a review-fix', () => {
  test('that changes no code counts as failed, and the story stays sent back', async () => {
    const play = `[ $n = 1 ] && { edit "fix('A')"; echo note >>ralph/progress.txt; commit x; echo fixed; exit; }; honest approve`;
    const scene = storiesScene([story('A', SENT_BACK)], { play: `cp ralph/tasks.json "$SCENE/before-$n"; ${play}` });
    const { code, stderr } = await scene.loop('--review-cap', '5');
    expect(stderr).toContain(
      '[ralph] Iteration failed: The review-fix iteration changed no code: story A stays changes_requested.',
    );
    expect(JSON.parse(scene.read('before-2'))).toMatchObject({ userStories: [SENT_BACK] });
    expect(scene.promptOf('2/work/1')).toContain('changed no code');
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 2 });
    expect(code).toBe(0);
  });

  test.each([
    ['in a commit', 'echo x >code.txt; edit "fix(\'A\')"; commit x'],
    ['not committed', 'echo x >code.txt; edit "fix(\'A\')"'],
    ['of a file that was there', 'echo x >>work.txt; edit "fix(\'A\')"; commit x'],
  ])('with a change %s counts', async (_title, play) => {
    const scene = storiesScene([story('A', SENT_BACK)], { play: `${play}; echo fixed` });
    await scene.loop('-n', '1');
    expect(scene.story('A')).toMatchObject({ reviewStatus: 'needs_review', reviewFeedback: '' });
  });

  test('that only commits what was there before has changed nothing', async () => {
    const scene = storiesScene([story('A', SENT_BACK)], { play: `edit "fix('A')"; commit x; echo fixed` });
    scene.write('work/left.txt', 'lay here\n');
    await scene.loop('-n', '1');
    expect(scene.story('A').reviewStatus).toBe('changes_requested');
  });

  test('is checked for changes without a trace in the repository', async () => {
    const scene = storiesScene([story('A', SENT_BACK)], { play: `echo x >code.txt; edit "fix('A')"; echo fixed` });
    scene.git('add', '.ralph');
    scene.git('commit', '--quiet', '--message=all');
    await scene.loop('-n', '1');
    expect(scene.git('status', '--porcelain')).toBe(' M ralph/tasks.json\n?? code.txt\n');
    expect(scene.git('fsck', '--unreachable', '--no-progress')).toBe('');
  });
});

describe('an empty reply', () => {
  test('is tried again in the same iteration', async () => {
    const scene = storiesScene([story('A')], { play: '[ "$RALPH_KEY" != 1/work/3 ] || honest' });
    const { code, stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('[ralph] Empty response — retrying iteration 1 (attempt 2)');
    expect(stderr).toContain('[ralph] Empty response — retrying iteration 1 (attempt 3)');
    expect(scene.story('A').reviewStatus).toBe('needs_review');
    expect(code).toBe(1);
  });

  test('three times in a row aborts', async () => {
    const scene = storiesScene([story('A')], { play: 'true' });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain('[ralph] ERROR: 3 consecutive empty responses. Aborting.');
    expect(code).toBe(1);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2', 'agent 1/work/3']);
  });

  test('of an agent that changed the list is judged like any other', async () => {
    const scene = storiesScene([story('A')], { play: 'edit "approve(\'A\')"' });
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('TAMPERED');
  });
});
