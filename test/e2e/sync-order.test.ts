/** What a real loop has synced to disk, and when: a power cut loses nothing that was already reported. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { storiesScene } from '../stories/scene.ts';
import { testFolder } from '../support/folder.ts';
import { makeScene, ROOT } from '../support/scene.ts';
import { hookedSession } from '../support/session/session-loop.ts';
import { story } from '../support/stories/stories.ts';

const JOURNAL = 'sync STATE/loops/LOOP/journal.jsonl';
const LOOP = 'sync STATE/loops/LOOP';
const TELLS = join(ROOT, 'test/fakes/tell-syncs.cjs');

function telling(): { readonly env: Record<string, string>; told(): string[] } {
  const file = join(testFolder(), 'syncs');
  const env = { NODE_OPTIONS: `--require ${TELLS}`, SYNCS_TOLD: file };
  return { env, told: () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []) };
}

/** The lines with `STATE` for ralph's state folder and `LOOP` for the loop's own folder. */
function shortened(lines: readonly string[], state: string): string[] {
  return lines.map((line) => line.replace(/\/loops\/[^/]+/, '/loops/LOOP').replace(`${state}/ralph`, 'STATE'));
}

describe('ralph run', () => {
  test('a new loop is on disk before its first agent; a commit and the end wait for earlier records', async () => {
    const { env, told } = telling();
    const settings = { scm: { command: 'git', tasks: ['commit'] } };
    const play = 'echo more >>work.txt; echo "<response>DONE</response>"';
    const scene = makeScene({ play, settings, env });
    const { code } = await scene.run();
    expect(code).toBe(0);
    const lines = shortened(told(), scene.state).map((line) => line.replace(scene.folder, 'SCENE'));

    // A new folder is durable only once its parent folder is synced.
    const begin = lines.slice(0, lines.indexOf('record inputs'));
    expect(begin.filter((line) => line.startsWith('sync'))).toEqual([
      'sync SCENE',
      'sync SCENE/state',
      'sync STATE',
      'sync STATE/loops',
      JOURNAL,
      LOOP,
    ]);
    expect(begin.indexOf('record created')).toBeLessThan(begin.indexOf(JOURNAL));

    const commit = lines.findIndex((line) => /^start .*git .*commit/.test(line));
    const before = lines.slice(0, commit);
    expect(commit).toBeGreaterThan(0);
    expect(before.lastIndexOf(JOURNAL)).toBeGreaterThan(before.findLastIndex((line) => line.startsWith('record')));

    const end = lines.indexOf('record ended');
    expect(lines.slice(0, end).lastIndexOf(JOURNAL)).toBeGreaterThan(lines.lastIndexOf('record published'));
    expect(lines[end + 1]).toBe(JOURNAL);
  });

  test('a request that contains a key is on disk before the journal names it', async () => {
    const { env, told } = telling();
    const scene = makeScene({
      play: 'echo "<response>DONE</response>"',
      env: { ...env, API_KEY: 'geheim-1234567890' },
    });
    await scene.ralph(['run', '-p', 'Use geheim-1234567890.', '-m', '1']).exited;
    const lines = shortened(told(), scene.state);
    expect(lines.indexOf('sync STATE/loops/LOOP/request.json')).toBeGreaterThanOrEqual(0);
    expect(lines.indexOf('sync STATE/loops/LOOP/request.json')).toBeLessThan(lines.indexOf('record created'));
  });

  test('records that were tampered with are on disk again, with their end, before the loop ends', async () => {
    const { env, told } = telling();
    const scene = makeScene({ play: 'rm -r "$XDG_STATE_HOME"/ralph/loops/*; echo "<response>DONE</response>"', env });
    const { code } = await scene.run();
    expect(code).toBe(9);
    const lines = shortened(told(), scene.state);
    const end = lines.indexOf('record ended');
    expect(lines.slice(end, end + 3)).toEqual(['record ended', JOURNAL, LOOP]);
  });
});

test('archiving a plan ends its loop of stories, and that end is synced to disk', async () => {
  const { env, told } = telling();
  const scene = storiesScene([story('A')], { play: 'at_gate', env });
  const loop = scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'));
  await scene.logged('at gate 1/work/1');
  loop.signal('SIGKILL');
  await loop.exited;
  expect(told()).not.toContain('record ended');
  expect((await scene.stories('archive').exited).code).toBe(0);
  const lines = shortened(told(), scene.state);
  expect(lines[lines.indexOf('record ended') + 1]).toBe(JOURNAL);
});

const AGAIN = { input: { stop_hook_active: true } };

describe('the loop inside a session', () => {
  test('the records behind an answer are on disk before the answer is given', async () => {
    const session = hookedSession({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' } });
    const begun = telling();
    await session.type('ralph-loop', 'Do it.', { env: begun.env });
    const first = shortened(begun.told(), session.state);
    expect(first).toContain('sync STATE/loops');
    expect(first).toContain(JOURNAL);
    expect(first.indexOf('record created')).toBeLessThan(first.indexOf(JOURNAL));

    for (const [step, act] of [
      ['a stop', (env: Record<string, string>) => session.stop('Not yet.', { toolCalls: 1 }, { env })],
      ['a stop at the cap', (env: Record<string, string>) => session.stop('Nor now.', AGAIN, { env })],
      ['a resume', (env: Record<string, string>) => session.type('ralph-loop', '--resume', { env })],
      ['a cancel', (env: Record<string, string>) => session.type('cancel-ralph', '', { env })],
    ] as const) {
      const { env, told } = telling();
      await act(env);
      const lines = shortened(told(), session.state);
      const lastRecord = lines.findLastIndex((line) => line.startsWith('record'));
      expect({ step, after: lines[lastRecord + 1] }).toEqual({ step, after: JOURNAL });
    }
  });
});
