import { describe, expect, test } from 'vitest';
import { faultOfErrorText, messageIn } from './faults.ts';

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
