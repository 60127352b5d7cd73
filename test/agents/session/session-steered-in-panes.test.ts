/**
 * The loop inside a session, steered by a person: Claude Code works in one pane of a real tmux, and from other panes
 * the loop is listed, followed, sent messages, paused and stopped. Only its own session can resume it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Recorded } from '../../../src/core/record.ts';
import { parseJournal } from '../../../src/state/journal.ts';
import { type RehearsedPane, rehearsedPane, typeText } from '../rehearsed-pane.ts';
import { installAgents } from '../scene.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');
const CLAUDE = ['claude', '--dangerously-skip-permissions', '--plugin-dir', PLUGIN];
const LOOK_EVERY_MS = 50;
const EXIT = '--exit-code:';

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

/** The agent signals that it is at work, and waits until the test lets it continue. */
const gated = (iteration: number) => {
  const command = `touch "$FRESH/at-work-${iteration}"; while [ ! -e "$FRESH/go-${iteration}" ]; do sleep 0.1; done`;
  return { tool: { name: 'Bash', input: { command, description: 'Work' } } };
};

test('a loop can be listed, followed, told something, paused, resumed in its session and stopped', async () => {
  const turns = [gated(1), { say: 'One.' }, gated(2), { say: 'Two.' }, gated(3), { say: 'Three.' }];
  const session = await rehearsedPane(programs, { turns, otherwise: { say: 'lost' } }, CLAUDE);
  await session.until('ready');
  await enter(session, '/ralph:ralph-loop "Make it work" --max-iterations=9');
  await atWork(session, 1);

  const listed = await typed(session, 'ralph ls');
  expect(listed).toMatch(/^● \w{4,} +session +\. +in its session +1\/9 /m);
  expect(await json(session, 'ralph ls --json')).toMatchObject([byJournal(session)]);
  expect(await json(session, 'ralph status --json')).toMatchObject({ ...byJournal(session), task: 'Make it work' });
  const follower = lineIn(session, 'ralph logs -f');
  await follower.shows('── 1/9 ──');

  expect(await typed(session, 'ralph tell "Use tabs."')).toContain('gets it with its next prompt');
  expect(await typed(session, 'ralph status')).toMatch(/next prompt +tell: Use tabs\./);
  await refused(session, 'ralph pause --now', /^hint: Type \/cancel-ralph in it/m);
  await refused(session, 'ralph stop --now', /^hint: Type \/cancel-ralph in it/m);
  await refused(session, 'ralph attach', /^hint: .* type in it: \/ralph-status/m);
  await refused(session, 'ralph resume', RESUME_THERE);
  expect(journalOf(session).some(({ result }) => result.kind === 'ended')).toBe(false);

  letGo(session, 1);
  await atWork(session, 2);
  expect(toldIn(session)).toEqual(['Use tabs.']);
  expect(session.texts().some((text) => text.includes('Stop hook feedback') && text.includes('Use tabs.'))).toBe(true);
  await follower.shows('── 2/9 ──');

  expect(await typed(session, 'ralph pause')).toMatch(
    /pauses when its agent next stops\.\nTo continue, type in its session: \/ralph-loop --resume$/,
  );
  expect(await typed(session, 'ralph ls')).toMatch(/^● .* pausing +2\/9 /m);
  letGo(session, 2);
  await until(session, 'ralph ls', / paused +2\/9 /);
  expect(journalOf(session).at(-1)?.result).toMatchObject({ kind: 'waited', command: 'pause' });
  await session.until('ready');
  for (const line of ['ralph resume', `ralph resume ${idOf(session)}`]) await refused(session, line, RESUME_THERE);
  await typed(session, 'ralph tell "Keep it short."');
  await enter(session, '/ralph:ralph-loop --resume');
  await atWork(session, 3);
  expect(toldIn(session)).toEqual(['Use tabs.', 'Keep it short.']);
  expect(session.texts().some((text) => text.includes('Keep it short.'))).toBe(true);
  await until(session, 'ralph ls', / in its session +3\/9 /);

  expect(await typed(session, 'ralph stop')).toMatch(/stops when its agent next stops\.$/);
  expect(await typed(session, 'ralph ls')).toMatch(/^● .* stopping +3\/9 /m);
  letGo(session, 3);
  await follower.ended();
  expect(await typed(session, 'ralph ls')).toMatch(/^✗ \w{4,} +session .* stopped +3\/9 /m);
  expect(journalOf(session).at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'stopped' } });
  expect(await json(session, 'ralph ls --json')).toMatchObject([
    { ...byJournal(session), ending: { kind: 'stopped' } },
  ]);
  await session.until('ready');
  expect(session.texts()).not.toContain('lost');
});

const RESUME_THERE = /^hint: .* type: \/ralph-loop --resume$/m;

/** A session refuses what others cannot do, and the hint says what to type in the session instead. */
async function refused(session: RehearsedPane, line: string, hint: RegExp): Promise<void> {
  const { code, screen } = await lineIn(session, line).ended();
  expect(`${line}: exit ${code}\n${screen}`).toMatch(hint);
  expect(code).not.toBe(0);
}

async function enter(session: RehearsedPane, text: string): Promise<void> {
  await typeText(session, text);
  await session.pane.press('Enter');
}

async function atWork({ folder }: RehearsedPane, iteration: number): Promise<void> {
  while (!existsSync(join(folder, `at-work-${iteration}`))) await sleep(LOOK_EVERY_MS);
}

function letGo({ folder }: RehearsedPane, iteration: number): void {
  writeFileSync(join(folder, `go-${iteration}`), '');
}

const loopsOf = ({ state }: RehearsedPane): string => join(state, 'ralph/loops');
const idOf = (session: RehearsedPane): string => readdirSync(loopsOf(session))[0] ?? '';

function journalOf(session: RehearsedPane): Recorded[] {
  const path = join(loopsOf(session), idOf(session), 'journal.jsonl');
  return parseJournal(readFileSync(path), path).records;
}

function toldIn(session: RehearsedPane): string[] {
  return journalOf(session).flatMap(({ result }) =>
    ('told' in result ? (result.told ?? []) : []).map(({ text }) => text),
  );
}

/** What a list must show, according to the journal. */
function byJournal(session: RehearsedPane): object {
  const records = journalOf(session);
  const created = records[0]?.result;
  if (created?.kind !== 'created') throw new Error('the journal has no first record');
  const { id, loopKind, cwd } = created;
  const iterations = records.filter(({ result }) => result.kind === 'started').length;
  return { id, loopKind, cwd, iterations, createdAt: records[0]?.at, updatedAt: records.at(-1)?.at };
}

/** Runs a line of shell in another pane of the same tmux. */
function lineIn({ tmux, state }: RehearsedPane, line: string) {
  // A new window has the PATH of the client that asks for it.
  const path = `${join(dirname(state), 'bin')}:${dirname(process.execPath)}:$PATH`;
  const whole = `PATH=${path}; ${line}; printf '\\n${EXIT}%s\\n' $?; read -r _`;
  const pane = tmux(
    'new-window',
    '-d',
    '-P',
    '-F',
    '#{pane_id}',
    '-c',
    join(dirname(state), 'work'),
    'sh',
    '-c',
    whole,
  ).trim();
  const screen = (): string =>
    tmux('capture-pane', '-p', '-J', '-S', '-', '-t', pane)
      .replaceAll(/[ \t]+$/gm, '')
      .trimEnd();
  const shows = async (text: string): Promise<string> => {
    for (let now = screen(); ; now = screen()) {
      if (now.includes(text)) return now;
      if (now.includes(EXIT)) throw new Error(`${line} ended without "${text}":\n${now}`);
      await sleep(LOOK_EVERY_MS);
    }
  };
  return {
    shows,
    async ended(): Promise<{ readonly code: number; readonly screen: string }> {
      const [shown = '', code] = (await shows(EXIT)).split(EXIT);
      tmux('kill-pane', '-t', pane);
      return { code: Number(code), screen: shown.trimEnd() };
    },
  };
}

/** Runs a line of shell, which must succeed, and returns what it showed. */
async function typed(session: RehearsedPane, line: string): Promise<string> {
  const { code, screen } = await lineIn(session, line).ended();
  if (code !== 0) throw new Error(`${line}: exit ${code}\n${screen}`);
  return screen;
}

/** Uses a file, because a screen would break long lines. */
async function json(session: RehearsedPane, line: string): Promise<unknown> {
  const file = join(session.folder, 'shown.json');
  await typed(session, `${line} >'${file}'`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function until(session: RehearsedPane, line: string, words: RegExp): Promise<void> {
  while (!words.test(await typed(session, line))) await sleep(LOOK_EVERY_MS);
}
