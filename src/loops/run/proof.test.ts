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
import { loopMachine } from '../../core/machine/machine.ts';
import type { BaseProof, Proof, ProofFinding, ProofTerms, ProvedCheck } from '../../core/proof/proof.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { runClosing } from './closing.ts';
import { runRules } from './rules.ts';
import type { RunData, RunInputs } from './state.ts';

const run = loopMachine(runRules);
const TERMS: ProofTerms = { setup: null, include: [], pins: [], allowEdit: [], acceptFlaky: false };
const CHECK = guardrail('npm test', 'APPEND');
const AT = { at: 'a1', tree: 't1', commit: null };
const RUN = { command: 'npm test', durationMs: 1, log: 'a.log', output: 'what it printed', truncated: false } as const;
const PASSED: ProvedCheck = { ...RUN, outcome: { is: 'passed' } };
const RED = { ...RUN, outcome: { is: 'failed', how: 'exit 1', code: 1 } } as const;
const BASE: BaseProof = { at: AT, head: 'h1', setup: null, checks: [RED], tests: 'digest' };

const stepped = (what: 'prove-base' | 'prove', gave: unknown): Result => ({ kind: 'stepped', what, gave });
const proof = (...findings: readonly ProofFinding[]): Result => {
  const gave: Proof = {
    at: { at: 'a2', tree: 't2', commit: null },
    setup: null,
    checks: [PASSED],
    pinned: null,
    findings,
  };
  return stepped('prove', gave);
};
const PINNED: ProofFinding = { is: 'pinned', changed: ['test/a.js'], ...RED };

/** A loop that is about to start its first agent, unless `base` says otherwise. */
function loop(
  given: Partial<RunInputs> = {},
  request = {},
  base: Result = stepped('prove-base', BASE),
): LoopState<RunData> {
  const options = { ...REQUEST, proof: TERMS, ...request };
  const read = inputs({ guardrails: [CHECK], ...given });
  return play(run, run.begin(firstRecord('run', options)), read, base);
}
const claiming = (given: Partial<RunInputs> = {}, ...more: readonly Result[]): LoopState<RunData> =>
  play(run, loop(given), STARTED, worked('DONE'), checked(0, true), ...more);
const nextOf = (state: LoopState<RunData>) => run.next(state);

describe('before the first iteration', () => {
  test('the tree that the loop begins with is proved once, after the checks in the work tree', () => {
    const options = { ...REQUEST, proof: TERMS, baseline: 'show' };
    const state = play(run, run.begin(firstRecord('run', options)), inputs({ guardrails: [CHECK] }));
    expect(nextOf(state)).toMatchObject({ do: 'check', key: 'baseline/check/0' });
    const after = play(run, state, { ...checked(0, false), isBaseline: true } as Result);
    expect(nextOf(after)).toMatchObject({
      do: 'step',
      what: 'prove-base',
      given: { terms: TERMS, checks: [{ command: 'npm test', kind: 'command' }] },
    });
    expect(nextOf(play(run, after, stepped('prove-base', BASE)))).toMatchObject({ do: 'start' });
  });

  test('a loop that proves nothing goes straight to work', () => {
    const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs({ guardrails: [CHECK] }));
    expect(nextOf(state)).toMatchObject({ do: 'start' });
  });

  const green = { ...BASE, checks: [PASSED] };
  const failing = (outcome: ProvedCheck['outcome']) => ({ ...BASE, checks: [{ ...RUN, outcome }] });
  const wasGreen = (base: unknown, given: Partial<RunInputs> = {}): LoopState<RunData> => {
    const options = { ...REQUEST, proof: TERMS, baseline: 'show' };
    const read = inputs({ guardrails: [CHECK], ...given });
    const passed = { ...checked(0, true), isBaseline: true } as Result;
    return play(run, run.begin(firstRecord('run', options)), read, passed, stepped('prove-base', base));
  };
  const lacking = (missing: string[], skipped: string[]) => ({ lacking: [{ command: 'npm test', missing, skipped }] });
  const witness = { guardrails: [{ ...CHECK, isWitness: true as const }] };

  test.each<[string, LoopState<RunData>, string]>([
    [
      'no checkout can be made',
      loop({}, {}, stepped('prove-base', { impossible: 'full' })),
      'no clean checkout can be made: full',
    ],
    [
      'the setup fails',
      loop({}, {}, stepped('prove-base', { ...BASE, setup: RED })),
      'the setup "npm test" fails in a clean checkout (exit 1, see a.log)',
    ],
    [
      'a witness passes',
      loop(witness, {}, stepped('prove-base', green)),
      'the witness "npm test" passes before any work is done, so it proves nothing',
    ],
    [
      'only the checkout is red',
      wasGreen(failing(RED.outcome)),
      '"npm test" passes in the work tree, but not in a clean checkout (exit 1, see a.log)',
    ],
    [
      'all tests of a command are skipped in the checkout alone',
      wasGreen({ ...failing({ is: 'failed', how: 'all 2 tests were skipped' }), ...lacking([], ['a', 'b']) }),
      '"npm test" passes in the work tree, but in a clean checkout 2 tests of it are skipped: a, b',
    ],
    [
      'the checkout runs fewer tests',
      wasGreen({ ...green, ...lacking(['a'], ['b']) }),
      '"npm test" passes in the work tree, but in a clean checkout 1 test of it is missing: a; 1 test of it is skipped: b',
    ],
  ])('the loop does not begin if %s', (_why, state, reason) => {
    expect(state.phase).toMatchObject({ at: 'end', ending: { kind: 'configuration', reason } });
  });

  test.each<[string, LoopState<RunData>]>([
    ['a check is red in both places', loop()],
    ['a witness is red', loop(witness)],
    ['it is green in both', wasGreen(green)],
    [
      'all tests of a command are skipped, in the work tree as well',
      wasGreen(failing({ is: 'failed', how: 'all 2 tests were skipped' })),
    ],
  ])('the loop begins if %s', (_why, state) => {
    expect(nextOf(state)).toMatchObject({ do: 'start' });
  });

  test('another kind of check has no test report from ralph, and counts', () => {
    const check = { kind: 'tests', given: {} };
    const base = { ...BASE, checks: [{ ...RUN, check, outcome: { is: 'failed', how: 'no test was run' } }] };
    expect(wasGreen(base, { guardrails: [{ ...CHECK, check }] }).phase).toMatchObject({ at: 'end' });
  });
});

describe('without a baseline', () => {
  const read = inputs({ guardrails: [CHECK, guardrail('make lint', 'APPEND')] });
  const lint = { ...RED, command: 'make lint' };
  const begun = (checks: readonly ProvedCheck[], ...results: readonly Result[]): LoopState<RunData> => {
    const options = { ...REQUEST, proof: TERMS, baseline: 'off' };
    return play(
      run,
      run.begin(firstRecord('run', options)),
      read,
      stepped('prove-base', { ...BASE, checks }),
      ...results,
    );
  };
  const inTree = (index: number, passed: boolean): Result =>
    ({ ...checked(index, passed), isBaseline: true }) as Result;

  test('what is red only in the clean checkout is run in the work tree, too', () => {
    expect(nextOf(begun([PASSED, lint]))).toMatchObject({ do: 'check', key: 'baseline/check/1' });
    expect(nextOf(begun([RED, lint], inTree(0, false)))).toMatchObject({ key: 'baseline/check/1' });
    expect(nextOf(begun([RED, lint], inTree(0, false), inTree(1, false)))).toMatchObject({ do: 'start' });
    expect(nextOf(begun([PASSED, { ...lint, ...PASSED }]))).toMatchObject({ do: 'start' });
    const reason = '"make lint" passes in the work tree, but not in a clean checkout (exit 1, see a.log)';
    expect(begun([PASSED, lint], inTree(1, true)).phase).toMatchObject({ ending: { kind: 'configuration', reason } });
  });

  test('it is done again if the loop was stopped meanwhile', () => {
    const stopped: Result = { kind: 'ended', ending: { kind: 'stopped' } };
    const state = begun([RED, lint], inTree(0, false), stopped, { kind: 'continued' }, read);
    expect(nextOf(state)).toMatchObject({ do: 'check', key: 'baseline/check/0' });
  });
});

describe('a claim', () => {
  test('is proved once the checks are green; what it needs is in the action', () => {
    expect(nextOf(claiming())).toMatchObject({
      do: 'step',
      what: 'prove',
      given: {
        base: { at: AT, head: 'h1', tests: 'digest', commands: ['npm test'] },
        isCommitted: false,
        iteration: 1,
      },
    });
  });

  test('ends the loop if the proof holds', () => {
    expect(claiming({}, proof()).phase).toEqual({ at: 'end', ending: { kind: 'done' } });
  });

  test('is not proved without a claim, nor while a check is red', () => {
    expect(play(run, loop(), STARTED, worked(), checked(0, true)).phase.at).toBe('wait');
    expect(play(run, loop(), STARTED, worked('DONE'), checked(0, false)).phase.at).toBe('wait');
  });

  test('that is rejected is reported in the next prompt, and can be made again', () => {
    const again = claiming({}, proof({ is: 'red', ...RED }), WAITED, inputs({ guardrails: [CHECK] }));
    const prompt = JSON.stringify(nextOf(again));
    expect(prompt).toContain('Guardrail \\"npm test\\" failed: exit 1 in a clean checkout.');
    expect(prompt).toContain('what it printed');
    const second = play(run, again, STARTED, worked('DONE'), checked(0, true));
    expect(nextOf(second)).toMatchObject({ do: 'step', what: 'prove', given: { iteration: 2 } });
    expect(play(run, second, proof()).phase).toMatchObject({ ending: { kind: 'done' } });
  });

  test.each<[ProofFinding, string]>([
    [
      { is: 'unchanged' },
      'Guardrail \\"proof in a clean checkout\\" failed: nothing has changed since the loop began.\\nHint: Do the work',
    ],
    [{ is: 'red', ...RED }, 'Hint: A clean checkout has no files that git ignores'],
    [
      { is: 'red', ...RED, uncommitted: ['a.js'] },
      'not in the commit: a.js.\\nHint: If one of these files is needed, add it with git add',
    ],
    [{ is: 'tests', command: 'x', log: 'b.log', missing: ['a'], skipped: [] }, 'Hint: Restore these tests'],
    [{ is: 'flaky', command: 'x', log: 'b.log' }, 'Hint: Find out what makes it depend on chance'],
    [PINNED, 'Hint: Restore these files'],
    [
      { is: 'impossible', reason: 'the disk is full' },
      'no clean checkout could be made: the disk is full.\\nOutput file: none',
    ],
  ])('%j is reported with what to do about it', (finding, words) => {
    const again = claiming({}, proof(finding), WAITED, inputs({ guardrails: [CHECK] }));
    expect(JSON.stringify(nextOf(again))).toContain(words);
  });

  test('a check that was red on the same files before is a suspect', () => {
    const tree = { commit: 'c', tree: 't9' };
    const did = (): Result => ({ ...worked('DONE'), tree }) as Result;
    const read = inputs({ guardrails: [CHECK] });
    const state = play(run, loop(), STARTED, did(), checked(0, false), WAITED, read, STARTED, did(), checked(0, true));
    expect(nextOf(state)).toMatchObject({ given: { checks: [{ command: 'npm test', isSuspect: true }] } });
  });

  test('a check that is excused does not count', () => {
    const options = { ...REQUEST, proof: TERMS, baseline: 'excuse' };
    const red = { ...checked(0, false), isBaseline: true } as Result;
    const begun = play(
      run,
      run.begin(firstRecord('run', options)),
      inputs({ guardrails: [CHECK] }),
      red,
      stepped('prove-base', BASE),
    );
    const state = play(run, begun, STARTED, worked('DONE'), checked(0, false));
    expect(nextOf(state)).toMatchObject({ what: 'prove', given: { checks: [{ isExcused: true }] } });
  });

  test('a witness is never excused: while it is red, the claim is not proved', () => {
    const options = { ...REQUEST, proof: TERMS, baseline: 'excuse' };
    const read = inputs({ guardrails: [{ ...CHECK, isWitness: true as const }] });
    const red = { ...checked(0, false), isBaseline: true } as Result;
    const begun = play(run, run.begin(firstRecord('run', options)), read, red, stepped('prove-base', BASE));
    expect(play(run, begun, STARTED, worked('DONE'), checked(0, false)).phase).toMatchObject({ at: 'wait' });
    const green = play(run, begun, STARTED, worked('DONE'), checked(0, true));
    const [asked] = (nextOf(green) as { given: { checks: object[] } }).given.checks;
    expect(asked).not.toHaveProperty('isExcused');
  });
});

test('the closing lines name a check that was never red, but not one that was red in a rejected proof', () => {
  const base = stepped('prove-base', { ...BASE, checks: [PASSED] });
  const claim = [STARTED, worked('DONE'), checked(0, true)];
  const red = stepped('prove', { at: AT, setup: null, checks: [RED], pinned: null, findings: [{ is: 'red', ...RED }] });
  const saidOf = (...results: readonly Result[]): readonly string[] =>
    runClosing(play(run, loop({}, {}, base), ...results), { kind: 'done' }, { kind: 'unknown', reason: '' }, String)
      .details;
  expect(saidOf(...claim, proof())).toContain('Never red, not even before the work began: npm test.');
  const again = [WAITED, inputs({ guardrails: [CHECK] }), ...claim, proof()];
  expect(saidOf(...claim, red, ...again).join()).not.toContain('Never red');
});

describe('checks that differ from those of the start', () => {
  const other = (given: object) => inputs({ guardrails: [{ ...CHECK, ...given }] });
  const checksAfter = (read: Result, request = {}): unknown =>
    play(run, loop({}, request), STARTED, worked(), checked(0, false), WAITED, read).data.inputs?.guardrails;

  test.each([{ command: 'true' }, { check: { kind: 'tests', given: {} } }, { timeoutMs: 5 }, { isWitness: true }])(
    'are not adopted once the start was proved: %j',
    (given) => {
      expect(checksAfter(other(given))).toEqual([CHECK]);
    },
  );

  test('are adopted if a person has freed the settings', () => {
    const freed = { proof: { ...TERMS, allowEdit: ['packages/a/.ralph/settings.json'] } };
    expect(checksAfter(other({ command: 'true' }), freed)).toMatchObject([{ command: 'true' }]);
  });

  test('are adopted if they differ only in what the agent reads about a failure', () => {
    expect(checksAfter(other({ hint: 'Look twice.' }))).toMatchObject([{ hint: 'Look twice.' }]);
  });
});

describe('tampering', () => {
  const again = [WAITED, inputs({ guardrails: [CHECK] }), STARTED, worked('DONE'), checked(0, true)];

  test('three claims in a row that need changed tests end the loop', () => {
    const twice = claiming({}, proof(PINNED), ...again, proof(PINNED));
    expect(twice.phase.at).toBe('wait');
    expect(play(run, twice, ...again, proof(PINNED)).phase).toMatchObject({
      ending: {
        kind: 'tampered',
        reason:
          '"npm test": test/a.js was changed; with the version from the start it fails (exit 1). This happened 3 times in a row.',
      },
    });
  });

  test('a claim that fails otherwise resets the count', () => {
    const state = claiming(
      {},
      proof(PINNED),
      ...again,
      proof(PINNED),
      ...again,
      proof({ is: 'unchanged' }),
      ...again,
      proof(PINNED),
    );
    expect(state.phase.at).toBe('wait');
  });
});

describe('publishing', () => {
  const scm = { ...git('commit', 'push'), message: 'template' as const };
  const push = (status: 'done' | 'failed' = 'done'): Result => ({ ...published(1, status), task: 'push' }) as Result;

  test('a claim is proved after the commit, and before the push', () => {
    const committed = claiming({ scm }, published(0));
    expect(nextOf(committed)).toMatchObject({ do: 'step', what: 'prove', given: { isCommitted: true } });
    const proven = play(run, committed, proof());
    expect(nextOf(proven)).toMatchObject({ do: 'publish', what: { task: 'push' } });
    expect(play(run, proven, push()).phase).toMatchObject({ ending: { kind: 'done' } });
  });

  test('what is rejected is not pushed', () => {
    expect(claiming({ scm }, published(0), proof(PINNED)).phase.at).toBe('wait');
  });

  test('without a claim, everything is published and nothing is proved', () => {
    const state = play(run, loop({ scm }), STARTED, worked(), checked(0, true), published(0));
    expect(nextOf(state)).toMatchObject({ do: 'publish', what: { task: 'push' } });
  });

  test('if nothing is committed, the work tree is proved before the push', () => {
    expect(nextOf(claiming({ scm: git('push') }))).toMatchObject({ what: 'prove', given: { isCommitted: false } });
  });

  test('if the commit failed, the work tree is proved, and the commit as soon as there is one', () => {
    const failed = claiming({ scm }, published(0, 'failed'));
    expect(nextOf(failed)).toMatchObject({ what: 'prove', given: { isCommitted: false } });
    const ended = play(run, failed, proof(), { kind: 'ended', ending: { kind: 'unpublished', reason: 'abc' } });
    const resumed = play(run, ended, { kind: 'continued' }, inputs({ guardrails: [CHECK], scm }), published(0));
    expect(nextOf(resumed)).toMatchObject({ what: 'prove', given: { isCommitted: true } });
  });

  test('a failed push is repeated without another proof', () => {
    const failed = claiming({ scm }, published(0), proof(), push('failed'));
    expect(failed.phase).toMatchObject({ ending: { kind: 'unpublished' } });
    const ended = play(run, failed, { kind: 'ended', ending: { kind: 'unpublished', reason: 'abc' } });
    const resumed = play(run, ended, { kind: 'continued' }, inputs({ guardrails: [CHECK], scm }));
    expect(nextOf(resumed)).toMatchObject({ do: 'publish', what: { task: 'push' } });
    expect(play(run, resumed, push()).phase).toMatchObject({ ending: { kind: 'done' } });
  });
});
