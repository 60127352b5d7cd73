import { expect, test } from 'vitest';
import { replay } from '../../../test/support/recorded/session.ts';
import type { SessionAnswer, SessionEvent, StopEvent } from '../session/host.ts';
import { codex } from './hook.ts';

const BASE = { session_id: 's-1', cwd: '/home/me/project', transcript_path: '/nowhere/rollout.jsonl' };
const PROMPT = { ...BASE, hook_event_name: 'UserPromptSubmit' };
const STOP = { ...BASE, hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'Said.' };

const readEvent = (input: object) => codex.readEvent(input as Readonly<Record<string, unknown>>);

test('a recorded session: each end brings what the agent itself has done and said since the last one', () => {
  const [begin, first, second] = replay(codex, 'codex');
  expect(begin?.event).toMatchObject({ on: 'command', command: 'ralph-loop', args: ' "Count the files"' });
  expect(first?.event).toMatchObject({ on: 'stop', words: 'I think I am done.', isFresh: true });
  // By now the promise has come from the command, a subagent and the hook, but not from the agent.
  const texts = ['I look first.', 'I delegate.', 'I wait.', 'I think I am done.'];
  expect(first?.work).toMatchObject({ toolCalls: 3, hasOutput: true, texts });
  expect(second?.event).toMatchObject({ on: 'stop', words: 'Now it is done: <promise>DONE</promise>', isFresh: false });
  expect(second?.work).toMatchObject({ toolCalls: 0, texts: ['Now it is done: <promise>DONE</promise>'] });
});

test.each([
  ['/ralph-loop "a b" --max-iterations 3', ' "a b" --max-iterations 3'],
  ['  /ralph-loop  two', '  two'],
  ['$ralph-loop "x"', ' "x"'],
  ['/prompts:ralph-loop x', ' x'],
  ['/ralph-loop\n---\n`a` $(b) !c "d', '\n---\n`a` $(b) !c "d'],
  ['/ralph-loop', ''],
])('%j begins a loop', (prompt, args) => {
  expect(readEvent({ ...PROMPT, prompt })).toMatchObject({
    on: 'command',
    command: 'ralph-loop',
    args,
    session: 's-1',
  });
});

test.each(['ralph-loop x', 'Say /ralph-loop', '/ralph-loops', '$ralph-loop-x', '/ralph-loop:x', ''])(
  '%j is none of our business',
  (prompt) => {
    expect(readEvent({ ...PROMPT, prompt })).toBeNull();
  },
);

test.each([
  { ...STOP, hook_event_name: 'SubagentStop', agent_id: 'a-1', agent_type: 'default' },
  { ...STOP, agent_id: 'a-1' },
  { ...PROMPT, prompt: '/ralph-loop x', agent_id: 'a-1' },
  { ...STOP, session_id: undefined },
  { ...BASE, hook_event_name: 'PreCompact' },
  {},
])('a subagent or an event of another kind is not heard', (input) => {
  expect(readEvent(input)).toBeNull();
});

test('without a rollout the last words are still there, and the calls are not known', () => {
  const event = readEvent({ ...STOP, last_assistant_message: null }) as StopEvent;
  expect(event.words).toBe('');
  const mark = codex.markNow(event);
  expect(mark).toEqual({ transcript: BASE.transcript_path, offset: 0 });
  expect(codex.workSince(event, mark)).toEqual({ toolCalls: null, hasOutput: false, texts: [], mark });
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
  ['Stop', { kind: 'nothing' }, null],
  [
    'UserPromptSubmit',
    { kind: 'tell', context: 'C <promise>DONE</promise>', notice: 'N' },
    {
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'C <promise>DONE</promise>' },
      systemMessage: 'N',
    },
  ],
  ['UserPromptSubmit', { kind: 'reply', message: 'M', refused: true }, { decision: 'block', reason: 'M' }],
  [
    'Stop',
    { kind: 'go-on', prompt: 'P', notice: 'N' },
    {
      decision: 'block',
      reason: expect.stringMatching(/^P\n\nAngle brackets .* real angle brackets/),
      systemMessage: 'N',
    },
  ],
  ['Stop', { kind: 'stop', notice: 'N' }, { systemMessage: 'N' }],
  ['Stop', { kind: 'stop', notice: null }, null],
])('to %s %j is said as Codex reads it', (name, answer, said) => {
  const event = readEvent({ ...STOP, ...PROMPT, hook_event_name: name, prompt: '/ralph-loop x' }) as SessionEvent;
  const text = codex.say(event, answer);
  expect(text === '' ? null : JSON.parse(text)).toEqual(said);
});
