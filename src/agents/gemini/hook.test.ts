import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { replay } from '../../../test/support/recorded/session.ts';
import type { SessionAnswer, SessionEvent, StopEvent } from '../session/host.ts';
import { gemini } from './hook.ts';

const BASE = { session_id: 's-1', cwd: '/home/me/project', transcript_path: '/nowhere/chat.jsonl' };
const BEFORE = { ...BASE, hook_event_name: 'BeforeAgent' };
const AFTER = { ...BASE, hook_event_name: 'AfterAgent', prompt: 'x', stop_hook_active: false };

const readEvent = (input: object) => gemini.readEvent(input as Readonly<Record<string, unknown>>);

test('a recorded session: each end brings what the agent itself has done and said since the last one', () => {
  const [begin, first, again, second] = replay(gemini, 'gemini');
  expect(begin?.event).toMatchObject({ on: 'command', command: 'ralph-loop', args: ' "Count the files"' });
  expect(first?.event).toMatchObject({ on: 'stop', words: null, isFresh: true });
  // By now the promise has come from the command, a subagent and the hook, but not from the agent.
  const texts = ['I look first.', 'I delegate.', 'I think I am done.'];
  expect(first?.work).toMatchObject({ toolCalls: 2, hasOutput: true, texts });
  // The hook's text comes back as a prompt.
  expect(again?.event).toBeNull();
  expect(second?.event).toMatchObject({ on: 'stop', isFresh: false });
  // The stream was cut in the middle of the tag; pieces of it are in the reported response twice.
  expect(second?.work).toMatchObject({ toolCalls: 0, texts: ['Now it is done: <promise>DONE</promise>'] });
});

test('when Gemini CLI has found a loop and does not ask its model any more, there is nothing new', () => {
  const texts = replay(gemini, 'gemini-repeats').map(({ work }) => work?.texts);
  // The hook's own text comes between the answers of the first.
  expect(texts.map((said) => said?.length)).toEqual([1, 0, 0, 0]);
});

test.each([
  ['/ralph-loop\n\n/ralph-loop "a b" --max-iterations 3', ' "a b" --max-iterations 3'],
  ['/ralph-loop\n\n/ralph-loop "a\n\n---\n  b"', ' "a\n\n---\n  b"'],
  ['/ralph-loop "a b"', ' "a b"'],
  [' /ralph-loop  two', '  two'],
  ['/ralph-loop\n\n/cancel-ralph is a word', '\n\n/cancel-ralph is a word'],
  ['/ralph-loop', ''],
  ['<hook_context>Of /cancel-ralph &lt;b&gt;</hook_context>\n\n/ralph-loop "a"', ' "a"'],
])('%j begins a loop', (prompt, args) => {
  expect(readEvent({ ...BEFORE, prompt })).toMatchObject({
    on: 'command',
    command: 'ralph-loop',
    args,
    session: 's-1',
  });
});

test.each(['ralph-loop x', '$ralph-loop x', '/ralph-loops', 'You may read about /ralph-loop', ''])(
  '%j is none of our business',
  (prompt) => {
    expect(readEvent({ ...BEFORE, prompt })).toBeNull();
  },
);

test('an event of another kind is not heard', () => {
  expect(readEvent({ ...AFTER, session_id: undefined })).toBeNull();
  expect(readEvent({ ...BASE, hook_event_name: 'PreCompress' })).toBeNull();
  expect(readEvent({})).toBeNull();
});

test.each([0, 300])(
  'a chat file that another Gemini CLI has removed goes on as a new one, %i bytes longer',
  (longer) => {
    const path = join(testFolder(), 'chat.jsonl');
    const line = (content: string) => `${JSON.stringify({ id: content, type: 'gemini', content })}\n`;
    writeFileSync(path, line('Old. <promise>DONE</promise>'.padEnd(200)));
    const event = { ...(readEvent({ ...AFTER, stop_hook_active: true }) as StopEvent), transcript: path };
    const mark = gemini.markNow(event);
    rmSync(path);
    writeFileSync(path, line('New.'.padEnd(longer)));
    const work = gemini.workSince(event, mark);
    expect(work.texts).toEqual(['New.'.padEnd(longer)]);
    appendFileSync(path, line('Newer.'));
    expect(gemini.workSince(event, work.mark).texts).toEqual(['Newer.']);
  },
);

test('a message of another kind that speaks of one of the agent is none', () => {
  const path = join(testFolder(), 'chat.jsonl');
  const response = { functionResponse: { response: { type: 'gemini' } } };
  writeFileSync(path, `${JSON.stringify({ id: 'u', type: 'user', content: [{ text: 'Not mine.' }, response] })}\n`);
  const event = { ...(readEvent(AFTER) as StopEvent), transcript: path };
  expect(gemini.workSince(event, { transcript: path, offset: 0 }).texts).toEqual([]);
});

test('without a chat file the response is cut where the last one ended, and the calls are not known', () => {
  const heard = (stop_hook_active: boolean, prompt_response: string) =>
    readEvent({ ...AFTER, stop_hook_active, prompt_response }) as StopEvent;
  const first = gemini.workSince(heard(false, 'One.'), { transcript: BASE.transcript_path, offset: 7 });
  expect(first).toMatchObject({ toolCalls: null, hasOutput: false, texts: ['One.'] });
  const second = gemini.workSince(heard(true, 'One.\nTwo.'), first.mark);
  expect(second.texts).toEqual(['\nTwo.']);
  expect(gemini.workSince(heard(true, 'One.\nTwo.'), second.mark).texts).toEqual([]);
  expect(gemini.workSince(heard(false, 'New.'), second.mark).texts).toEqual(['New.']);
});

test('of a chat file that is gone nothing old is taken for new', () => {
  const event = readEvent({
    ...AFTER,
    stop_hook_active: true,
    prompt_response: 'Old. <promise>DONE</promise>',
  }) as StopEvent;
  expect(gemini.workSince(event, { transcript: BASE.transcript_path, offset: 7 }).texts).toEqual([]);
});

test.each([
  ['resume', 'context-renewed'],
  ['compact', 'context-renewed'],
  ['startup', undefined],
  ['clear', undefined],
])('a session that begins by %s: %s', (source, on) => {
  expect(readEvent({ ...BASE, hook_event_name: 'SessionStart', source })?.on).toBe(on);
});

test.each<[string, SessionAnswer, object | null]>([
  ['AfterAgent', { kind: 'nothing' }, null],
  [
    'BeforeAgent',
    { kind: 'tell', context: 'C', notice: null },
    {
      hookSpecificOutput: {
        hookEventName: 'BeforeAgent',
        additionalContext: expect.stringMatching(/^C\n\nAngle brackets .* real angle brackets/),
      },
    },
  ],
  ['BeforeAgent', { kind: 'reply', message: 'M', refused: false }, { decision: 'deny', reason: 'M' }],
  ['AfterAgent', { kind: 'go-on', prompt: 'P', notice: 'N' }, { decision: 'deny', reason: 'P', systemMessage: 'N' }],
  ['AfterAgent', { kind: 'stop', notice: 'N' }, { systemMessage: 'N' }],
  ['AfterAgent', { kind: 'stop', notice: null }, null],
])('to %s %j is said as Gemini CLI reads it', (name, answer, said) => {
  const event = readEvent({ ...AFTER, hook_event_name: name, prompt: '/ralph-loop x' }) as SessionEvent;
  const text = gemini.say(event, answer);
  expect(text === '' ? null : JSON.parse(text)).toEqual(said);
});
