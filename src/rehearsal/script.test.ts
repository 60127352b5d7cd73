import { expect, test } from 'vitest';
import { RalphError } from '../core/error.ts';
import { parseScript, toolsOf } from './script.ts';

test('a script with every kind of turn is read as it stands', () => {
  const script = {
    turns: [
      { match: 'go', tool: { name: 'Bash', input: { command: 'ls' } }, usage: { inputTokens: 7, outputTokens: 3 } },
      {
        say: 'Two at once.',
        tools: [
          { name: 'Read', input: {} },
          { name: 'Bash', input: {} },
        ],
        delayMs: 5,
      },
      { say: '' },
    ],
    otherwise: { say: 'Done.' },
  };
  expect(parseScript(JSON.stringify(script), 's.json')).toEqual(script);
});

test('one tool and several tools read alike', () => {
  const bash = { name: 'Bash', input: {} };
  expect([toolsOf({ tool: bash }), toolsOf({ tools: [bash] }), toolsOf({ say: 'x' })]).toEqual([[bash], [bash], []]);
});

test.each([
  ['not JSON', '{"turns": [', 's.json is not JSON'],
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
])('%s is refused with its place', (_, text, start) => {
  const refused = refusalOf(text);
  expect(refused.message).toContain(start);
  expect(refused.advice.exitCode).toBe(2);
  expect(refused.advice.hint).toContain('"turns"');
});

function refusalOf(text: string): RalphError {
  try {
    parseScript(text, 's.json');
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}
