import { describe, expect, test } from 'vitest';
import type { LoopAround } from '../engine/own-loop.ts';
import { type Access, accessWords, isVisible, type Needs, type Tier, whyRefused } from './access.ts';

const OUTSIDE: LoopAround = { is: 'none' };
const INSIDE: LoopAround = { is: 'loop', id: 'own' };
const UNCLEAR: LoopAround = { is: 'unclear', ids: ['own', 'other'] };

test.each<[Tier, LoopAround, Needs[]]>([
  ['read', OUTSIDE, ['read']],
  ['self', OUTSIDE, ['read']],
  ['write', OUTSIDE, ['read', 'yield', 'steer']],
  ['read', INSIDE, ['read']],
  ['self', INSIDE, ['read', 'yield']],
  ['write', INSIDE, ['read', 'yield']],
  ['read', UNCLEAR, ['read']],
  ['self', UNCLEAR, ['read']],
  ['write', UNCLEAR, ['read']],
])('--allow %s, %j: %j', (tier, around, allowed) => {
  const all: Needs[] = ['read', 'yield', 'steer'];
  expect(all.filter((needs) => whyRefused(needs, { tier, around }) === null)).toEqual(allowed);
});

test('a refusal says what would allow it', () => {
  expect(whyRefused('steer', { tier: 'read', around: OUTSIDE })?.hint).toContain('ralph mcp --allow write');
  expect(whyRefused('yield', { tier: 'read', around: INSIDE })?.hint).toContain('ralph mcp --allow self');
  // No flag allows an agent to steer its own loop.
  expect(whyRefused('steer', { tier: 'write', around: INSIDE })?.hint).not.toContain('--allow');
});

describe('which loops are seen', () => {
  const seen = (access: Access): string[] => ['own', 'other'].filter((id) => isVisible(access, { id }));

  test('all of them from outside, one from inside, none where it is not clear', () => {
    expect(seen({ tier: 'read', around: OUTSIDE })).toEqual(['own', 'other']);
    expect(seen({ tier: 'write', around: INSIDE })).toEqual(['own']);
    expect(seen({ tier: 'write', around: UNCLEAR })).toEqual([]);
  });

  test('the client is told', () => {
    expect(accessWords({ tier: 'write', around: INSIDE })).toContain('the loop own');
    expect(accessWords({ tier: 'read', around: OUTSIDE })).toBe('You can see loops, but not change anything.');
    expect(accessWords({ tier: 'write', around: UNCLEAR })).toContain('you can see no loops');
  });
});
