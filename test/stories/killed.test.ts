/**
 * A loop with iterations of all kinds is killed with `kill -9` after each record (outside of nightly runs: after some
 * of them) and resumed.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { sweep } from '../support/sweep.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

/** The agent tampers, fails, submits, approves what is red, fixes, and sends back at the cap. */
const PLAY = `case $n in
1) edit "approve('A')"; commit sneaky; echo ok ;;
2) edit "approve('A')"; echo no; exit 1 ;;
4) honest approve ;;
*) honest reject ;;
esac`;
const FLAGS = ['run', '--no-sandbox', '--review-cap', '2', '--failure-backoff', '1ms'];

const newScene = () => storiesScene([story('A')], { play: PLAY, verifyCommands: ["grep -q '^review-fix' code.txt"] });

/** How each of these loops must end. */
const WELL = {
  code: 0,
  story: { passes: true, reviewCount: 2, reviewFeedback: '[AUTO-APPROVED AT CAP] Handle the empty list' },
  startedTwice: [],
  uncommitted: '',
  judgedAtLeastSix: true,
};
const MINUTES = 5 * 60_000;

test('killed after its records and resumed, the loop ends as an unharmed one does', { timeout: MINUTES }, async () => {
  const unharmed = newScene();
  const whole = await unharmed.stories(...FLAGS, '--agent', join(unharmed.folder, 'bin/agent')).exited;
  expect(whole.stderr).toContain('the approval does not count, verifyCommands failed');
  expect(whole.stderr).toContain('auto-approved');
  expect(endOf(unharmed, whole.code)).toMatchObject(WELL);
  const records = unharmed.journal().length;
  expect(records).toBeGreaterThan(35);

  const all = Array.from({ length: records }, (_, index) => `after:${index + 1}`);
  const moments = sweep(all, 9);
  const halves = [0, 1].map((half) => moments.filter((_, index) => index % 2 === half));
  const ends = (await Promise.all(halves.map(killedAt))).flat();
  expect(ends.filter(({ died }) => died)).toHaveLength(moments.length);
  for (const end of ends) expect(end).toMatchObject(WELL);
});

test('so does a loop that is killed in the middle of writing a record', { timeout: MINUTES }, async () => {
  const moments = sweep([5, 14, 23, 27, 32, 39], 4).map((n) => `torn:${n}`);
  const ends = await killedAt(moments);
  expect(ends).toHaveLength(moments.length);
  for (const end of ends) expect(end).toMatchObject({ ...WELL, died: true });
});

async function killedAt(moments: readonly string[]) {
  const ends = [];
  for (const moment of moments) {
    const scene = newScene();
    const argv = ['--require', join(ROOT, 'test/crash/kill-at.cjs'), join(ROOT, 'bin/ralph.cjs'), 'stories'];
    const env = { ...scene.env, KILL_AT: moment };
    const flags = [...FLAGS, '--agent', join(scene.folder, 'bin/agent')];
    const first = await startProgram([process.execPath, ...argv, ...flags], { cwd: scene.work, env }).exited;
    const { code, stderr } = await scene.stories('resume').exited;
    // After the last record the loop is over: there is nothing to resume.
    const isOver = stderr.includes('no unfinished stories loop');
    ends.push({ moment, died: first.code === 'SIGKILL', stderr, ...endOf(scene, isOver ? 0 : code) });
  }
  return ends;
}

function endOf(scene: StoriesScene, code: number | string) {
  const starts = scene.starts();
  return {
    code,
    story: scene.story('A'),
    startedTwice: starts.filter((line, index) => starts.indexOf(line) !== index),
    uncommitted: scene.git('status', '--porcelain', 'ralph'),
    judgedAtLeastSix: scene.journal().filter(({ key }) => key.includes('/judge/')).length >= 6,
  };
}
