/** How the rules of the stories loop handle a review: its verdict, the commands that verify it, the review count. */
import { describe, expect, test } from 'vitest';
import { play } from '../../../test/support/loops/play.ts';
import { checked, failed, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import {
  begun,
  inputs,
  judged,
  legal,
  list,
  MARKED,
  machine,
  PUT_BACK,
  ranIn,
  stepped,
} from '../../../test/support/stories/iterations.ts';
import type { Result } from '../../core/record.ts';
import type { Judged, KeptVerdict } from './state.ts';

describe('verifyCommands', () => {
  const commands = { verifyCommands: ['test', 'lint'] };
  const green = (index: number): Result => checked(index, true);
  const red = (index: number): Result => checked(index, false, 'o\u0000');
  const approvedIn = (isComplete: boolean, tag: string | null = null) =>
    play(
      machine,
      begun,
      inputs({ list: list('review'), ...commands }),
      MARKED,
      STARTED,
      worked(tag, 'said'),
      judged({ code: 'c1', verdict: legal({ approved: 'A', passed: ['A'], isComplete, countBefore: 0 }) }),
    );
  const SENT_BACK = stepped('send-back', { tasks: 't3', complete: 0, commit: null, problem: null });

  test('are run for an approval, all of them, and once more before the end', () => {
    const one = approvedIn(false);
    expect(machine.next(one)).toMatchObject({
      do: 'check',
      key: '1/check/0',
      check: { given: { command: 'test' }, keeps: 'end' },
    });
    const two = play(machine, one, green(0));
    expect(machine.next(two)).toMatchObject({ do: 'check', key: '1/check/1', check: { given: { command: 'lint' } } });
    expect(machine.next(play(machine, two, green(1)))).toMatchObject({ do: 'wait' });
    const last = play(machine, approvedIn(true), green(0), green(1));
    expect(machine.next(last)).toMatchObject({ do: 'check', key: '1/check/2', check: { given: { command: 'test' } } });
    expect(machine.next(play(machine, last, green(2), green(3)))).toMatchObject({
      do: 'end',
      ending: { kind: 'done' },
    });
  });

  test('that fail send the story back with all that failed, and the review counts', () => {
    const sent = play(machine, approvedIn(true), red(0), red(1));
    expect(machine.next(sent)).toMatchObject({
      do: 'step',
      what: 'send-back',
      outward: true,
      given: { stories: ['A'], tasks: 't1', skipReview: false, feedback: expect.stringContaining('$ test\nexit 1') },
    });
    const after = play(machine, sent, SENT_BACK);
    expect(machine.next(after)).toMatchObject({ do: 'wait' });
    expect(after.data).toMatchObject({ reviews: { A: 1 }, running: null, verifying: null });
  });

  test('that fail only before the end do so, too', () => {
    const sent = play(machine, approvedIn(true), green(0), green(1), green(2), red(3));
    expect(machine.next(sent)).toMatchObject({ do: 'step', what: 'send-back' });
  });

  test('that fail at the review cap end the loop, and a question of the reviewer is still reported', () => {
    const cap = (tag: string | null) =>
      play(
        machine,
        begun,
        inputs({ list: list('review', 2), ...commands }),
        MARKED,
        STARTED,
        worked(tag, 'said'),
        judged({ code: 'c1', verdict: legal({ approved: 'A', passed: ['A'], isComplete: true, countBefore: 2 }) }),
        green(0),
        red(1),
        SENT_BACK,
      );
    expect(machine.next(cap(null))).toMatchObject({ do: 'end', ending: { kind: 'blocked' } });
    expect(machine.next(cap('DECIDE:Which?'))).toMatchObject({ do: 'step', what: 'tell' });
  });

  test('are not run without an approval', () => {
    const submitted = play(
      machine,
      begun,
      inputs(commands),
      MARKED,
      STARTED,
      worked(null, 'said'),
      judged({ verdict: legal({ submitted: 'A', passed: [] }) }),
    );
    expect(machine.next(submitted)).toMatchObject({ do: 'wait' });
  });
});

const AT_CAP: KeptVerdict = {
  kind: 'at-cap',
  story: 'A',
  approved: 't3',
  wasApproved: false,
  isComplete: true,
  countBefore: 2,
};

describe('a verdict does not count, the list is restored, and the next prompt says why', () => {
  const approved = legal({ approved: 'A', isComplete: true });
  test.each<[string, Partial<Judged>, string]>([
    ['of one who changed the code that it approves', { verdict: approved }, 'The review iteration changed code'],
    ['of one who changed it at the cap', { verdict: AT_CAP }, 'The review iteration changed code'],
    ['where git can no longer tell', { verdict: approved, code: null }, 'Git cannot tell whether'],
    ['of one who forgot the notes', { verdict: { kind: 'undocumented', reason: 'notes' }, code: 'c1' }, 'notes'],
  ])('%s', (_title, given, note) => {
    const state = play(machine, ranIn('review', worked('COMPLETE', 'w')), judged({ tasks: 't2', ...given }));
    expect(machine.next(state)).toMatchObject({
      what: 'put-back',
      given: { why: 'uncounted', tasks: 't1', prd: 'd1' },
    });
    const after = play(machine, state, PUT_BACK);
    expect(after).toMatchObject({ failuresInARow: 1, data: { reviews: {}, tamperedInARow: 0 } });
    expect(after.data.note).toContain(note);
    expect(machine.next(after).do).toBe('wait');
  });
  test('but a request for changes counts, and so does a review whose code is unknown', () => {
    const sentBack = play(
      machine,
      ranIn('review', worked(null, 'w')),
      judged({ tasks: 't2', verdict: legal({ sentBack: 'A' }) }),
    );
    expect(sentBack.data).toMatchObject({ reviews: { A: 1 }, note: null });
    const unseen = play(
      machine,
      begun,
      inputs({ list: list('review') }),
      stepped('mark', { head: null, code: null }),
      STARTED,
      worked(null, 'w'),
      judged({ tasks: 't2', verdict: approved }),
    );
    expect(machine.next(unseen)).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });
});

describe('ralph’s own count of reviews', () => {
  test('begins with the count of the file, and continues by itself', () => {
    const first = play(
      machine,
      ranIn('review', worked(null, 'w'), 1),
      judged({ tasks: 't2', verdict: legal({ sentBack: 'A', countBefore: 1 }) }),
    );
    expect(first.data.reviews).toEqual({ A: 2 });
    // The count in the file now does not matter.
    const second = play(
      machine,
      first,
      WAITED,
      inputs({ tasks: 't2', list: list('review', 0) }),
      MARKED,
      STARTED,
      worked(null, 'w'),
    );
    expect(machine.next(second)).toMatchObject({
      do: 'step',
      what: 'judge',
      given: { reviews: { A: 2 }, reviewCap: 3 },
    });
  });

  test('is the count of the story that the reviewer took, whatever its id', () => {
    for (const id of ['B', 'constructor', '__proto__']) {
      const taken = legal({ sentBack: id, countBefore: 1 });
      const state = play(machine, ranIn('review', worked(null, 'w'), 4), judged({ tasks: 't2', verdict: taken }));
      expect(Object.entries(state.data.reviews)).toEqual([[id, 2]]);
    }
  });

  test('counts no review that failed, and none without a verdict', () => {
    expect(play(machine, ranIn('review', failed(1)), judged()).data.reviews).toEqual({});
    const mute = play(
      machine,
      ranIn('review', worked(null, 'w')),
      judged({ verdict: { kind: 'no-verdict', reason: 'r' } }),
    );
    expect(mute.data).toMatchObject({ reviews: {}, note: 'r' });
    expect(mute).toMatchObject({ failuresInARow: 1 });
  });

  test('counts the one at the cap, which the loop approves', () => {
    const state = play(
      machine,
      ranIn('review', worked(null, 'w'), 2),
      judged({ tasks: 't2', code: 'c1', verdict: AT_CAP }),
    );
    expect(machine.next(state)).toMatchObject({
      do: 'step',
      what: 'approve',
      outward: true,
      given: { story: 'A', approved: 't3' },
    });
    const approved = play(machine, state, stepped('approve'));
    expect(approved.data.reviews).toEqual({ A: 3 });
    expect(machine.next(approved)).toMatchObject({ do: 'end', ending: { kind: 'done' } });
  });
});
