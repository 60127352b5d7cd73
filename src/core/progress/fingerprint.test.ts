import { expect, test } from 'vitest';
import { failureFingerprint } from './fingerprint.ts';

test.each([
  ['durations', 'ok in 12ms\nTime: 1.2 s', 'ok in 130ms\nTime: 3.4 s'],
  ['times', '[12:30:01] failed at 2026-11-18T07:30:00.123Z', '[13:01:59] failed at 2026-11-19 08:00:01+02:00'],
  ['temporary paths', 'ENOENT: /tmp/a1b2/x.log', 'ENOENT: /tmp/zz-9/y.log'],
  ['ids', 'commit 51affc0 object 0x7ffe', 'commit 9ac01fe object 0x81aa'],
  ['uuids', 'id 123e4567-e89b-12d3-a456-426614174000', 'id 923e4567-e89b-12d3-a456-426614174001'],
  ['processes', 'pid 311 died', 'pid 4711 died'],
  ['places in files', 'src/a.ts:12:5 error', 'src/a.ts:14:7 error'],
  ['colours and blanks', '\u001b[31mfailed\u001b[0m   twice', 'failed twice'],
])('%s make no difference', (_what, one, other) => {
  expect(failureFingerprint(one)).toBe(failureFingerprint(other));
});

test.each([
  ['counts', '3 tests failed', '2 tests failed'],
  ['names', 'parser.test.ts failed', 'lexer.test.ts failed'],
  ['messages', 'expected 1 to be 2', 'expected 1 to be 3'],
  ['words of the letters a to f', 'the facade failed', 'the decade failed'],
])('%s make a difference', (_what, one, other) => {
  expect(failureFingerprint(one)).not.toBe(failureFingerprint(other));
});
