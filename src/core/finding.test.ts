import { expect, test } from 'vitest';
import { RalphError } from './error.ts';
import { errorOf, fine, fromError, warning } from './finding.ts';

const noAgent = fromError(new RalphError('NO_AGENT', 'agent command not found: x', { hint: 'Install it.' }));

test('a single error stays what it is', () => {
  expect(errorOf([noAgent])).toMatchObject({
    code: 'NO_AGENT',
    message: 'agent command not found: x',
    advice: { hint: 'Install it.', exitCode: 2 },
  });
});

test('several are reported together, each with its fix', () => {
  const noTmux = fromError(new RalphError('NO_TMUX', 'tmux is not installed'));
  expect(errorOf([noAgent, noTmux])).toMatchObject({
    code: 'PREFLIGHT',
    message:
      '2 problems keep the loop from starting:\n✗ agent command not found: x\n    Install it.\n✗ tmux is not installed',
    advice: { exitCode: 2 },
  });
});

test('nothing is no error', () => {
  expect(errorOf([])).toBeNull();
  expect([fine('git').level, warning('no tmux', 'install it').level]).toEqual(['ok', 'warning']);
});
