/** The agent that reviews, and the diff that it is given, with snapshots of a real work tree. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { type SnapshotScene, snapshotScene } from '../../test/support/git/snapshot-scene.ts';
import type { DiffGiven, ReviewDiff } from '../core/review/review.ts';
import { alwaysReady } from '../process/follow.ts';
import { reviewDiff, reviewTerms, whyNoReview } from './reviewer.ts';

const OWN = { command: '/opt/bin/claude', flags: ['--dangerously-skip-permissions', '--model', 'opus'] };
const FLAGS = { codex: ['--yolo'] };
const flagsOf = (command: string): string[] => (command === 'codex' ? FLAGS.codex : [`--free-${command}`]);

describe('the agent that reviews', () => {
  const by = (agent: string, model: string | null, isEnclosed = false) =>
    reviewTerms({ agent, model, rounds: 2 }, { own: OWN, flagsOf, isEnclosed });

  test('is started with its read-only flags, in place of those that let it do anything', () => {
    const flags = ['--permission-mode', 'plan', '--model', 'sonnet'];
    expect(by('claude', 'sonnet')).toEqual({ by: { name: 'claude:sonnet', command: OWN.command, flags }, rounds: 2 });
    expect(by('codex', null).by).toEqual({ name: 'codex', command: 'codex', flags: ['-s', 'read-only'] });
  });

  test('keeps its flags if it has no read-only ones, or if its own sandbox cannot be opened', () => {
    expect(by('my-agent', null).by.flags).toEqual(['--free-my-agent']);
    expect(by('codex', null, true).by.flags).toEqual(FLAGS.codex);
    expect(by('claude', 'sonnet', true).by.flags).toEqual(['--permission-mode', 'plan', '--model', 'sonnet']);
  });

  test('cannot be the working agent with the same model', () => {
    for (const model of [null, 'opus']) {
      const { message, advice } = errorOf(() => by('claude', model));
      expect(message).toMatch(/^--review-agent claude(:opus)? is the agent that the loop works with$/);
      expect(advice.hint).toBe('Name another agent, or another model of it: --review-agent claude:<model>');
    }
  });

  test('a model that cannot be passed on is refused, and the hint names the flag', () => {
    const { advice } = errorOf(() => by('my-agent', 'x'));
    expect(advice.hint).toBe('Name the agent alone: --review-agent <agent>');
  });
});

describe('a review', () => {
  test('needs a git repository', () => {
    const folder = testFolder();
    expect(whyNoReview(folder)?.message).toBe(`--review-agent needs a git repository: ${folder} is in none`);
  });

  test('is refused if the loop itself writes into the reviewed work tree', () => {
    const { work, folder } = snapshotScene();
    const inside = join(work, 'tasks');
    expect(whyNoReview(work)).toBeNull();
    expect(whyNoReview(work, join(folder, 'tasks'))).toBeNull();
    expect(whyNoReview(work, inside)?.message).toBe(
      `--review-agent: the tasks lie in the work tree that is reviewed: ${inside}`,
    );
  });
});

describe('the diff for a review', () => {
  let scene: SnapshotScene;
  let take: (number: number) => Promise<string>;

  beforeEach(() => {
    scene = snapshotScene();
    const { take: snapshot } = scene.begin();
    take = async (number) => (await snapshot(number)).commit;
  });

  function diff(given: DiffGiven, { env = scene.env, signal = new AbortController().signal } = {}) {
    const at = { signal, ready: alwaysReady, progress: () => undefined, key: 'k' };
    return reviewDiff(join(scene.folder, 'state/ralph/loops/one'), env)(given, at);
  }

  /** The diff that a change of the work tree gives. */
  async function diffOf(change: () => void): Promise<Extract<ReviewDiff, { readonly patch: string }>> {
    const from = await take(0);
    change();
    const shown = await diff({ from, to: await take(1) });
    if ('unknown' in shown) throw new Error(shown.unknown);
    return shown;
  }

  test('is the whole patch between the two snapshots', async () => {
    scene.write('file', 'one\n');
    const { patch, stat } = await diffOf(() => scene.write('file', 'two\n'));
    expect(patch).toContain('--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n');
    expect(stat).toBeNull();
  });

  test('that is too long for a prompt is cut, never within a character, and names every file', async () => {
    // Characters of three bytes: whatever precedes them, one of these patches is cut within a character.
    for (const [number, before] of ['', 'x', 'xx'].entries()) {
      const { patch, stat } = await diffOf(() => {
        scene.write(`long-${number}`, `${before}${'€'.repeat(40_000)}\n`);
        scene.write(`small-${number}`);
      });
      expect(Buffer.byteLength(patch)).toBeLessThanOrEqual(60_000);
      expect(Buffer.byteLength(patch)).toBeGreaterThan(60_000 - 3);
      expect(patch.endsWith('€')).toBe(true);
      expect(stat).toContain(`small-${number}`);
      expect(stat).toContain('2 files changed');
    }
  });

  test('with too many files to name says that there are more', async () => {
    const { stat } = await diffOf(() => {
      for (let file = 0; file < 400; file++) scene.write(`${'folder/'.repeat(3)}file-${file}`, 'x\n'.repeat(100));
    });
    expect(stat).toMatch(/\n…$/);
    expect(Buffer.byteLength(stat ?? '')).toBeLessThanOrEqual(8000 + '\n…'.length * 2);
  });

  test('is unknown if a snapshot is missing, and the reason says so', async () => {
    const commit = await take(0);
    const unknown = { unknown: 'the work tree was not kept' };
    expect(await diff({ from: null, to: commit })).toEqual(unknown);
    expect(await diff({ from: commit, to: null })).toEqual(unknown);
    const at = { signal: new AbortController().signal, ready: alwaysReady, progress: () => undefined, key: 'k' };
    const elsewhere = reviewDiff(join(scene.folder, 'state/ralph/loops/other'), scene.env);
    expect(await elsewhere({ from: commit, to: commit }, at)).toEqual(unknown);
  });

  test('that git cannot make is unknown, for the reason that git gives', async () => {
    const to = await take(0);
    expect(await diff({ from: '1'.repeat(40), to })).toEqual({ unknown: expect.stringContaining('git diff failed') });
  });

  test('that is cut off by a stop is no result', async () => {
    const commit = await take(0);
    await expect(diff({ from: commit, to: commit }, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });

  test('is not made by a git of the work tree', async () => {
    const bin = join(scene.work, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch ${scene.folder}/ran\n`, { mode: 0o755 });
    const commit = await take(0);
    const env = { ...scene.env, PATH: `${bin}:${scene.env.PATH}` };
    expect(await diff({ from: commit, to: commit }, { env })).toEqual({ patch: '', stat: null });
    expect(existsSync(join(scene.folder, 'ran'))).toBe(false);
  });
});
