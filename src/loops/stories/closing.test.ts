import { describe, expect, test } from 'vitest';
import { firstRecord } from '../../../test/support/loops/play.ts';
import { closingLines, type Left } from '../../core/closing/closing-summary.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import { storiesClosing } from './closing.ts';
import { runAgain, type StoriesRequest, storiesRequest } from './request.ts';
import { storiesRules } from './rules.ts';
import type { StoriesData } from './state.ts';

const COMMITTED = { kind: 'committed', commit: '51affc0123' } as const;
const COUNTS = { complete: 1, total: 2 };

const CLOCK = () => '2026-11-15 17:30';

function closing(left: Left, request: Partial<StoriesRequest> = {}, more: Partial<StoriesData> = {}): string {
  const begun = loopMachine(storiesRules).begin(firstRecord('stories', { ...storiesRequest(request) }));
  const red = [
    {
      command: 'npm test',
      outcome: { is: 'failed', how: 'exit 1', code: 1 },
      log: '/x.log',
      output: '',
      truncated: false,
    },
  ] as const;
  const verified = { iteration: 2, commands: ['npm test'], red: left.kind === 'done' ? [] : red };
  const data = { ...begun.data, verified, ...more };
  const state = { ...begun, at: begun.at + 192_000, workedMs: 192_000, iteration: 3, failures: 2, data };
  return closingLines(storiesClosing(state, left, COMMITTED, COUNTS, CLOCK)).join('\n');
}

describe('a stories loop ends with', () => {
  test('what stayed red, with its log, how many stories are complete, and the command that continues', () => {
    expect(closing({ kind: 'iteration-limit', limit: 3 }, { maxIterations: 3 })).toBe(
      [
        '✗ Stopped at the limit of 3 iterations · 3m 12s · no agent was run',
        '  "npm test" stayed red (exit 1, log /x.log).',
        '  1 of 2 stories complete.',
        '  Everything is committed (HEAD is 51affc0).',
        '  ralph stories resume -n 6   continue with more iterations',
      ].join('\n'),
    );
  });

  test.each<[Left, string]>([
    [{ kind: 'interrupted' }, 'ralph stories resume   continue'],
    [{ kind: 'done' }, 'ralph stories archive   archive this plan, and begin the next one'],
    [{ kind: 'blocked', reason: 'r' }, 'ralph stories resume   continue, once the reason is gone'],
    [{ kind: 'tampered', reason: 'r' }, 'ralph stories run\n    start again, once you have looked at'],
    [{ kind: 'decision', reason: 'r' }, 'ralph stories resume   continue, once you have answered in ralph/decide.txt'],
    [{ kind: 'auth', reason: 'r' }, 'ralph stories resume   continue, once the agent is logged in'],
  ])('the next command after %j', (left, line) => {
    expect(closing(left)).toContain(`\n  ${line}`);
  });
});

describe('the last lines of a stories loop give its reason:', () => {
  const blocked = { kind: 'blocked', reason: 'no database' } as const;
  test.each<[Left, Partial<StoriesData>, string[]]>([
    [
      { kind: 'iteration-limit', limit: 3 },
      { lastFailure: 'exit 1: boom' },
      ['2 of 3 iterations failed; the last failure: exit 1: boom', 'Logs: ralph/logs/'],
    ],
    [
      { kind: 'kept-failing', failures: 5, reason: 'exit 1' },
      { lastFailure: 'exit 1: boom' },
      ['The last failure: exit 1: boom', 'Its log: ralph/logs/iteration-003.log'],
    ],
    [blocked, { promised: blocked }, ['no database', 'It is kept in ralph/blocked.txt']],
    [{ kind: 'decision', reason: 'Redis or files?' }, {}, ['Redis or files?']],
    [
      { kind: 'usage-limit', reason: 'limit reached', resetAt: 1 },
      {},
      ['limit reached', 'It resets at 2026-11-15 17:30.'],
    ],
  ])('%j', (left, data, sentences) => {
    expect(closing(left, {}, data)).toContain(sentences.map((sentence) => `\n  ${sentence}`).join(''));
  });
});

test('the command that starts the same loop again has the options that were given', () => {
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
