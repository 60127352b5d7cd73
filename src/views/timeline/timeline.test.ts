import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inputs as runInputs } from '../../../test/support/loops/results.ts';
import { timelineIn } from '../../../test/support/loops/timeline.ts';
import type { Ending } from '../../core/ending.ts';
import { fold } from '../../core/machine/machine.ts';
import type { Outcome as RunOutcome } from '../../core/outcome.ts';
import { firstRecord, nextRecord, type Recorded, type Result } from '../../core/record.ts';
import { runMachine } from '../../loops/run/rules.ts';
import { readJournal } from '../../state/journal.ts';
import type { Timeline } from './timeline.ts';

const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/journals');
const journal = (name: string): Recorded[] => readJournal(join(JOURNALS, `${name}.jsonl`)).records;
const outcomes = ({ iterations }: Timeline): string[] => iterations.map(({ outcome }) => outcome.words);

test.each<[journal: string, ...outcomes: string[]]>([
  ['v2/job-ended', 'done'],
  ['v2/ralph-loop-ended', 'no DONE', 'no DONE', 'done'],
  ['v2/run-ended', 'no DONE', 'no DONE'],
  ['v2/run-unfinished', 'checks red', 'interrupted'],
  ['v2/session-ended', 'no DONE', 'DONE rejected', 'stopped'],
  ['v2/session-unfinished', 'no DONE', 'DONE rejected', 'unfinished'],
  ['v2/stories-ended', 'US-001 approved', 'US-002 submitted'],
  ['v2/stories-unfinished', 'US-001 submitted', 'interrupted'],
  ['v2/swarm-ended', 'worked', 'worked', 'worked', 'worked'],
  ['v2/swarm-unfinished', 'unfinished'],
  ['v2/task-ended', 'failed'],
  ['v2/task-unfinished', 'failed', 'failed', 'failed', 'failed', 'failed', 'failed'],
  ['v4/run-killed-resumed', 'DONE rejected', 'DONE rejected'],
  ['v4/run-rejected', 'DONE rejected', 'done'],
])('what each iteration came to: %s', (name, ...words) => {
  expect(outcomes(timelineIn(journal(name)))).toEqual(words);
});

test('that a supervisor left changes nothing that is shown of an iteration', () => {
  for (const name of ['v2/run-unfinished', 'v2/stories-unfinished', 'v4/run-killed-resumed']) {
    const records = journal(name).filter(({ result }) => result.kind !== 'ended');
    const last = records.at(-1);
    if (last === undefined) throw new Error('it has no records');
    const left = nextRecord(last, { key: 'left/9', result: { kind: 'left', by: 'SIGINT' }, at: last.at });
    expect(timelineIn([...records, left])).toEqual(timelineIn(records));
  }
});

test('of what an edited journal does not hold in its form nothing is known, and the rest is shown', () => {
  const spoilt = journal('v4/run-rejected').map((record) =>
    record.result.kind === 'inputs' ? { ...record, result: { ...record.result, inputs: { guardrails: 7 } } } : record,
  );
  const { agent, iterations } = timelineIn(spoilt);
  expect(agent).toBeNull();
  expect(iterations).toHaveLength(2);
});

test('every prefix of a journal has a timeline, because a loop may be looked at at any moment', () => {
  for (const version of ['v2', 'v4']) {
    for (const name of readdirSync(join(JOURNALS, version)).filter((file) => file.endsWith('.jsonl'))) {
      const records = journal(`${version}/${name.replace('.jsonl', '')}`);
      for (let length = 1; length <= records.length; length++) {
        const { iterations, totals } = timelineIn(records.slice(0, length));
        const numbers = iterations.map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
        expect(totals.agentMs + totals.checksMs + totals.waitedMs).toBeLessThanOrEqual(totals.workedMs);
      }
    }
  }
});

describe('a loop whose first DONE was rejected', () => {
  const timeline = timelineIn(journal('v4/run-rejected'));

  test('tells what was asked, and of whom', () => {
    expect(timeline).toMatchObject({ loopKind: 'run', agent: 'claude', task: 'fix the failing tests' });
    expect(timeline.ending).toEqual({ kind: 'done' });
  });

  test('has each check by its command, with its exit, duration and log', () => {
    const [first, second] = timeline.iterations;
    expect(first?.checks).toEqual([
      {
        label: './check.sh',
        passed: false,
        how: 'exit 1',
        exitCode: 1,
        durationMs: expect.any(Number),
        log: '.ralph/guardrail_001_check_sh.log',
        digest: null,
      },
      expect.objectContaining({ label: 'node --check greet.js', passed: true, how: 'exit 0' }),
    ]);
    expect(second?.checks.map(({ passed }) => passed)).toEqual([true, true]);
  });

  test('has the commit, and what all runs cost together, also those for a commit message', () => {
    const [first, second] = timeline.iterations;
    expect(first).toMatchObject({ commit: null, costUsd: 0.21, runs: 1, toolCalls: 1, published: [] });
    expect(second).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/), runs: 2, tries: 1 });
    expect(second?.published).toMatchObject([{ task: 'commit', status: 'done' }]);
    expect(timeline.totals).toMatchObject({ runs: 3, runsWithoutCost: 0, inputTokens: 174_000, outputTokens: 3000 });
    expect(timeline.totals.costUsd).toBeCloseTo(0.63);
  });
});

test.each(['v4/run-rejected', 'v4/run-killed-resumed'])(
  'the time worked is the one that the loop knows: %s',
  (name) => {
    const records = journal(name);
    expect(timelineIn(records).totals.workedMs).toBe(fold(runMachine, records).workedMs);
  },
);

test('the time between a kill and the resume is no iteration’s', () => {
  const [first] = timelineIn(journal('v4/run-killed-resumed')).iterations;
  expect(first?.workedMs).toBeLessThan((first?.endedAt ?? 0) - (first?.startedAt ?? 0));
});

describe('a loop of ralph run', () => {
  const failed: RunOutcome = { kind: 'failed', exit: { by: 'code', code: 2 } };

  test.each<[RunOutcome, string]>([
    [failed, 'failed'],
    [{ kind: 'limit', reason: 'You have hit your limit', resetAt: null }, 'limit'],
    [{ kind: 'auth', reason: 'Please run /login' }, 'auth'],
    [{ kind: 'infrastructure', reason: 'ECONNRESET' }, 'fault'],
    [{ kind: 'hang', reason: 'silent' }, 'hang'],
  ])('the kind of a failure or a fault gives the word: %j', (outcome, words) => {
    const timeline = timelineIn(records([work(1, 1, outcome)]));
    expect(outcomes(timeline)).toEqual([words]);
    expect(timeline.iterations[0]?.faults).toHaveLength(1);
  });

  test('the last of several tries decides; what kept the others from working is not lost', () => {
    const fault: RunOutcome = { kind: 'infrastructure', reason: 'ECONNRESET' };
    const again: Step = ['1/again/2', { kind: 'waited' }];
    const timeline = timelineIn(records([work(1, 1, fault), [again], work(1, 2, { kind: 'worked' }), [WAIT]]));
    expect(timeline.iterations).toMatchObject([{ tries: 2, faults: ['infrastructure: ECONNRESET'] }]);
    expect(outcomes(timeline)).toEqual(['no DONE']);
  });

  test('counts the files that all of its tries changed; where no tree was kept, that is not known', () => {
    const [started, ran] = work(1, 2, { kind: 'worked' });
    const withTree = ([key, result]: Step, changed: number): Step => [
      key,
      { ...result, tree: { commit: 'c', changed } } as Result,
    ];
    if (started === undefined || ran === undefined) throw new Error('a run has two records');
    const [before, cutOff] = work(1, 1, { kind: 'hang', reason: 'silent' });
    if (before === undefined || cutOff === undefined) throw new Error('a run has two records');
    const again: Step = ['1/again/2', { kind: 'waited' }];
    const steps: Step[][] = [[before, withTree(cutOff, 2)], [again], [started, withTree(ran, 3)], [WAIT]];
    expect(timelineIn(records(steps)).iterations).toMatchObject([{ filesChanged: 5 }]);
    expect(timelineIn(records([[started, ran], [WAIT]])).iterations).toMatchObject([{ filesChanged: null }]);
    // Its supervisor died, and the next one had nothing to compare with.
    const lost: Step[][] = [[before, cutOff], [again], [started, withTree(ran, 3)], [WAIT]];
    expect(timelineIn(records(lost)).iterations).toMatchObject([{ filesChanged: null }]);
  });

  test('what an agent committed is where HEAD has moved while it ran; without a snapshot that is not known', () => {
    const at = (run: readonly Step[], first: string | undefined, last: string): Step[] => {
      const trees = [first, last].map((head) => (head === undefined ? {} : { tree: { commit: 'c', head } }));
      return run.map(([key, result], index) => [key, { ...result, ...trees[index] }]);
    };
    const steps = [
      at(work(1, 1, { kind: 'worked' }), 'a', 'b'),
      [WAIT],
      at(work(2, 1, { kind: 'worked' }), undefined, 'b'),
      [WAIT],
      // A person committed before the loop was resumed.
      at(work(3, 1, { kind: 'worked' }), 'c', 'd'),
      [WAIT],
      work(4, 1, { kind: 'worked' }),
      [WAIT],
    ] as const;
    const { iterations } = timelineIn(records(steps));
    const ranges = iterations.map(({ agentCommits }) => agentCommits);
    expect(ranges).toEqual([{ from: 'a', to: 'b' }, null, { from: 'c', to: 'd' }, null]);
    expect(iterations.map(({ commit }) => commit)).toEqual([null, null, null, null]);
  });

  test('a check that was red in an earlier try says nothing of the last one', () => {
    const outcome = { is: 'failed', how: 'exit 1', code: 1 } as const;
    const red: Result = {
      kind: 'checked',
      index: 0,
      outcome,
      log: 'a.log',
      output: '',
      truncated: false,
      durationMs: 1,
    };
    const steps: Step[][] = [
      work(1, 1, { kind: 'worked' }),
      [['1/check/0', red]],
      work(1, 2, { kind: 'worked' }),
      [WAIT],
    ];
    expect(outcomes(timelineIn(records(steps)))).toEqual(['no DONE']);
    expect(outcomes(timelineIn(records([...steps.slice(0, 2), [WAIT]])))).toEqual(['checks red']);
  });

  test('what no run reports is unknown, and not zero', () => {
    const { iterations, totals } = timelineIn(records([work(1, 1, { kind: 'worked' }), [WAIT]]));
    const unknown = {
      runs: 1,
      costUsd: null,
      runsWithoutCost: 1,
      inputTokens: null,
      outputTokens: null,
      toolCalls: null,
    };
    expect(iterations[0]).toMatchObject(unknown);
    expect(totals).toMatchObject(unknown);
  });

  test('an ending that was taken back is none', () => {
    const ended: Step = ['end', { kind: 'ended', ending: { kind: 'auth', reason: 'login' } satisfies Ending }];
    const login: RunOutcome = { kind: 'auth', reason: 'login' };
    const before = [work(1, 1, login), [ended]];
    expect(timelineIn(records(before)).ending).toEqual({ kind: 'auth', reason: 'login' });
    const after = [...before, [['continued/5', { kind: 'continued' }] satisfies Step], work(1, 2, { kind: 'worked' })];
    expect(timelineIn(records(after))).toMatchObject({ ending: null, iterations: [{ tries: 2, endedAt: null }] });
  });
});

test('an iteration is over when its wait is, also where the supervisor left then', () => {
  const left: Step = ['left/9', { kind: 'left', by: 'SIGHUP' }];
  expect(outcomes(timelineIn(records([work(1, 1, { kind: 'worked' }), [WAIT], [left]])))).toEqual(['no DONE']);
});

test('an iteration whose check a command cut off is interrupted, whatever its agent said', () => {
  const cutOff: Step[] = [
    ['1/check/0', { kind: 'interrupted', reason: 'told to stop now', byCommand: true }],
    ['1/cut-off', { kind: 'waited', command: 'stop' }],
    ['end', { kind: 'ended', ending: { kind: 'stopped' } }],
  ];
  expect(outcomes(timelineIn(records([work(1, 1, { kind: 'worked' }), cutOff])))).toEqual(['interrupted']);
});

type Step = readonly [key: string, result: Result];

const WAIT: Step = ['1/wait', { kind: 'waited' }];

function work(iteration: number, tries: number, outcome: RunOutcome): Step[] {
  const key = `${iteration}/work/${tries}`;
  const said = { tag: null, firstLine: null };
  return [
    [`${key}/start`, { kind: 'started', handle: { runner: 'direct', name: '' } }],
    [`${key}/await`, { kind: 'ran', outcome, said, transcript: { path: '', bytes: 0 } }],
  ];
}

function records(steps: readonly (readonly Step[])[]): Recorded[] {
  const created = { id: 'a', loopKind: 'run', cwd: '/', release: '0', options: {} };
  const inputs: Step = ['1/inputs/1', runInputs()];
  const made = [firstRecord(created, 1000)];
  for (const [key, result] of [inputs, ...steps.flat()]) {
    made.push(nextRecord({ seq: made.length - 1 }, { key, result, at: 1000 + made.length * 10 }));
  }
  return made;
}
