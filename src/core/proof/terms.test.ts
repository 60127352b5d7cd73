import { describe, expect, test } from 'vitest';
import { type ProveRequest, proofTerms, whyIdle } from './terms.ts';

describe('flags that say how to prove', () => {
  test.each<[flag: string, asked: ProveRequest]>([
    ['--pin', { pins: ['golden'], allowEdit: ['test'] }],
    ['--allow-edit', { allowEdit: ['test'] }],
    ['--accept-flaky', { acceptFlaky: true }],
  ])('%s is refused if nothing is proved', (flag, asked) => {
    expect(whyIdle(asked)).toMatchObject({
      message: `${flag} works only with a proof, and there is none`,
      advice: { exitCode: 2, hint: `Add --prove, or leave out ${flag}.` },
    });
    expect(whyIdle({ ...asked, isOn: false }, {})?.advice.hint).toBe(`Leave out --no-prove or ${flag}.`);
    expect(whyIdle({ ...asked, isOn: true })).toBeNull();
    expect(whyIdle(asked, {})).toBeNull();
  });

  test('are ignored in the settings of a loop that was told not to prove', () => {
    expect(whyIdle({ isOn: false }, { pin: ['golden'], acceptFlaky: true })).toBeNull();
    expect(proofTerms({ isOn: false }, { pin: ['golden'] })).toBeUndefined();
  });
});
