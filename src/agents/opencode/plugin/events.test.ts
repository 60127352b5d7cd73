import { expect, test } from 'vitest';
import type { Message, Part } from './client.ts';
import { whatTheAgentDid } from './events.ts';

const STEP = { type: 'step-start' };

function message(role: 'user' | 'assistant', created: number, ...parts: Part[]): Message {
  return { info: { role, time: { created } }, parts };
}

test('the agent’s own words and tool calls, message by message', () => {
  const did = whatTheAgentDid([
    message('user', 1, { type: 'text', text: '<promise>DONE</promise>' }),
    message(
      'assistant',
      2,
      STEP,
      { type: 'reasoning', text: 'thinking <promise>DONE</promise>' },
      { type: 'text', text: 'One.' },
      { type: 'tool', state: { status: 'completed', output: '<promise>DONE</promise>' } },
      { type: 'text', text: 'from opencode', synthetic: true },
    ),
    message('assistant', 3, STEP, { type: 'tool', state: { status: 'error' } }, { type: 'text', text: 'Two.' }),
  ]);
  expect(did).toEqual([
    { at: 2, texts: ['One.'], tools: 1, hasOutput: true },
    // A call that ended in an error was denied or interrupted.
    { at: 3, texts: ['Two.'], tools: 0, hasOutput: false },
  ]);
});

test('a command that the user ran in the session is no work of the agent', () => {
  const shell = { type: 'tool', state: { status: 'completed', output: 'ran' } };
  expect(whatTheAgentDid([message('assistant', 2, shell)])).toEqual([]);
});
