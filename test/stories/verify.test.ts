/** The loop runs `verifyCommands` itself: it does not believe an agent that says they pass. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Checked } from '../../src/core/check.ts';
import type { Recorded } from '../../src/core/record.ts';
import { APPROVED, SUBMITTED, story } from '../support/stories/stories.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

const ONE = [story('US-001')];
/** Fails until `green` exists; logs that it ran. */
const CHECK = 'echo verify >>"$SCENE/starts.log"; printf "1 of 2 failed \\033[31mred\\033[0m\\a\\n"; test -e green';

const checksOf = (scene: StoriesScene): Checked[] =>
  scene.journal().flatMap(({ result }: Recorded) => (result.kind === 'checked' ? [result] : []));
const runs = (scene: StoriesScene): number => scene.starts().filter((line) => line === 'verify').length;

describe('a review that approves while verifyCommands fail', () => {
  test('does not count: the story goes back with the output, is fixed, reviewed again, and only then done', async () => {
    const play = 'case $n in 3) touch green ;; esac; honest approve; echo "<promise>COMPLETE</promise>"';
    const scene = storiesScene(ONE, {
      play: `cp ralph/tasks.json "$SCENE/before-$n"; ${play}`,
      verifyCommands: [CHECK, 'true'],
    });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(`[ralph] Before a story counts, ralph runs: ${CHECK}, true\n`);
    expect(stderr).toContain(`[ralph] Verifying US-001: ${CHECK}\n`);
    expect(stderr).toMatch(
      /^\[ralph\] ✗ echo verify .*… {2}exit 1 +\d\.\ds\n\[ralph\] {5}1 of 2 failed red\n\[ralph\] {5}\/\S+\.log$/m,
    );
    expect(stderr).toContain('[ralph] WARNING: Promise tag found but verifyCommands failed.\n');
    expect(stderr).toContain(
      '[ralph] Story US-001: the approval does not count, verifyCommands failed; changes requested\n',
    );
    const { userStories } = JSON.parse(scene.read('before-3')) as { userStories: { reviewFeedback: string }[] };
    expect(userStories[0]).toMatchObject({ passes: false, reviewStatus: 'changes_requested', reviewCount: 1 });
    expect(userStories[0]?.reviewFeedback).toBe(
      `The loop ran verifyCommands itself, and this story does not count while they fail:\n\n$ ${CHECK}\nexit 1. Its output:\n1 of 2 failed red`,
    );
    expect(scene.commits()).toContain('review: US-001 - changes requested, verifyCommands failed');
    expect(code).toBe(0);
    expect(stderr).toContain(`[ralph] Verifying once more before the end: ${CHECK}\n`);
    expect(stderr).toContain(
      `[ralph] All stories complete and verified!\n[ralph] Verified by ralph's own run of: ${CHECK}, true\n`,
    );
    expect(stderr.match(/All stories complete/g)).toHaveLength(1);
    expect(scene.story('US-001')).toMatchObject({ passes: true, reviewCount: 2 });
    // Red; green for the story; green before the end.
    expect(checksOf(scene).map(({ index, outcome }) => `${index} ${outcome.is === 'passed'}`)).toEqual([
      '0 false',
      '1 true',
      '0 true',
      '1 true',
      '2 true',
      '3 true',
    ]);
    expect(runs(scene)).toBe(3);
    expect(readFileSync(checksOf(scene)[0]?.log ?? '', 'utf8')).toContain('1 of 2 failed');
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
    const [, ...lines] = scene.read('work/ralph/logs/summary.csv').trim().split('\n');
    expect(lines.map((line) => line.split(',').slice(0, 6).toSpliced(2, 2).join(' '))).toEqual([
      '1 implement 0 1',
      '2 review 0 1',
      '3 review-fix 0 1',
      '4 review 1 1',
    ]);
  });

  test.each([
    ['approves', 'approve', /1 of 2 failed red$/],
    ['is overruled by the cap', 'reject', /1 of 2 failed red\n\nThe review itself said:\nHandle the empty list$/],
  ])('at the review cap, if the review %s, ends the loop as blocked', async (_title, verdict, feedback) => {
    const scene = storiesScene(ONE, { play: `honest ${verdict}`, verifyCommands: [CHECK] });
    const { code, stderr } = await scene.loop('--review-cap', '1');
    expect(stderr).toContain(
      `[ralph] BLOCKED: story US-001 was approved at the review cap (1), but verifyCommands failed: ${CHECK} (exit 1)`,
    );
    expect(code).toBe(5);
    expect(stderr).not.toContain('All stories');
    expect(scene.story('US-001')).toMatchObject({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      reviewFeedback: expect.stringMatching(feedback),
    });
    expect(scene.git('status', '--porcelain', 'ralph')).toBe('');
  });

  test('counts with --no-verify, as in the seed, and the messages say so', async () => {
    const scene = storiesScene(ONE, { play: 'honest approve', verifyCommands: [CHECK] });
    const { code, stderr } = await scene.loop('--no-verify');
    expect(code).toBe(0);
    expect(runs(scene)).toBe(0);
    expect(stderr).toContain(`[ralph] WARNING: --no-verify: ralph does not run verifyCommands (${CHECK})`);
    expect(stderr).toContain('[ralph] verifyCommands were not run by ralph (--no-verify)');
  });
});

test('check, status and --dry-run report verifyCommands, too', async () => {
  const scene = storiesScene(ONE, { play: 'honest approve', verifyCommands: [CHECK] });
  scene.git('add', '.ralph');
  scene.git('commit', '--quiet', '--message=all');
  const dry = await scene.loop('--dry-run');
  expect(dry.stdout).toContain(`\nBefore a story counts, ralph runs: ${CHECK}\n`);
  const checked = await scene.stories('check').exited;
  expect(checked.stdout).toContain(`[ralph] Not run here: ${CHECK}. The loop runs them before a story counts.\n`);
  const status = async () => (await scene.stories('status').exited).stdout;
  expect(await status()).toContain(`\nVerify: not run yet: ${CHECK}\n`);
  await scene.loop('-n', '2');
  const log = checksOf(scene)[0]?.log ?? '';
  expect(await status()).toContain(`\nVerify: failed in iteration 2: ${CHECK} (exit 1, log ${log})\n`);
  scene.write('work/green', '');
  await scene.loop();
  expect(await status()).toMatch(/^All stories are complete\.\nVerify: passed in iteration 2: /m);
});

test('without verifyCommands, the messages do not claim that anything was run', async () => {
  const scene = storiesScene(ONE, { play: 'honest approve', verifyCommands: [' '] });
  const { code, stderr } = await scene.loop();
  expect(code).toBe(0);
  expect(stderr).toContain('[ralph] WARNING: ralph/tasks.json has no verifyCommands: ralph runs no checks of its own');
  expect(stderr).toContain('[ralph] No verifyCommands: ralph ran no checks of its own');
});

test('with --skip-review, a story does not count before they pass, and the next prompt says why', async () => {
  const play = `[ $n = 2 ] && touch green; edit "code(); of(story).passes = true; of(story).notes = 'done'"; commit x; echo ok`;
  const scene = storiesScene(ONE, { play, verifyCommands: [CHECK] });
  const { code, stderr } = await scene.loop('--skip-review');
  expect(stderr).toContain('[ralph] Story US-001: does not pass, verifyCommands failed');
  expect(scene.promptOf('2/work/1')).toContain('> 1 of 2 failed red');
  expect(code).toBe(0);
  expect(scene.story('US-001')).toMatchObject({ passes: true, reviewStatus: null });
  expect(runs(scene)).toBe(3);
});

describe('a list that is complete from the start', () => {
  test('is done only if verifyCommands pass', async () => {
    const scene = storiesScene([story('A', APPROVED)], { play: 'echo no', verifyCommands: [CHECK] });
    const red = await scene.loop();
    expect(red.stderr).toContain(
      `[ralph] BLOCKED: all stories are approved, but verifyCommands failed: ${CHECK} (exit 1)`,
    );
    expect(red.stderr).not.toContain('All stories verified');
    expect(red.code).toBe(5);
    expect((await scene.stories('status').exited).stdout).toContain(
      `\nNot done: every story is approved, but ${CHECK} failed. To verify again, run: ralph stories run\n`,
    );
    expect(scene.story('A')).toMatchObject(APPROVED);
    scene.write('work/green', '');
    const green = await scene.loop();
    expect(green.stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
    expect(green.code).toBe(0);
    expect(runs(scene)).toBe(2);
    expect(scene.starts()).not.toContain('agent 1/work/1');
  });
});

test('a command that takes too long counts as failed, and leaves nothing running', async () => {
  const slow = 'sleep 600 & (setsid sleep 600 &) ; sleep 600';
  const scene = storiesScene([story('US-001', SUBMITTED)], { play: 'honest approve', verifyCommands: [slow] });
  const { code, stderr } = await scene.loop('-n', '1', '--verify-timeout', '200ms');
  expect(stderr).toMatch(/^\[ralph\] ✗ sleep 600 .*… {2}timed out after 200ms +\d+\.\ds$/m);
  expect(scene.story('US-001').reviewFeedback).toContain('timed out after 200ms. It printed nothing.');
  expect(code).toBe(1);
});

test('verifyCommands get the user’s environment, without what is meant for the agents’ hooks', async () => {
  const show = 'env | grep -E "^(RALPH_GUARD|RALPH_NODE|CLAUDE_CODE_STOP|MINE)" >"$SCENE/env"';
  const scene = storiesScene([story('US-001', SUBMITTED)], {
    play: 'honest approve',
    verifyCommands: [show],
    env: { MINE: 'yes' },
  });
  expect((await scene.loop('-n', '1')).code).toBe(0);
  expect(scene.read('env')).toBe('MINE=yes\n');
});

test('killed in the middle of a command, the loop runs it again when it is resumed', async () => {
  const gate = '[ -e "$SCENE/open" ] || { echo verify >>"$SCENE/starts.log"; sleep 600; }; test -e "$SCENE/open"';
  const scene = storiesScene([story('US-001', SUBMITTED)], { play: 'honest approve', verifyCommands: [gate] });
  const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
  await scene.logged('verify');
  loop.signal('SIGKILL');
  await loop.exited;
  const status = await scene.stories('status').exited;
  expect(status.stdout).toMatch(/^US-001 +approved, not verified /m);
  expect(status.stdout).toContain('Stories: 0/1 complete\n');
  scene.write('open', '');
  const { code, stderr } = await scene.stories('resume').exited;
  expect(stderr).toMatch(/^\[ralph\] ✓ \[ -e .* \d\.\ds$/m);
  expect(code).toBe(0);
  expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual(['agent 1/work/1']);
  expect(scene.story('US-001')).toMatchObject({ passes: true, reviewCount: 1 });
});
