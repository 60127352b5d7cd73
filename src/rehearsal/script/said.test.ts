import { expect, test } from 'vitest';
import { say, saysAnything } from './said.ts';

test('the text comes in pieces that break no character', () => {
  const text = `${'🙂'.repeat(30)}<promise>DONE</promise>`;
  const pieces = [...say({ say: text }, []).text];
  expect(pieces.length).toBeGreaterThan(2);
  // Half a character would not survive UTF-8.
  expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(pieces);
  expect(pieces.join('')).toBe(text);
  expect(saysAnything(say({ say: '' }, []))).toBe(false);
});

test('actions become a call of the shell behind the tools that are named', () => {
  const read = { name: 'Read', input: {} };
  const { tools, text } = say({ tool: read, run: 'ls' }, ['Read', 'Bash']);
  expect(tools).toEqual([read, { name: 'Bash', input: expect.objectContaining({ command: 'ls' }) }]);
  expect([...text]).toEqual([]);
});

test('without a shell the reply says so', () => {
  const { tools, text } = say({ say: 'I list.', run: 'ls' }, ['Read', 'Write']);
  expect(tools).toEqual([]);
  expect([...text].join('')).toMatch(/^I list\.\n.*none of the offered tools as a shell: Read, Write\.$/);
});

test('a big reply has that many bytes before its words, each time it is gone through', () => {
  const { text } = say({ say: 'The end.', fault: { bigReplyBytes: 100_000 } }, []);
  for (const _ of [1, 2]) {
    const whole = [...text].join('');
    expect(Buffer.byteLength(whole)).toBe(100_000 + 'The end.'.length);
    expect(whole.endsWith('The end.')).toBe(true);
  }
});

test('what a turn does not say about usage is nothing, but a silent turn costs something', () => {
  expect(say({ say: 'x', usage: { inputTokens: 1, outputTokens: 2 } }, []).usage).toEqual({
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  });
  expect(say({ say: 'x' }, []).usage.inputTokens).toBeGreaterThan(0);
});
