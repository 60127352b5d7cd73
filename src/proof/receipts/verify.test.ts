import { describe, expect, test } from 'vitest';
import { receiptCheck, receiptPredicate } from '../../../test/support/proof/receipt.ts';
import { commandsOf, refuseForeign } from './verify.ts';

describe('a receipt from elsewhere', () => {
  const refuse = (kind: string, given: Readonly<Record<string, string>>) => () =>
    refuseForeign(receiptPredicate({ checks: [receiptCheck({ check: { kind, given } })] }));

  test.each([
    ['a kind of check that is not known', 'magic', { command: 'npm test' }, 'no checks of the kind "magic"'],
    ['a report outside of the checkout', 'tests', { command: 'npm test', report: '/etc/passwd' }, 'outside'],
    ['a report above it', 'tests', { command: 'npm test', report: 'a/../../b' }, 'outside'],
    ['something that its kind does not know', 'tests', { command: 'npm test', more: 'x' }, 'does not know'],
    ['another command than the one that is shown', 'tests', { command: 'curl evil' }, 'it would run something else'],
  ])('may not name %s', (_what, kind, given, why) => {
    expect(refuse(kind, given)).toThrow(why);
  });

  test('may name a report inside', () => {
    expect(refuse('tests', { command: 'npm test', report: 'out/tests.xml' })).not.toThrow();
  });
});

test('all that would be run is known before; a setup can be given', () => {
  const setup = { command: 'npm ci', outcome: 'passed', how: 'exit 0', exitCode: 0, log: null } as const;
  const predicate = receiptPredicate({ setup, checks: [receiptCheck(), receiptCheck({ command: 'npm run lint' })] });
  expect(commandsOf(predicate, { setup: null, include: [] })).toEqual(['npm ci', 'npm test', 'npm run lint']);
  expect(commandsOf(predicate, { setup: 'make', include: [] })).toEqual(['make', 'npm test', 'npm run lint']);
});
