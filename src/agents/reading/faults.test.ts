import { describe, expect, test } from 'vitest';
import { faultOfErrorText, messageIn, resetTimeIn } from './faults.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

describe('the words of a failed call are', () => {
  test.each([
    ['401 Incorrect API key provided: dummy.', 'auth'],
    ['401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}', 'auth'],
    ['429 You exceeded your current quota, please check your plan and billing details.', 'limit'],
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~120 min.', 'limit'],
    ['{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}', 'limit'],
    ['503 Service Unavailable', 'infrastructure'],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'infrastructure'],
    ['terminated (cause: UND_ERR_SOCKET: other side closed)', 'infrastructure'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'infrastructure'],
  ])('a fault: %s', (text, kind) => {
    expect(faultOfErrorText(text, NOW)?.kind).toBe(kind);
  });

  test.each(['400 No such model.', 'prompt is too long: 250000 tokens', '', 'Invalid JSON at position 188'])(
    "the request's own: %s",
    (text) => {
      expect(faultOfErrorText(text, NOW)).toBeNull();
    },
  );

  test.each([
    ['429 Rate limit reached. Please try again in 3600s.', 3_600_000],
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~120 min.', 7_200_000],
    ['429 Monthly usage limit reached. Resets in 16 days.', 16 * 86_400_000],
    ['429 Too many requests', null],
  ])('a limit that is lifted some time: %s', (text, after) => {
    expect(faultOfErrorText(text, NOW)).toMatchObject({ kind: 'limit', resetAt: after === null ? null : NOW + after });
  });
});

test.each([
  ['429: {"message":"Too fast.","code":"rate_limit_exceeded"}', 'Too fast.'],
  ['401 {"type":"error","error":{"message":"invalid x-api-key"}}\n', 'invalid x-api-key'],
  ['500 {"half', '500 {"half'],
  ['500 {"detail":"x"}', '500 {"detail":"x"}'],
  ['terminated', 'terminated'],
])('the vendor’s own sentence is taken from %s', (text, message) => {
  expect(messageIn(text)).toBe(message);
});

function at(text: string, now = NOW): string | null {
  const found = resetTimeIn(text, now);
  return found === null ? null : new Date(found).toISOString().slice(0, 16);
}

describe('the time at which a limit is lifted is found', () => {
  test.each([
    ['Claude AI usage limit reached|1794730000', '2026-11-15T08:06'],
    ['limited until 2026-11-15T18:30:00Z', '2026-11-15T18:30'],
    ['limited until 2026-11-15T18:30:00+02:00', '2026-11-15T16:30'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-15T15:00'],
    ["You've hit your limit · resets 3:05pm (UTC)", '2026-11-15T15:05'],
    ["You've hit your limit · resets 9am (UTC)", '2026-11-16T09:00'],
    ["You've hit your limit · resets 12am (UTC)", '2026-11-16T00:00'],
    ["You've hit your limit · resets 3pm (America/New_York)", '2026-11-15T20:00'],
    ["You've hit your weekly limit · resets Nov 20, 3pm (UTC)", '2026-11-20T15:00'],
    ["You've hit your weekly limit · resets Jan 2, 3pm (UTC)", '2026-01-02T15:00', '2025-12-30T00:00:00Z'],
    ['Try again at Nov 20th, 2026 3:05 PM (UTC).', '2026-11-20T15:05'],
    ['Please try again in 5 hours 3 minutes.', '2026-11-15T17:03'],
    ['Please try again in 2 days, 1 hour and 5 minutes.', '2026-11-17T13:05'],
    ['Please retry in 90.5s.', '2026-11-15T12:01'],
    ['retry after 3600 seconds', '2026-11-15T13:00'],
  ])('in: %s', (text, expected, now = '2026-11-15T12:00:00Z') => {
    expect(at(text, Date.parse(now))).toBe(expected);
  });

  test("in a time without a zone, which is the machine's own", () => {
    const local = new Date(2026, 10, 20, 15, 5);
    expect(resetTimeIn('try again at Nov 20th, 2026 3:05 PM', NOW)).toBe(local.getTime());
  });

  test('in a time of the past: it is the next day', () => {
    const now = Date.parse('2026-11-15T23:30:00Z');
    expect(at('resets 1am (UTC)', now)).toBe('2026-11-16T01:00');
  });
});

test.each(['You are over your limit.', 'HTTP 429', 'at least 3 apples', '', 'in a moment', 'resets 99pm'])(
  'no time is found where there is none: %s',
  (text) => {
    expect(resetTimeIn(text, NOW)).toBeNull();
  },
);
