/** When the rules of the stories loop ask for a proof, and what follows from it. */
import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import { checked, STARTED, worked } from '../../../test/support/loops/results.ts';
import { inputs, judged, legal, list, MARKED, machine, stepped } from '../../../test/support/stories/iterations.ts';
import type { BaseProof, Proof, ProofFinding } from '../../core/proof/proof.ts';
import { proofTerms } from '../../core/proof/terms.ts';
import type { Result } from '../../core/record.ts';
import { storiesClosing } from './closing.ts';
import { storiesRequest } from './request.ts';

const proof = proofTerms({ isOn: true });
const options = storiesRequest({ reviewCap: 3, ...(proof === undefined ? {} : { proof }) });
const begun = machine.begin(firstRecord('stories', { ...options }));
const OPEN = inputs({ list: list('review'), verifyCommands: ['test'] });
const run = { command: 'test', durationMs: 1, log: 'l', output: 'o\u0007', truncated: false };
const red = { ...run, outcome: { is: 'failed', how: 'exit 1', code: 1 } } as const;
const green = { ...run, outcome: { is: 'passed' } } as const;
const AT = { at: 'c', tree: 't', commit: 'abcdef0123' };
const base = (more: Partial<BaseProof> = {}): Result =>
  stepped('prove-base', { at: AT, setup: null, checks: [green], tests: 'd', ...more });
const proved = (...findings: ProofFinding[]): Result =>
  stepped('prove', { at: AT, setup: null, checks: [], pinned: null, findings } satisfies Proof);
const PINNED: ProofFinding = { is: 'pinned', changed: ['a.test.js'], ...red };
const SENT_BACK = stepped('send-back', { tasks: 't3', complete: 0, commit: null, problem: null });
const APPROVED = judged({
  code: 'c1',
  verdict: legal({ approved: 'A', passed: ['A'], isComplete: true, countBefore: 0 }),
});
const approvedAfter = (before: typeof begun) =>
  play(machine, before, MARKED, STARTED, worked(null, 'said'), APPROVED, checked(0, true), checked(1, true));
const claimed = () => approvedAfter(play(machine, begun, OPEN, base()));

describe('before the first iteration', () => {
  test('the commands run in a clean checkout, and the story begins', () => {
    const due = play(machine, begun, OPEN);
    expect(machine.next(due)).toMatchObject({
      do: 'step',
      what: 'prove-base',
      given: { checks: [{ command: 'test', kind: 'command', given: { command: 'test' }, keeps: 'end' }] },
    });
    expect(machine.next(play(machine, due, base()))).toMatchObject({ do: 'step', what: 'mark' });
  });

  test('a command that fails there runs in the work tree: if it passes, the loop does not begin', () => {
    const due = play(machine, begun, OPEN, base({ checks: [red] }));
    expect(machine.next(due)).toMatchObject({ do: 'check', key: 'baseline/check/0', check: { isBaseline: true } });
    const there = { ...checked(0, true), isBaseline: true } as Result;
    expect(machine.next(play(machine, due, there))).toMatchObject({
      do: 'end',
      ending: { kind: 'configuration', reason: expect.stringContaining('but not in a clean checkout') },
    });
    const nowhere = { ...checked(0, false), isBaseline: true } as Result;
    expect(machine.next(play(machine, due, nowhere))).toMatchObject({ do: 'step', what: 'mark' });
  });

  test('tests that only the work tree runs keep it from beginning', () => {
    const lacking = [{ command: 'test', missing: [], skipped: ['a'] }];
    expect(machine.next(play(machine, begun, OPEN, base({ lacking })))).toMatchObject({
      do: 'end',
      ending: { kind: 'configuration', reason: expect.stringContaining('1 test of it is skipped: a') },
    });
  });

  test('a setup that fails, or no clean checkout, keeps it from beginning', () => {
    for (const gave of [base({ setup: red }), stepped('prove-base', { impossible: 'no git' })])
      expect(machine.next(play(machine, begun, OPEN, gave))).toMatchObject({
        do: 'end',
        ending: { kind: 'configuration' },
      });
  });

  test('a list without commands has nothing to prove', () => {
    const due = play(machine, begun, inputs({ list: list('review'), verifyCommands: [] }));
    expect(machine.next(due)).toMatchObject({ do: 'step', what: 'mark' });
  });
});

describe('when every story is approved', () => {
  test('the commit is proved, and only then the loop is done', () => {
    expect(machine.next(claimed())).toMatchObject({
      do: 'step',
      what: 'prove',
      given: { isCommitted: true, base: { at: AT, tests: 'd' }, iteration: 1 },
    });
    expect(machine.next(play(machine, claimed(), proved()))).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });

  test('the summary names a command that was never red, also with a proof', () => {
    const saidOf = (state: typeof begun): readonly string[] =>
      storiesClosing(state, { kind: 'done' }, { kind: 'unknown', reason: '' }, { complete: 1, total: 1 }, String)
        .details;
    const done = play(machine, approvedAfter(play(machine, begun, OPEN, base({ checks: [green] }))), proved());
    expect(saidOf(done)).toContain('Never red, not even before the work began: test.');
    const redThere = play(machine, begun, OPEN, base({ checks: [red] }), {
      ...checked(0, false),
      isBaseline: true,
    } as Result);
    expect(saidOf(play(machine, approvedAfter(redThere), proved())).join()).not.toContain('Never red');
  });

  test('a proof that fails sends the last story back, with what failed', () => {
    const sent = play(machine, claimed(), proved({ is: 'red', ...red }));
    expect(machine.next(sent)).toMatchObject({
      do: 'step',
      what: 'send-back',
      given: {
        stories: ['A'],
        isProof: true,
        feedback: expect.stringMatching(
          /\$ test\nexit 1 in a clean checkout of abcdef0\. A fresh clone .*\nIts output:\no$/,
        ),
      },
    });
    expect(machine.next(play(machine, sent, SENT_BACK))).toMatchObject({ do: 'wait' });
  });

  test('the third one because of changed tests ends the loop, with the story sent back; continuing resets the count', () => {
    const two = { ...claimed(), data: { ...claimed().data, proof: { ...claimed().data.proof, tampered: 2 } } };
    const sent = play(machine, two, proved(PINNED));
    expect(machine.next(sent)).toMatchObject({ do: 'step', what: 'send-back' });
    const over = play(machine, sent, SENT_BACK);
    expect(machine.next(over)).toMatchObject({ do: 'end', ending: { kind: 'tampered' } });
    const again = play(
      machine,
      over,
      { kind: 'ended', ending: { kind: 'tampered', reason: '' } },
      { kind: 'continued', options: {} },
    );
    expect(again.data.proof).toMatchObject({ tampered: 0, last: { findings: [PINNED] } });
  });

  test('a list that a person completed is proved, too; no story is to blame', () => {
    const worked1 = play(machine, begun, OPEN, base(), MARKED, STARTED, worked(null, 'said'), judged({ code: 'c0' }));
    const complete = inputs({ list: { is: 'complete' }, verifyCommands: ['test'] });
    const due = play(machine, { ...worked1, phase: { at: 'inputs' } }, complete, checked(1, true));
    expect(machine.next(due)).toMatchObject({ do: 'step', what: 'prove' });
    expect(machine.next(play(machine, due, proved(PINNED)))).toMatchObject({
      do: 'end',
      ending: {
        kind: 'blocked',
        reason: expect.stringContaining('all stories are approved, but the proof failed: "test":'),
      },
    });
  });
});
