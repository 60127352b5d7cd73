import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const KNOWN = ['maximumIterations', 'completionResponse', 'guardrails', 'agent', 'scm', 'display'];

describe('the known word that was probably meant', () => {
  test.each([
    ['guardrail', 'guardrails'],
    ['gaurdrails', 'guardrails'],
    ['GUARDRAILS', 'guardrails'],
    ['maxIterations', 'maximumIterations'],
    ['agnet', 'agent'],
    ['agents', 'agent'],
    ['smc', 'scm'],
  ])('%s: %s', (word, meant) => {
    expect(nearest(word, KNOWN)).toBe(meant);
  });

  test.each(['frobnicate', 'x', '', 'response', '做完它了没有'])('is none if a guess would mislead: %j', (word) => {
    expect(nearest(word, KNOWN)).toBeNull();
  });

  test('is none if no word is known', () => {
    expect(nearest('agent', [])).toBeNull();
  });

  test('is the nearest, not the first that is near enough', () => {
    expect(nearest('flags', ['flag', 'flags', 'flogs'])).toBe('flags');
    expect(nearest('commands', ['comment', 'command'])).toBe('command');
  });

  test('is the first of several that are equally near', () => {
    expect(nearest('cat', ['bat', 'rat'])).toBe('bat');
  });

  test('is found for every word with one letter left out, put in or changed', () => {
    const word = fc.constantFrom('maximumIterations', 'completionResponse', 'guardrails', 'display');
    const letter = fc.constantFrom(...'abcxyzABC_-1é');
    fc.assert(
      fc.property(word, fc.nat(), letter, fc.constantFrom('left out', 'put in', 'changed'), (known, nth, put, how) => {
        const at = nth % known.length;
        const typed =
          known.slice(0, at) + (how === 'left out' ? '' : put) + known.slice(how === 'put in' ? at : at + 1);
        expect(nearest(typed, KNOWN)).toBe(known);
      }),
    );
  });
});
