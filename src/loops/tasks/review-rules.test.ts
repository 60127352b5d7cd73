import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import { ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { TASK_REQUEST } from '../../../test/support/tasks/task-request.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import type { Json } from '../../core/text/json.ts';
import { taskRules } from './rules.ts';
import type { TaskData, TaskInputs } from './state.ts';

const own = loopMachine(taskRules);
const review = { by: { name: 'critic', command: 'critic', flags: [] }, rounds: 2 };
const begun = own.begin(firstRecord('task', { ...TASK_REQUEST, review }));

function inputs(given: Partial<TaskInputs> = {}): Result {
  const read: TaskInputs = { prompt: 'Do it.', isDone: false, maxRestarts: 100, ...given };
  return { kind: 'inputs', digest: 'd', inputs: read as unknown as Json };
}
const stepped = (what: string, gave: Json = null): Result => ({ kind: 'stepped', what, gave });
const kept = (result: Result, tree: string): Result => ({ ...result, tree: { commit: `c-${tree}`, tree } }) as Result;
const LOOKED = stepped('look', { isDone: true, wait: null, stopRequested: false });
const CHILDREN = stepped('children', { left: [] });
const DIFF = stepped('diff', { patch: '+more', stat: null });
const REJECTED = worked('REJECTED: no');
const whatIn = ({ phase }: LoopState<TaskData>): string => (phase.at === 'step' ? phase.what : phase.at);

const claimed = play(own, begun, inputs(), kept(STARTED, 'a'), kept(worked(), 'b'), LOOKED);
const reviewing = play(own, claimed, stepped('hold'), CHILDREN, DIFF, kept(STARTED, 'b'));

test('DONE is held back first; then come the children, the diff and the review', () => {
  expect(whatIn(claimed)).toBe('hold');
  expect(whatIn(play(own, claimed, stepped('hold')))).toBe('children');
  const due = play(own, claimed, stepped('hold'), CHILDREN);
  expect(own.next(due)).toMatchObject({ what: 'diff', given: { from: 'c-a', to: 'c-b' } });
  expect(own.next(play(own, due, DIFF))).toMatchObject({ key: '1/review/1/start', agent: { command: 'critic' } });
});

test('an approval is posted, and then the task is done', () => {
  const approved = play(own, reviewing, kept(worked('APPROVED'), 'b'));
  expect(own.next(approved)).toMatchObject({ what: 'verdict', outward: true, given: { is: 'approved', by: 'critic' } });
  expect(whatIn(play(own, approved, stepped('verdict')))).toBe('propagation');
});

test('a rejection leads to the next attempt, whose prompt says why, and too many of them end the task', () => {
  const once = play(own, reviewing, kept(REJECTED, 'b'), stepped('verdict'));
  expect(once.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  expect(own.next(play(own, once, WAITED, inputs()))).toMatchObject({
    prompt: expect.stringMatching(/Do it\.\n\n## Review\n/),
  });
  const unchanged = play(own, once, WAITED, inputs(), STARTED, kept(worked(), 'b'), LOOKED, stepped('hold'), CHILDREN);
  expect(own.next(unchanged)).toMatchObject({ what: 'verdict', given: { isRepeated: true } });
  expect(play(own, unchanged, stepped('verdict')).phase).toMatchObject({ at: 'end', ending: { kind: 'stuck' } });
});

describe('a DONE that exists when the loop begins', () => {
  const verdict = { is: 'approved', words: '', by: 'critic', round: 1, tree: 'b' } as const;
  const reviewed = { verdicts: [verdict], findings: null };
  const found = play(
    own,
    own.begin(firstRecord('task', { ...TASK_REQUEST, review, reviewed })),
    inputs({ isDone: true }),
    stepped('hold'),
  );
  const children = (tree: string): Result => stepped('children', { left: [], tree: { commit: `c-${tree}`, tree } });

  test('has the verdict of an earlier loop for the same files', () => {
    expect(own.next(found)).toMatchObject({ what: 'children', given: { keepsTree: true } });
    expect(own.next(play(own, found, children('b')))).toMatchObject({ what: 'verdict', given: { isRepeated: true } });
  });

  test('is reviewed if they have changed, or are unknown', () => {
    expect(whatIn(play(own, found, children('c')))).toBe('diff');
    expect(whatIn(play(own, found, CHILDREN))).toBe('diff');
  });
});

test('an outage of the reviewer is waited out, even while DONE is held back; a request to stop is obeyed', () => {
  const out = play(own, reviewing, ran({ kind: 'infrastructure', reason: '503' }));
  expect(out.phase).toMatchObject({ at: 'wait', then: 'same-iteration' });
  expect(own.next(play(own, out, WAITED, inputs()))).toMatchObject({ what: 'diff', key: '1/diff/2' });
  expect(play(own, out, WAITED, inputs({ stopRequested: true })).phase).toMatchObject({ ending: { kind: 'stopped' } });
  const unnamed = play(own, reviewing, ran({ kind: 'limit', reason: 'no more', resetAt: null }));
  expect(unnamed.phase).toMatchObject({ at: 'end', ending: { kind: 'usage-limit' } });
});

test('what a reviewer says on the bus is not mistaken for what the work said', () => {
  const span = { runId: 'run-1', busOffset: 7 };
  const started: Result = { kind: 'started', handle: { runner: 'direct', name: 'n', kept: span } };
  const later = play(
    own,
    begun,
    inputs(),
    started,
    kept(worked(), 'b'),
    LOOKED,
    stepped('hold'),
    CHILDREN,
    DIFF,
    STARTED,
  );
  expect(later.data.span).toEqual(span);
});
