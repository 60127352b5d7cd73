import { expect, test } from 'vitest';
import { claudeTextParser } from './stream.ts';

const NOW = Date.parse('2026-11-15T16:12:00Z');

function faultsIn(line: string): unknown {
  return claudeTextParser(() => NOW)
    .parse(line)
    .filter(({ type }) => type === 'fault');
}

test.each([
  ["You've hit your 5-hour limit · resets 5:12pm (UTC)", { kind: 'limit', resetAt: Date.parse('2026-11-15T17:12Z') }],
  ['API Error: Request rejected (429) · This request would exceed your limit.', { kind: 'limit', resetAt: null }],
  ['Not logged in · Please run /login', { kind: 'auth' }],
  ['Invalid API key · Fix external API key', { kind: 'auth' }],
  ['API Error: 500 Internal server error. This is a server-side issue, usually temporary', { kind: 'infrastructure' }],
])('what keeps it from its work is told by: %s', (line, fault) => {
  expect(faultsIn(line)).toMatchObject([{ fault }]);
});

test.each(['Mend the parser', 'Say that an API Error: 500 is repeated', ''])('an answer is an answer: %s', (line) => {
  expect(faultsIn(line)).toEqual([]);
});
