import { expect, test } from 'vitest';
import { opencodeParser } from './opencode-stream.ts';

function parse(...lines: readonly object[]) {
  const parser = opencodeParser();
  return lines.flatMap((line) => parser.parse(JSON.stringify(line)));
}

function text(sessionID: string, words: string): object {
  return { type: 'text', sessionID, part: { type: 'text', sessionID, text: words } };
}

test('the words of a subagent, which has a session of its own, are not the agent’s', () => {
  const start = { type: 'step_start', sessionID: 'ses_1', part: { sessionID: 'ses_1' } };
  expect(parse(start, text('ses_2', '<response>DONE</response>'), text('ses_1', 'Not yet.'))).toEqual([
    { type: 'progress', text: 'step_start: session ses_1' },
    { type: 'progress', text: 'subagent' },
    { type: 'text', text: 'Not yet.' },
  ]);
});

test('what a cache spared is among the input tokens', () => {
  const tokens = { input: 100, output: 20, cache: { read: 50, write: 5 } };
  expect(parse({ type: 'step_finish', sessionID: 's', part: { reason: 'stop', cost: 0, tokens } })).toMatchObject([
    { type: 'result', inputTokens: 155, outputTokens: 20, cacheReadTokens: 50 },
  ]);
});
