/** The harness dies by `kill -9` after every record of a loop with all kinds of iterations in it, and is resumed. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseJournal } from '../../src/state/journal.ts';
import { startProgram } from '../support/program.ts';
import { ROOT } from '../support/scene.ts';
import { story } from '../support/stories.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

/** It tampers, fails, submits, sends back, fixes, and sends back at the cap. */
const PLAY = `case $n in
1) edit "approve('A')"; commit sneaky; echo ok ;;
2) edit "approve('A')"; echo no; exit 1 ;;
*) honest reject ;;
esac`;
const FLAGS = ['run', '--no-sandbox', '--review-cap', '2', '--failure-backoff', '1ms'];

const newScene = () => storiesScene([story('A')], { play: PLAY });

const MINUTES = 5 * 60_000;

test('killed after every record, and resumed, it ends as an unharmed loop does', { timeout: MINUTES }, async () => {
  const unharmed = newScene();
  const agent = join(unharmed.folder, 'bin/agent');
  const whole = await unharmed.stories(...FLAGS, '--agent', agent).exited;
  expect(whole.stderr).toContain('auto-approved');
  judge(unharmed, whole.code);
  const records = unharmed.journal().length;
  expect(records).toBeGreaterThan(35);

  const moments = Array.from({ length: records }, (_, index) => `after:${index + 1}`);
  await Promise.all([killedAt(moments.filter((_, i) => i % 2 === 0)), killedAt(moments.filter((_, i) => i % 2 === 1))]);
});

test('killed in the middle of writing a record', async () => {
  await killedAt([5, 14, 23, 32, 39].map((n) => `torn:${n}`));
});

async function killedAt(moments: readonly string[]): Promise<void> {
  for (const moment of moments) {
    const scene = newScene();
    const argv = ['--require', join(ROOT, 'test/crash/kill-at.cjs'), join(ROOT, 'bin/ralph.cjs'), 'stories'];
    const env = { ...scene.env, KILL_AT: moment };
    const flags = [...FLAGS, '--agent', join(scene.folder, 'bin/agent')];
    const first = await startProgram([process.execPath, ...argv, ...flags], { cwd: scene.work, env }).exited;
    expect(first.code, moment).toBe('SIGKILL');
    const resumed = await scene.stories('resume').exited;
    // The last record is the end: then there is nothing to resume.
    const isOver = resumed.stderr.includes('no unfinished stories loop');
    judge(scene, isOver ? 0 : resumed.code, `${moment}: ${resumed.stderr}`);
  }
}

function judge(scene: StoriesScene, code: number | string, where = ''): void {
  expect(code, where).toBe(0);
  expect(scene.story('A'), where).toMatchObject({
    passes: true,
    reviewCount: 2,
    reviewFeedback: '[AUTO-APPROVED AT CAP] Handle the empty list',
  });
  const starts = scene.starts();
  expect(new Set(starts).size, where).toBe(starts.length);
  expect(scene.git('status', '--porcelain', 'ralph'), where).toBe('');
  const { records } = parseJournal(
    Buffer.from(scene.read(`state/ralph/loops/${scene.loops()[0]}/journal.jsonl`)),
    where,
  );
  expect(records.filter(({ key }) => key.includes('/judge/')).length, where).toBeGreaterThanOrEqual(6);
}
