import { expect, test } from 'vitest';
import { errorOf } from '../../../test/support/error-of.ts';
import { scriptJsonSchema } from './script.ts';
import { parseScript } from './script-file.ts';

const script = {
  $schema: './rehearsal-script.schema.json',
  turns: [
    { match: 'go', tool: { name: 'Bash', input: { command: 'ls' } }, usage: { inputTokens: 7, outputTokens: 3 } },
    {
      match: { lastUser: 'a', anywhere: 'b', model: 'c' },
      think: 'Hm.',
      say: 'Two at once.',
      tools: [
        { name: 'Read', input: {} },
        { name: 'Bash', input: {} },
      ],
      delayMs: 5,
      times: 2,
    },
    { say: '' },
    { write: { path: 'a/b.txt', content: '' }, run: ['ls', 'pwd'] },
    { write: [{ path: 'a', content: 'x' }], run: 'ls' },
    {
      say: 'Costly.',
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 1 },
    },
    { fault: { status: 401 } },
    { fault: { status: 429, resetInSeconds: 3600, message: 'Too much' } },
    { fault: { status: 429, resetAt: '2026-11-15T12:00:00+01:00' } },
    { fault: { stall: 'before' } },
    { fault: { stall: 'middle', forMs: 10 } },
    { fault: { cut: 'event' } },
    { fault: { malformed: true } },
    { fault: { bigReplyBytes: 10 } },
  ],
  otherwise: { say: 'Done.' },
};

test('a script with every kind of turn is read as it stands', () => {
  expect(parseScript(JSON.stringify(script), 's.json')).toEqual(script);
});

test.each([['s.yaml'], ['s.YML'], ['standard input']])('%s may be YAML', (source) => {
  const text =
    'turns:\n  - run: |\n      make\n      make test\n  # A limit.\n  - fault: { status: 429 }\n    times: 3\n';
  expect(parseScript(text, source)).toEqual({
    turns: [{ run: 'make\nmake test\n' }, { fault: { status: 429 }, times: 3 }],
  });
});

test('a file without an ending that begins like JSON is JSON', () => {
  expect(parseScript(' {"turns": []}', 'script')).toEqual({ turns: [] });
  expect(errorOf(() => parseScript('{"turns": [', 'script')).message).toContain('script:1:12: expected "]"');
});

test.each([
  ['not JSON', '{"turns": [', 's.json:1:12: expected "]" to close the "[" of line 1\n  1 | {"turns": ['],
  ['no turns', '{}', 's.json: turns:'],
  ['not an object', '[]', 's.json: the script:'],
  ['a tool without a name', '{"turns":[{"say":"a"},{"tool":{"input":{}}}]}', 's.json: turns[1].tool.name:'],
  [
    'an input that is no object',
    '{"turns":[{"tools":[{"name":"Bash","input":"ls"}]}]}',
    's.json: turns[0].tools[0].input:',
  ],
  ['a misspelt key', '{"turns":[{"say":"a","mach":"b"}]}', 's.json: turns[0].mach:'],
  ['a turn that does nothing', '{"turns":[{"match":"b"}]}', 's.json: turns[0]: A turn needs'],
  [
    'tool beside tools',
    '{"turns":[{"tool":{"name":"A","input":{}},"tools":[{"name":"A","input":{}}]}]}',
    's.json: turns[0].tools:',
  ],
  ['a negative delay', '{"turns":[{"say":"a","delayMs":-1}]}', 's.json: turns[0].delayMs:'],
  ['half a usage', '{"turns":[{"say":"a","usage":{"inputTokens":1}}]}', 's.json: turns[0].usage.outputTokens:'],
  ['a condition on the last resort', '{"turns":[],"otherwise":{"say":"a","match":"b"}}', 's.json: otherwise.match:'],
  ['a count on the last resort', '{"turns":[],"otherwise":{"say":"a","times":2}}', 's.json: otherwise.times:'],
  ['a turn for no time', '{"turns":[{"say":"a","times":0}]}', 's.json: turns[0].times:'],
  ['a misspelt condition', '{"turns":[{"say":"a","match":{"lastuser":"b"}}]}', 's.json: turns[0].match.lastuser:'],
  ['an empty condition', '{"turns":[{"say":"a","match":{}}]}', 's.json: turns[0].match: needs'],
  ['a condition of numbers', '{"turns":[{"say":"a","match":{"model":7}}]}', 's.json: turns[0].match.model:'],
  ['a list with an empty command', '{"turns":[{"run":["ls",""]}]}', 's.json: turns[0].run[1]:'],
  ['a file without content', '{"turns":[{"write":{"path":"a"}}]}', 's.json: turns[0].write.content:'],
  ['a file with NUL', '{"turns":[{"write":{"path":"a","content":"\\u0000"}}]}', 's.json: turns[0].write.content:'],
  [
    'a file that no command holds',
    JSON.stringify({ turns: [{ write: { path: 'a', content: 'é'.repeat(60_001) } }] }),
    's.json: turns[0].write:',
  ],
  ['a status that is no error', '{"turns":[{"fault":{"status":200}}]}', 's.json: turns[0].fault.status:'],
  [
    'two resets',
    '{"turns":[{"fault":{"status":429,"resetInSeconds":1,"resetAt":"2026-01-01T00:00:00Z"}}]}',
    's.json: turns[0].fault.resetAt:',
  ],
  ['a reset of an outage', '{"turns":[{"fault":{"status":500,"resetInSeconds":1}}]}', 's.json: turns[0].fault.status:'],
  [
    'a reset that is no time',
    '{"turns":[{"fault":{"status":429,"resetAt":"noon"}}]}',
    's.json: turns[0].fault.resetAt:',
  ],
  ['an unknown stall', '{"turns":[{"fault":{"stall":"after"}}]}', 's.json: turns[0].fault.stall:'],
  ['a fault of two kinds', '{"turns":[{"fault":{"cut":"event","malformed":true}}]}', 's.json: turns[0].fault.'],
  ['a reply that is too big', '{"turns":[{"fault":{"bigReplyBytes":1e12}}]}', 's.json: turns[0].fault.bigReplyBytes:'],
])('%s is refused with its place', (_, text, start) => {
  const refused = errorOf(() => parseScript(text, 's.json'));
  expect(refused.message).toContain(start);
  expect(refused.advice.exitCode).toBe(2);
  expect(refused.advice.hint).toContain('"turns"');
});

test('bad YAML is refused with its line', () => {
  expect(errorOf(() => parseScript('turns:\n  - say: "a\n', 's.yaml')).message).toMatch(
    /^s\.yaml:3:1: Missing closing "quote$/,
  );
});

test('the JSON Schema for editors names every key of a turn', () => {
  const schema = scriptJsonSchema() as { properties: { turns: { items: { properties: object } } } };
  const keys = Object.keys(schema.properties.turns.items.properties);
  expect(keys.sort()).toEqual(
    ['delayMs', 'fault', 'match', 'run', 'say', 'think', 'times', 'tool', 'tools', 'usage', 'window', 'write'].sort(),
  );
  expect(Object.keys(schema.properties)).toContain('$schema');
});
