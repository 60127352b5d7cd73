import { describe, expect, test } from 'vitest';
import { guardTable, judged, verdictOf } from '../../../test/support/guard-table.ts';

describe('a harmless command is not blocked', () => {
  test.each(guardTable('harmless.txt'))('$expected: $command', ({ command, expected, isDirty }) => {
    expect(verdictOf(judged(command, isDirty))).toBe(expected);
  });
});

describe('a dangerous command is blocked in its category', () => {
  test.each(guardTable('dangerous.txt'))('$expected: $command', ({ command, expected, isDirty }) => {
    const findings = judged(command, isDirty);
    expect(findings.filter(({ tier }) => tier === 'block').map(({ tier, number }) => `${tier} ${number}`)).toContain(expected);
  });
});
