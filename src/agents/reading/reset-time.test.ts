import { describe, expect, test } from 'vitest';
import { resetTimeIn } from './reset-time.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

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
