import { expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import { failed, INTERRUPTED, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { TASK_REQUEST } from '../../../test/support/tasks/task-request.ts';
import { closingLines, type Left, type WorkState } from '../../core/closing/closing-summary.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { Json } from '../../core/text/json.ts';
import { taskClosing } from './closing.ts';
import type { TaskRequest } from './request.ts';
import { taskRules } from './rules.ts';
import type { TaskInputs } from './state.ts';

const own = loopMachine(taskRules);
const WORK: WorkState = { kind: 'uncommitted', files: 2 };
const WHICH = '--project p --task task-20260220-153045-basket';

function inputs(given: Partial<TaskInputs> = {}): Result {
  const read: TaskInputs = { prompt: 'Do it.', isDone: false, maxRestarts: 5, ...given };
  return { kind: 'inputs', digest: 'd', inputs: read as unknown as Json };
}

const LOOKED: Result = {
  kind: 'stepped',
  what: 'look',
  gave: { isDone: false, wait: null, stopRequested: false },
};

function lines(left: Left, results: readonly Result[], request: Partial<TaskRequest> = {}): string[] {
  const state = play(own, own.begin(firstRecord('task', { ...TASK_REQUEST, ...request })), ...results);
  return closingLines(taskClosing(state, left, WORK, String));
}

const RUN = [inputs(), STARTED];

test('done says why, and what was not checked', () => {
  expect(lines({ kind: 'done' }, [...RUN, worked()])).toEqual([
    expect.stringMatching(/^✓ Done in 1 iteration · .* · /),
    '  It has a DONE file; nothing was checked.',
    '  2 changed files are not committed.',
    `  ralph task output ${WHICH}`,
    '    what the agent said',
    expect.stringMatching(/^ {2}git status +what is not committed$/),
  ]);
});

test('the limit names the last run and its output, and the command with more attempts', () => {
  const twice = [
    ...RUN,
    failed(3),
    LOOKED,
    WAITED,
    inputs(),
    STARTED,
    failed(3),
    LOOKED,
    WAITED,
    inputs({ maxRestarts: 2 }),
  ];
  expect(lines({ kind: 'iteration-limit', limit: 2 }, twice)).toEqual([
    expect.stringMatching(/^✗ Stopped at the limit of 2 attempts · /),
    '  The last run failed: exit 3',
    '  Its output is in runs/1-work-1.out',
    '  2 changed files are not committed.',
    `  ralph task resume ${WHICH} --max-restarts 2`,
    '    continue with 2 more attempts',
  ]);
});

test.each<[Left, string]>([
  [{ kind: 'waiting', reason: 'for a key' }, '  Reason: for a key\n'],
  [{ kind: 'waiting', reason: 'for a key' }, `  ralph task resume ${WHICH} --answer "…"`],
  [{ kind: 'auth', reason: 'no key' }, `  ralph task resume ${WHICH}`],
  [{ kind: 'stopped', reason: 'a stop was requested' }, `  ralph task resume ${WHICH}`],
])('%j has its own words and its own next command', (left, words) => {
  const said = lines(left, [...RUN, failed(42), LOOKED]);
  expect(said.join('\n')).toContain(`\n${words}`);
});

test('an interrupted run counts as an iteration, one that never began does not', () => {
  expect(lines({ kind: 'interrupted' }, [...RUN, INTERRUPTED])[0]).toContain('Interrupted after 1 iteration');
  expect(lines({ kind: 'interrupted' }, [inputs()])[0]).toContain('before the first iteration · 1s · no agent was run');
  const waited = [...RUN, ran({ kind: 'limit', reason: 'x', resetAt: null }), LOOKED, WAITED];
  expect(lines({ kind: 'waiting', reason: 'x' }, waited)[0]).toContain('after 1 iteration');
});

test.each<[string, Result, string[]]>([
  ['worked', worked(), ['The last run ended with exit 0.', 'Its output is in runs/1-work-1.out']],
  [
    'met a usage limit',
    ran({ kind: 'limit', reason: 'too much', resetAt: 7 }),
    ["The last run met the agent's usage limit (it resets at 7): too much"],
  ],
  ['was cut off', ran({ kind: 'infrastructure', reason: 'no answer' }), ['The last run was cut short: no answer']],
  [
    'said why only on stderr',
    { ...(failed(1) as Extract<Result, { kind: 'ran' }>), transcript: { path: 'run/a', bytes: 0 }, complaint: 'boom' },
    ['The last run failed: exit 1: boom', 'Its output is in run/agent-stderr.txt'],
  ],
])('if the last run %s, the ending says so, and what a resume counts', (_what, last, sentences) => {
  const left: Left = { kind: 'iteration-limit', limit: 1 };
  const said = lines(left, [...RUN, last, LOOKED], { isResumed: true }).join('\n');
  expect(said).toContain(sentences.map((sentence) => `\n  ${sentence}`).join(''));
  expect(said).toContain('\n  What was done before this resume is not counted here.\n');
});

test('a job is never resumed', () => {
  const said = lines({ kind: 'kept-failing', failures: 1 }, [...RUN, failed(3), LOOKED], { kind: 'job' });
  expect(said.join('\n')).not.toContain('resume');
  expect(said[0]).toMatch(/^✗ The agent failed · /);
  expect(said[1]).toBe('  The run failed: exit 3');
});
