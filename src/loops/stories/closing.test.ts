import { describe, expect, test } from 'vitest';
import { firstRecord } from '../../../test/support/play.ts';
import { closingLines, type Left } from '../../core/closing-summary.ts';
import { loopMachine } from '../../core/machine.ts';
import { storiesClosing } from './closing.ts';
import { runAgain } from './commands/run-again.ts';
import { type StoriesRequest, storiesRequest } from './request.ts';
import { storiesRules } from './rules.ts';

const COMMITTED = { kind: 'committed', commit: '51affc0123' } as const;
const COUNTS = { complete: 1, total: 2 };

function closing(left: Left, request: Partial<StoriesRequest> = {}): string {
  const begun = loopMachine(storiesRules).begin(firstRecord('stories', { ...storiesRequest(request) }));
  const red = [
    { command: 'npm test', exit: { by: 'code', code: 1 }, log: '/x.log', output: '', truncated: false },
  ] as const;
  const verified = { iteration: 2, commands: ['npm test'], red: left.kind === 'done' ? [] : red };
  const state = {
    ...begun,
    at: begun.at + 192_000,
    workedMs: 192_000,
    iteration: 3,
    data: { ...begun.data, verified },
  };
  return closingLines(storiesClosing(state, left, COMMITTED, COUNTS)).join('\n');
}

describe('a stories loop ends with', () => {
  test('what stayed red, with its log, how many stories are complete, and the command that goes on', () => {
    expect(closing({ kind: 'iteration-limit', limit: 15 }, { reviewCap: 3 })).toBe(
      [
        '✗ Stopped at the limit of 15 iterations · 3m 12s · no agent was run',
        '  "npm test" stayed red (exit 1, log /x.log).',
        '  1 of 2 stories complete.',
        '  Everything is committed (HEAD is 51affc0).',
        '  ralph stories run -n 30 --review-cap 3   continue with more iterations',
      ].join('\n'),
    );
  });

  test.each<[Left, string]>([
    [{ kind: 'interrupted' }, 'ralph stories resume   continue'],
    [{ kind: 'done' }, 'ralph stories archive   file this plan away, and begin the next one'],
    [{ kind: 'blocked', reason: 'r' }, 'ralph stories run   continue, once the reason is gone'],
    [{ kind: 'decision', reason: 'r' }, 'ralph stories run   continue, once you have answered in ralph/decide.txt'],
    [{ kind: 'auth', reason: 'r' }, 'ralph stories run   continue, once the agent is logged in'],
  ])('the next command after %j', (left, line) => {
    expect(closing(left)).toContain(`\n  ${line}`);
  });
});

test('the command that starts the same loop again names what was asked for', () => {
  expect(runAgain(storiesRequest({}))).toBe('ralph stories run');
  const sandbox = { kind: 'os', allowHosts: ['a.org'], allowWrite: ['/a b'], denyWrite: [], denyRead: [] } as const;
  const asked = { agent: 'codex', model: 'm', reviewAgent: 'claude', reviewModel: 'opus', stuckAfter: 3 };
  expect(runAgain(storiesRequest({ ...asked, verify: false, sandbox: { ...sandbox, settleMs: null } }))).toBe(
    "ralph stories run -m m --agent codex --review-agent claude --review-model opus --no-verify --stuck-after 3 --allow-host a.org --allow-write '/a b'",
  );
  const free = { ...sandbox, kind: 'none', allowHosts: [], allowWrite: [], settleMs: null } as const;
  expect(runAgain(storiesRequest({ skipReview: true, ralphDir: 'plan', verifyTimeoutMs: 60_000, sandbox: free }))).toBe(
    'ralph stories run --ralph-dir plan --skip-review --verify-timeout 1m --no-sandbox',
  );
});
