/** What ends a run early, and how that changes its outcome; the process that hangs is a real one. */
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { shell, start } from '../../../test/support/programs/launching.ts';
import type { RunOutput } from '../../agents/run-output-reader.ts';
import type { RunLimits } from '../../core/action.ts';
import type { BudgetUse } from '../../core/budget/terms.ts';
import type { Exit } from '../../core/outcome.ts';
import { containmentOf } from '../../process/containment/containment.ts';
import type { RunFiles } from '../../runners/runner.ts';
import { type LimitedRun, limitRun } from './run-limits.ts';

const NO_LIMITS: RunLimits = { timeMs: null, idleMs: null };
const KILLED: Exit = { by: 'signal', signal: 'SIGTERM' };
const OUTPUT: RunOutput = {
  said: { tag: null, firstLine: null },
  account: null,
  words: null,
  calls: [],
  quota: null,
  session: null,
  brokeOff: false,
  complaint: null,
  fault: null,
  toolCalls: null,
};

interface Limited extends LimitedRun {
  readonly warned: BudgetUse[];
  /** How often it was asked to wrap up. */
  asked(): number;
  /** Resolves when it is first asked. */
  isAsked(): Promise<unknown>;
  readonly cancel: AbortController;
}

function limited(limits: Partial<RunLimits>, files?: Pick<RunFiles, 'folder' | 'mark'>): Limited {
  const run = { folder: testFolder(), mark: 'none', ...files, name: '1-work-1' };
  const cancel = new AbortController();
  const warned: BudgetUse[] = [];
  let asked = 0;
  const ports = { signal: cancel.signal, warn: (use: BudgetUse) => void warned.push(use), wrapUp: () => void asked++ };
  const made = limitRun(run, { ...NO_LIMITS, ...limits }, ports);
  onTestFinished(made.close);
  return {
    ...made,
    warned,
    asked: () => asked,
    isAsked: () => vi.waitUntil(() => asked > 0, { timeout: 10_000 }),
    cancel,
  };
}

describe('a run without limits', () => {
  test('is ended only by the signal, and judged by its exit', () => {
    const run = limited({});
    run.used({ costUsd: 1000, inputTokens: 1e9 });
    run.heard({ type: 'text', text: 'hello' });
    expect(run.signal.aborted).toBe(false);
    expect(run.judge({ by: 'code', code: 0 }, OUTPUT)).toEqual({
      outcome: { kind: 'worked' },
      endedBy: null,
      limited: null,
    });
    run.cancel.abort();
    expect(run.signal.aborted).toBe(true);
    expect(run.judge(KILLED, OUTPUT)).toMatchObject({ outcome: { kind: 'failed', exit: KILLED }, limited: null });
  });
});

describe('a run is ended', () => {
  test('when its time is up, and has failed', async () => {
    const run = limited({ timeMs: 20 });
    await once(run.signal, 'abort');
    const outcome = { kind: 'failed', exit: { by: 'timeout', afterMs: 20 } };
    expect(run.judge(KILLED, OUTPUT)).toEqual({ outcome, endedBy: null, limited: 'total' });
  });

  test('when it prints nothing for too long, and has failed', async () => {
    const run = limited({ idleMs: 60 });
    await once(run.signal, 'abort');
    const outcome = { kind: 'failed', exit: { by: 'timeout', afterMs: 60 } };
    expect(run.judge(KILLED, OUTPUT)).toEqual({ outcome, endedBy: 'inactivity', limited: 'idle' });
  });

  test('by a hopeless fault, and by no other', () => {
    const run = limited({});
    const fault = { kind: 'auth', reason: 'not logged in' } as const;
    run.heard({ type: 'fault', fault });
    expect(run.signal.aborted).toBe(false);
    run.heard({ type: 'fault', fault, isHopeless: true });
    expect(run.signal.aborted).toBe(true);
    expect(run.judge(KILLED, { ...OUTPUT, fault })).toEqual({ outcome: fault, endedBy: null, limited: null });
  });

  test('when it has used more than is left', () => {
    const run = limited({ budget: { costUsd: 1, tokens: 100 } });
    run.used({ costUsd: 1, inputTokens: 60, outputTokens: 40 });
    expect(run.signal.aborted).toBe(false);
    run.used({ costUsd: 1, inputTokens: 60, outputTokens: 41 });
    expect(run.signal.aborted).toBe(true);
    expect(run.judge(KILLED, OUTPUT)).toMatchObject({ outcome: { kind: 'failed' }, endedBy: 'budget' });
  });

  test('by the agent itself, when it has used up the dollars that it got', () => {
    const account = { isError: true, text: '', isOutOfBudget: true } as const;
    expect(limited({}).judge({ by: 'code', code: 1 }, { ...OUTPUT, account })).toMatchObject({ endedBy: 'budget' });
  });
});

describe('an agent that hangs', () => {
  const hanging = async () => {
    const spec = shell('echo >started; exec sleep 1000');
    const program = await start(containmentOf('group'), spec);
    await program.made('started');
    return { folder: spec.folder, mark: spec.mark };
  };

  test('is ended, and the outcome says for how long it did nothing', async () => {
    const run = limited({ hangMs: 300 }, await hanging());
    await once(run.signal, 'abort');
    expect(run.judge(KILLED, OUTPUT)).toMatchObject({
      outcome: { kind: 'hang', reason: expect.stringMatching(/^it printed nothing.* used no CPU.* for 300ms$/) },
      limited: null,
    });
    // It finished at that moment: its work counts.
    expect(run.judge({ by: 'code', code: 0 }, OUTPUT).outcome).toEqual({ kind: 'worked' });
  });

  test('after its last word does not hang, nor does one whose processes are unknown', async () => {
    const files = await hanging();
    const finished = limited({ hangMs: 200 }, files);
    const unknown = limited({ hangMs: 200 });
    finished.finished();
    // Started later, and with more time to go.
    await once(limited({ hangMs: 400 }, files).signal, 'abort');
    expect([finished.signal.aborted, unknown.signal.aborted]).toEqual([false, false]);
  });
});

describe('a budget that is nearly used up', () => {
  const cost: BudgetUse = { of: 'cost', limit: 10, used: 5 };

  test('because of calls in the run causes a warning, and the agent is asked to wrap up', () => {
    const run = limited({ unwarned: [cost], spending: [cost] });
    run.used({ costUsd: 2.9 });
    expect([run.warned, run.asked()]).toEqual([[], 0]);
    run.used({ costUsd: 3 });
    expect([run.warned, run.asked()]).toEqual([[{ ...cost, used: 8 }], 0]);
    run.used({ costUsd: 4 });
    expect(run.asked()).toBe(1);
    expect(run.signal.aborted).toBe(false);
  });

  test('and then used up ends the run without another warning', () => {
    const run = limited({ budget: { costUsd: 5 }, unwarned: [cost] });
    run.used({ costUsd: 6 });
    expect([run.warned, run.signal.aborted]).toEqual([[], true]);
  });

  test('because of time alone causes a warning while the agent is silent, and it is asked to wrap up', async () => {
    const time: BudgetUse = { of: 'time', limit: 100, used: 70 };
    const run = limited({ unwarned: [time, cost], spending: [time, cost] });
    await run.isAsked();
    expect([run.warned, run.asked()]).toEqual([[{ ...time, used: 80 }], 1]);
  });

  test('causes no warning after the run, nor for a time that no timer can hold', async () => {
    const soon: BudgetUse = { of: 'time', limit: 100, used: 70 };
    const far: BudgetUse = { of: 'time', limit: 2 ** 33, used: 0 };
    const closed = limited({ unwarned: [soon], spending: [soon] });
    closed.close();
    const long = limited({ unwarned: [far], spending: [far] });
    // Started later, and with more time to go.
    await limited({ spending: [{ ...soon, used: 50 }] }).isAsked();
    expect([closed, long].map((run) => [run.warned, run.asked()])).toEqual([
      [[], 0],
      [[], 0],
    ]);
  });
});
