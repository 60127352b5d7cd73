import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import {
  checked,
  git,
  guardrail,
  inputs,
  published,
  REQUEST,
  STARTED,
  WAITED,
  worked,
} from '../../../test/support/loops/results.ts';
import { closingLines, type Left } from '../../core/closing/closing-summary.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { runClosing } from './closing.ts';
import { runRules } from './rules.ts';
import type { RunData, RunInputs } from './state.ts';

const run = loopMachine(runRules);
const REVIEWED: Partial<RunInputs> = {
  review: { by: { name: 'critic', command: 'critic', flags: ['--look'] }, rounds: 3 },
};
const DIFF: Result = { kind: 'stepped', what: 'diff', gave: { patch: '+more', stat: null } };
const kept = (result: Result, tree: string): Result => ({ ...result, tree: { commit: `c-${tree}`, tree } }) as Result;
const claim = (tree: string): Result => kept(worked('DONE'), tree);
const REJECTED = worked('REJECTED: src/a.js is hard-coded');
const begun = run.begin(firstRecord('run', REQUEST));

const loop = (given: Partial<RunInputs>, ...results: readonly Result[]): LoopState<RunData> =>
  play(run, begun, inputs({ ...REVIEWED, ...given }), kept(STARTED, 'a'), ...results);
const NEXT = [WAITED, inputs(REVIEWED), STARTED];

describe('a claim', () => {
  test('that everything else accepted is compared, then reviewed by the other agent, in its own tag, before it is pushed', () => {
    const scm = git('commit', 'push');
    const committed = loop(
      { scm, guardrails: [guardrail('make test', 'APPEND')] },
      claim('b'),
      checked(0, true),
      STARTED,
      worked('Add x'),
      published(0),
    );
    expect(run.next(committed)).toMatchObject({ do: 'step', key: '1/diff/1', given: { from: 'c-a', to: 'c-b' } });
    const due = play(run, committed, DIFF);
    const tag = `review-${due.data.reviews.claim?.code}`;
    expect(run.next(due)).toMatchObject({
      do: 'start',
      key: '1/review/1/start',
      agent: { command: 'critic', flags: ['--look'], isOther: true, onlyReads: true },
      prompt: expect.stringContaining('as the harness has seen itself: make test.'),
    });
    expect(run.next(play(run, due, STARTED))).toMatchObject({ listen: { tag, multiline: true } });
    const approved = play(run, due, STARTED, worked('APPROVED'));
    expect(approved.phase).toEqual({ at: 'publish', index: 1 });
    expect(play(run, approved, published(1)).phase).toEqual({ at: 'end', ending: { kind: 'done' } });
  });

  test('that was not made is not reviewed, and neither is work that is red', () => {
    expect(loop({}, worked()).phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
    const red = loop({ guardrails: [guardrail('make test', 'APPEND')] }, claim('b'), checked(0, false));
    expect(red.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  });

  test('that is rejected is followed by the next iteration, whose prompt says why until there is another verdict', () => {
    const rejected = loop({}, claim('b'), DIFF, STARTED, REJECTED);
    expect(rejected.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
    const next = play(run, rejected, WAITED, inputs(REVIEWED));
    expect(run.next(next)).toMatchObject({
      key: '2/work/1/start',
      prompt: expect.stringContaining('src/a.js is hard-coded'),
    });
    const approved = play(run, rejected, ...NEXT, claim('c'), DIFF, STARTED, worked('APPROVED'));
    expect(approved).toMatchObject({
      phase: { at: 'end', ending: { kind: 'done' } },
      data: { reviews: { findings: null } },
    });
  });

  test('that could not be published is reviewed nevertheless, and not published again once it is rejected', () => {
    const failed = loop({ scm: git('commit') }, claim('b'), STARTED, worked('Add x'), published(0, 'failed'));
    expect(failed.phase).toEqual({ at: 'step', what: 'diff' });
    const rejected = play(run, failed, DIFF, STARTED, REJECTED, WAITED, inputs({ ...REVIEWED, scm: git('commit') }));
    expect(rejected.phase).toEqual({ at: 'start', purpose: 'work' });
    const approved = play(run, failed, DIFF, STARTED, worked('APPROVED'));
    expect(approved.phase).toMatchObject({ at: 'end', ending: { kind: 'unpublished' } });
  });

  test('stands when the loop ends without a verdict: continued, it is reviewed under a new key', () => {
    const blocked = loop({}, claim('b'), DIFF, STARTED, worked('hm'), STARTED, worked('hm'));
    expect(blocked.phase).toMatchObject({ at: 'end', ending: { kind: 'blocked' } });
    const ended = play(run, blocked, { kind: 'ended', ending: { kind: 'blocked', reason: 'x' } });
    const continued = play(run, ended, { kind: 'continued' }, inputs(REVIEWED), DIFF);
    expect(run.next(continued)).toMatchObject({ key: '1/review/3/start' });
  });
});

describe('the closing lines', () => {
  const linesOf = (left: Left, state: LoopState<RunData>): string =>
    closingLines(runClosing(state, left, { kind: 'no-repository' }, String)).join('\n');

  test('say who approved it, and in which round', () => {
    const state = loop({}, claim('b'), DIFF, STARTED, REJECTED, ...NEXT, claim('c'), DIFF, STARTED, worked('APPROVED'));
    expect(linesOf({ kind: 'done' }, state)).toContain('Reviewed by critic: approved in round 2.');
  });

  test('say at the limit what the last review found, not that checks were red', () => {
    const state = loop({}, claim('b'), DIFF, STARTED, REJECTED);
    const lines = linesOf({ kind: 'iteration-limit', limit: 1 }, state);
    expect(lines).toContain('The review by critic rejected it in round 1: src/a.js is hard-coded');
    expect(lines).toContain('The agent said DONE once.');
  });

  test('say whose login failed, and how to continue if the reviewer gave no verdict', () => {
    const reviewing = loop({}, claim('b'), DIFF, STARTED);
    expect(linesOf({ kind: 'auth', reason: 'no key' }, reviewing)).toContain('It was the reviewer, critic.');
    const silent = play(run, reviewing, worked('hm'), STARTED, worked('hm'));
    expect(linesOf({ kind: 'blocked', reason: 'x' }, silent)).toMatch(/ralph resume \S+ +have it reviewed again/);
  });
});
