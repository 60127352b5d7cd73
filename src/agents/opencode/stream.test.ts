import { expect, test } from 'vitest';
import { opencodeParser } from './stream.ts';

function parse(...lines: readonly object[]) {
  const parser = opencodeParser();
  return lines.flatMap((line) => parser.parse(JSON.stringify(line)));
}

test('the start of a session is reported with its id', () => {
  expect(parse({ type: 'step_start', sessionID: 'ses_1', part: {} })).toEqual([
    { type: 'progress', text: 'step_start: session ses_1', session: 'ses_1' },
  ]);
});

test('what a cache spared is among the input tokens', () => {
  const tokens = { input: 100, output: 20, cache: { read: 50, write: 5 } };
  expect(
    parse({ type: 'step_finish', sessionID: 's', part: { id: 'p1', reason: 'stop', cost: 0, tokens } }),
  ).toMatchObject([
    { type: 'usage', id: 'p1', inputTokens: 155, outputTokens: 20, cacheReadTokens: 50 },
    { type: 'result', inputTokens: 155, outputTokens: 20, cacheReadTokens: 50 },
  ]);
});
