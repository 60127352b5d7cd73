import { expect, test } from 'vitest';
import { anthropic } from './anthropic.ts';
import type { Turn } from './script.ts';

const turn: Turn = {
  say: 'I list.',
  tools: [
    { name: 'Bash', input: { command: 'ls' } },
    { name: 'Read', input: { file_path: 'a' } },
  ],
  usage: { inputTokens: 12, outputTokens: 34 },
};
const reply = { number: 5, model: 'claude-x' };

interface EventData {
  readonly type: string;
}

function dataOf(event: string): EventData {
  const [name, data] = event.split('\n');
  const parsed = JSON.parse(data?.replace(/^data: /, '') ?? '') as EventData;
  expect(name).toBe(`event: ${parsed.type}`);
  expect(event.endsWith('\n\n')).toBe(true);
  return parsed;
}

test('a turn streams as the Messages API does', () => {
  const events = anthropic.events(turn, reply).map(dataOf);
  const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    ...block,
    ...block,
    ...block,
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]).toMatchObject({
    message: { role: 'assistant', model: 'claude-x', content: [], stop_reason: null, usage: { input_tokens: 12 } },
  });
  expect(events[1]).toMatchObject({ index: 0, content_block: { type: 'text', text: '' } });
  expect(events[2]).toMatchObject({ index: 0, delta: { type: 'text_delta', text: 'I list.' } });
  expect(events[4]).toMatchObject({ index: 1, content_block: { type: 'tool_use', name: 'Bash', input: {} } });
  expect(events[5]).toMatchObject({ delta: { type: 'input_json_delta', partial_json: '{"command":"ls"}' } });
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 34 } });
});

test('the whole form says the same in one piece', () => {
  expect(anthropic.whole(turn, reply)).toMatchObject({
    type: 'message',
    content: [
      { type: 'text', text: 'I list.' },
      { type: 'tool_use', id: 'toolu_rehearsal_5_0', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', id: 'toolu_rehearsal_5_1', name: 'Read', input: { file_path: 'a' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 12, output_tokens: 34 },
  });
});

test('text alone ends the turn, and silence has no block', () => {
  expect(anthropic.whole({ say: 'Done.' }, reply)).toMatchObject({ stop_reason: 'end_turn' });
  expect(anthropic.whole({ say: '' }, reply)).toMatchObject({ content: [], stop_reason: 'end_turn' });
});

test('the last user text holds texts and tool results, and no later system message', () => {
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: [{ type: 'text', text: 'mine' }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: 'plain result' },
        { type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'listed result' }] },
        { type: 'text', text: 'words' },
        { type: 'image', source: {} },
      ],
    },
    { role: 'system', content: 'from a hook' },
  ];
  const body = { model: 'm', stream: true, tools: [{}], messages };
  expect(anthropic.understand({ method: 'POST', path: '/v1/messages?beta=true', body })).toEqual({
    kind: 'generate',
    model: 'm',
    stream: true,
    offersTools: true,
    lastUserText: 'plain result\nlisted result\nwords\n',
  });
});

test('an empty list of tools offers none', () => {
  const body = { model: 'm', tools: [], messages: [{ role: 'user', content: 'quota' }] };
  expect(anthropic.understand({ method: 'POST', path: '/v1/messages', body })).toMatchObject({
    stream: false,
    offersTools: false,
  });
});

test('tokens are counted, bad requests refused, other paths left to other wires', () => {
  const counted = { method: 'POST', path: '/v1/messages/count_tokens?beta=true', body: { a: 'bcd' } };
  expect(anthropic.understand(counted)).toEqual({ kind: 'direct', status: 200, body: { input_tokens: 3 } });
  const bad = anthropic.understand({ method: 'POST', path: '/v1/messages', body: 'not JSON' });
  expect(bad).toMatchObject({ kind: 'direct', status: 400, body: { type: 'error' } });
  expect(anthropic.understand({ method: 'POST', path: '/v1/responses', body: {} })).toBeUndefined();
  expect(anthropic.understand({ method: 'HEAD', path: '/v1/messages', body: null })).toBeUndefined();
});
