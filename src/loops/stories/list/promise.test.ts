import { expect, test } from 'vitest';
import { promisedIn } from './promise.ts';

test.each([
  ['COMPLETE', { kind: 'complete' }],
  [' COMPLETE\n', { kind: 'complete' }],
  ['BLOCKED:no key', { kind: 'blocked', reason: 'no key' }],
  ['BLOCKED: two\nlines ', { kind: 'blocked', reason: 'two\nlines' }],
  ['DECIDE:Redis or files?', { kind: 'decision', reason: 'Redis or files?' }],
])('%j is a promise', (tag, promised) => {
  expect(promisedIn(tag)).toEqual(promised);
});

test.each([[null], [''], ['complete'], ['COMPLETE!'], ['BLOCKED'], ['BLOCKED:'], ['DECIDE:  \n'], ['NOT BLOCKED:x']])(
  '%j is none',
  (tag) => {
    expect(promisedIn(tag)).toBeNull();
  },
);
