import { describe, expect, test } from 'vitest';
import type { StopEvent } from '../session/host.ts';
import { opencode } from './hook.ts';

const IN = { session: 'ses_1', cwd: '/work' };

function said(at: number, ...texts: string[]) {
  return { at, texts, tools: 1, hasOutput: true };
}

describe('what is heard', () => {
  test('a command, with its words as they were typed', () => {
    const raw = { ...IN, hook: 'command', command: 'ralph-loop', arguments: ' "a" `b`\n', newest: 7 };
    const event = opencode.readEvent(raw);
    expect(event).toMatchObject({ on: 'command', command: 'ralph-loop', args: ' "a" `b`\n', ...IN });
    expect(event && opencode.markNow(event)).toEqual({ transcript: null, offset: 7 });
  });

  test.each([
    {},
    { ...IN },
    { ...IN, hook: 'command', command: 'other', arguments: '' },
    { ...IN, hook: 'command', command: 'ralph-loop' },
    { ...IN, hook: 'something new' },
    { hook: 'idle', messages: [] },
  ])('none of our business: %j', (raw) => {
    expect(opencode.readEvent(raw)).toBeNull();
  });
});

describe('what was done since the mark', () => {
  const stop = (messages: unknown) => opencode.readEvent({ ...IN, hook: 'idle', messages }) as StopEvent;

  test('counts from there on, and moves it', () => {
    const event = stop([said(1, 'old'), said(2, 'one', 'two'), said(3, 'three')]);
    expect(event.words).toBe('three');
    expect(opencode.workSince(event, { transcript: null, offset: 1 })).toEqual({
      toolCalls: 2,
      hasOutput: true,
      texts: ['one', 'two', 'three'],
      mark: { transcript: null, offset: 3 },
    });
  });

  test('nothing new leaves the mark where it is', () => {
    const work = opencode.workSince(stop([said(1, 'old')]), { transcript: null, offset: 1 });
    expect(work).toMatchObject({ toolCalls: 0, texts: [], mark: { offset: 1 } });
  });

  test.each([undefined, 'text', [null, 1, {}, { at: 1, texts: [1], tools: 0, hasOutput: true }]])(
    'nonsense is nothing: %j',
    (messages) => {
      expect(opencode.workSince(stop(messages), { transcript: null, offset: 0 })).toMatchObject({
        toolCalls: 0,
        texts: [],
      });
    },
  );
});
