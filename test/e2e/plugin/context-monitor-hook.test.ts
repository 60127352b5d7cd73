/** The context monitor as Claude Code calls it after every tool: section 3 of the seed's verification plan. */
import { existsSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/scene.ts';
import { answered, type Calling, hookSession, type Session } from '../../support/session/plugin-hooks.ts';

/** The characters in one percent of the usual window of 200,000 tokens, at four characters per token. */
const PERCENT = 8000;

const NOTICE =
  'Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.';
const WARNING =
  'Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.';
const CRITICAL =
  'Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.';

async function alert(session: Session, calling?: Calling): Promise<unknown> {
  return answered(await session.call('context-monitor', { hook_event_name: 'PostToolUse' }, calling))
    ?.hookSpecificOutput;
}

async function alertAt(session: Session, percent: number, calling?: Calling): Promise<unknown> {
  session.grow(percent * PERCENT);
  return alert(session, calling);
}

function said(text: string) {
  return { hookEventName: 'PostToolUse', additionalContext: text };
}

test('each of the five thresholds is reported once', async () => {
  const session = hookSession();
  await session.call('session-start', { source: 'startup' });
  const texts: [percent: number, text: string | null][] = [
    [49.99, null],
    [50, `NOTICE: Context window is at ~50% usage (crossed 50% threshold). ${NOTICE}`],
    [59, null],
    [61, `NOTICE: Context window is at ~61% usage (crossed 60% threshold). ${NOTICE}`],
    [70, `WARNING: Context window is at ~70% usage (crossed 70% threshold). ${WARNING}`],
    [71, null],
    [89, `WARNING: Context window is at ~89% usage (crossed 80% threshold). ${WARNING}`],
    [90, `CRITICAL: Context window is at ~90% usage (crossed 90% threshold). ${CRITICAL}`],
    [95, null],
    [300, null],
  ];
  for (const [percent, text] of texts)
    expect(await alertAt(session, percent)).toEqual(text === null ? undefined : said(text));
});

test('a jump reports the highest threshold, and never the lower ones', async () => {
  const session = hookSession();
  expect(await alertAt(session, 75)).toEqual(said(expect.stringContaining('crossed 70% threshold') as string));
  expect(await alert(session)).toBeUndefined();
  // As after a compaction that shortened the transcript.
  expect(await alertAt(session, 55)).toBeUndefined();
  expect(await alertAt(session, 81)).toEqual(said(expect.stringContaining('crossed 80% threshold') as string));
});

test('more than the whole window is reported as 100 %', async () => {
  expect(await alertAt(hookSession(), 300)).toEqual(said(expect.stringContaining('at ~100% usage') as string));
});

test('CLAUDE_CONTEXT_WINDOW sets the size of the window', async () => {
  const env = { CLAUDE_CONTEXT_WINDOW: '1000' };
  const session = hookSession();
  session.grow(2000);
  expect(await alert(session, { env })).toEqual(said(expect.stringContaining('at ~50% usage') as string));
  const other = hookSession();
  other.grow(2000);
  expect(await alert(other, { env: { CLAUDE_CONTEXT_WINDOW: 'much' } })).toBeUndefined();
});

test('node is started only when a threshold may have been crossed', async () => {
  const session = hookSession();
  await session.call('session-start', { source: 'startup' });
  const calling = spiedNode(session);
  session.grow(49 * PERCENT);
  for (let call = 0; call < 3; call++) expect(await alert(session, calling)).toBeUndefined();
  expect(calling.starts()).toBe(0);
  expect(await alertAt(session, 50, calling)).toBeDefined();
  expect(await alertAt(session, 59, calling)).toBeUndefined();
  expect(calling.starts()).toBe(1);
  expect(await alertAt(session, 95, calling)).toBeDefined();
  expect(await alertAt(session, 99, calling)).toBeUndefined();
  expect(calling.starts()).toBe(2);
});

test('for a session whose start was not seen, node is started once', async () => {
  const session = hookSession();
  const calling = spiedNode(session);
  for (const percent of [1, 2, 3]) expect(await alertAt(session, percent, calling)).toBeUndefined();
  expect(calling.starts()).toBe(1);
});

test('only the size of the transcript is read: a terabyte takes no time', async () => {
  const session = hookSession();
  session.grow(0);
  truncateSync(session.transcript, 2 ** 40);
  const env = { CLAUDE_CONTEXT_WINDOW: String(2 ** 39) };
  expect(await alert(session, { env })).toEqual(said(expect.stringContaining('crossed 50%') as string));
  expect(await alert(session, { env })).toBeUndefined();
});

test('a new session resets its own thresholds and no others; a compaction does not', async () => {
  const [session, other] = [hookSession(), hookSession()];
  for (const each of [session, other]) expect(await alertAt(each, 55)).toBeDefined();
  await session.call('session-start', { source: 'compact' });
  expect(await alert(session)).toBeUndefined();
  await session.call('session-start', { source: 'resume' });
  expect(await alert(session)).toEqual(said(expect.stringContaining('crossed 50%') as string));
  expect(await alert(other)).toBeUndefined();
});

test('the end of a session deletes its own files, and no others', async () => {
  const [session, other] = [hookSession(), hookSession()];
  for (const each of [session, other]) expect(await alertAt(each, 95)).toBeDefined();
  expect(filesOf(session)).toHaveLength(6);
  expect(answered(await session.call('session-end', { reason: 'other' }))).toBeNull();
  expect(filesOf(session)).toEqual([]);
  expect(filesOf(other)).toHaveLength(6);
});

test('several copies of the plugin, called at once, report once', async () => {
  const session = hookSession();
  for (const percent of [50, 65, 72, 80, 91]) {
    session.grow(percent * PERCENT);
    const answers = await Promise.all(Array.from({ length: 4 }, () => alert(session)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
  }
});

test('a planted symbolic link is not followed', async () => {
  const session = hookSession();
  const victim = join(session.folder, 'victim');
  writeFileSync(victim, 'precious');
  for (const end of ['', '.50']) symlinkSync(victim, `/tmp/claude-context-alerts-${session.id}${end}`);
  const { code } = await session.call('context-monitor', {});
  expect(code).toBe(0);
  session.grow(50 * PERCENT);
  await session.call('context-monitor', {});
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

test.each([
  ['a path', '../../tmp/x'],
  ['a very long one', 'x'.repeat(5000)],
  ['nothing', ''],
])('an invalid session id creates no file: %s', async (_what, name) => {
  const session = hookSession();
  session.grow(50 * PERCENT);
  const before = readdirSync('/tmp').filter((file) => file.startsWith('claude-context-alerts-')).length;
  const env = { CLAUDE_CODE_SESSION_ID: name };
  expect(answered(await session.call('context-monitor', { session_id: name }, { env }))).toBeNull();
  expect(answered(await session.call('session-start', { session_id: name }, { env }))).toBeNull();
  expect(readdirSync('/tmp').filter((file) => file.startsWith('claude-context-alerts-')).length).toBe(before);
});

test('a missing transcript reports nothing', async () => {
  const session = hookSession();
  expect(await alert(session)).toBeUndefined();
  await session.call('session-start', { source: 'startup' });
  expect(await alert(session)).toBeUndefined();
});

test.each(['', '{"session_id":', 'null', '[]'])('malformed stdin is ignored: %j', async (stdin) => {
  const session = hookSession();
  for (const hook of ['context-monitor', 'session-start'] as const) {
    const { code, stdout } = await session.call(hook, {}, { stdin });
    expect([0, 1]).toContain(code);
    expect(stdout).toBe('');
  }
});

test('a non-blocking stdin with a large tool response is read to its end', async () => {
  const session = hookSession();
  session.grow(50 * PERCENT);
  const front = [join(ROOT, 'test/fakes/nonblocking-stdin.pl')];
  const input = { tool_response: { stdout: 'x'.repeat(1_000_000) } };
  expect(answered(await session.call('context-monitor', input, { front }))).not.toBeNull();
});

function filesOf({ id }: Session): string[] {
  return readdirSync('/tmp').filter((file) => file.includes(id));
}

/** A `node` that logs each start, then runs the real one. */
function spiedNode(session: Session): Calling & { starts(): number } {
  const bin = testFolder();
  const log = join(session.folder, 'starts');
  const spy = join(bin, 'node');
  writeFileSync(spy, `#!/bin/sh\necho started >>'${log}'\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  return {
    env: { RALPH_NODE: spy },
    starts: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0),
  };
}
