import { describe, expect, test } from 'vitest';
import type { Action, RunKey } from '../../core/action.ts';
import { NO_USAGE, type Usage } from '../../core/budget/usage.ts';
import type { AgentEvent } from '../../core/events.ts';
import { NO_PROGRESS } from '../../core/progress/progress.ts';
import type { Recorded, Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { liveStatus } from './live-status.ts';

type Data = { readonly mode: string };
const RUN: RunKey = { loop: 'x', iteration: 2, purpose: 'work', try: 1 };
const AGENT = { command: 'a', flags: [], mode: 'stream' } as const;
const START: Action = { key: '2/work/1/start', do: 'start', run: RUN, agent: AGENT, prompt: '' };
const AWAIT: Action = {
  key: '2/work/1',
  do: 'await',
  run: RUN,
  agent: AGENT,
  handle: { runner: 'direct', name: 'r' },
  listen: { tag: 'x', multiline: false },
  limits: { timeMs: null, idleMs: null },
};

function stateWith(usage: Partial<Usage> = {}, at = 0): LoopState<Data> {
  return {
    id: 'x',
    loopKind: 'run',
    cwd: '/',
    seq: 1,
    startedAt: 0,
    terms: {},
    base: null,
    waitedMs: 0,
    outageMs: 0,
    at,
    workedMs: 0,
    iteration: 2,
    tries: {},
    phase: { at: 'inputs' },
    failuresInARow: 0,
    failures: 0,
    lastFailure: null,
    faultsInARow: 0,
    unavailable: {},
    worker: null,
    startedIn: 0,
    lastCommit: null,
    usage: { ...NO_USAGE, ...usage },
    knownInputs: null,
    consumed: null,
    continued: 0,
    leaving: { is: 'unsaid' },
    cutOff: null,
    progress: NO_PROGRESS,
    told: [],
    data: { mode: 'review' },
  };
}

function opened(words: Partial<Parameters<typeof liveStatus<Data>>[0]> = {}) {
  const status = liveStatus<Data>({ limit: () => 10, ...words }, 0);
  return {
    view: status.view,
    act: (action: Action, now: number, state = stateWith()) => status.take({ type: 'action', action, state }, now),
    hear: (event: AgentEvent, now = 0) => status.take({ type: 'progress', run: RUN, seq: 0, event }, now),
    record: (result: Result, state: LoopState<Data>) => {
      const record: Recorded = { v: 4, seq: 1, at: 0, key: 'k', attempt: 1, result };
      status.take({ type: 'record', record, state }, 0);
    },
  };
}

const usage = (id: string, figures: object): AgentEvent => ({ type: 'usage', id, ...figures });

describe('cost and tokens', () => {
  test('are unknown until something reports them', () => {
    const { view, act } = opened();
    act(START, 0);
    expect(view()).toMatchObject({ iteration: 2, limit: 10, cost: null, tokens: null });
  });

  test('of a call that reports again are replaced, not added', () => {
    const { view, act, hear } = opened();
    act(START, 0, stateWith({ runs: 1, costUsd: 0.2, inputTokens: 1000, outputTokens: 10 }));
    hear(usage('a', { inputTokens: 100, outputTokens: 1, costUsd: 0.01 }));
    hear(usage('b', { inputTokens: 200, outputTokens: 2, costUsd: 0.02 }));
    hear(usage('a', { inputTokens: 150, outputTokens: 5, costUsd: 0.03 }));
    expect(view().tokens).toBe(1010 + 155 + 202);
    expect(view().cost).toEqual({ usd: 0.2 + 0.03 + 0.02, isAtLeast: false });
  });

  test('come from the record alone once the run has ended', () => {
    const { view, act, hear, record } = opened();
    act(START, 0);
    hear(usage('a', { inputTokens: 100, outputTokens: 1 }));
    const said = { tag: null, firstLine: null };
    const ran: Result = { kind: 'ran', outcome: { kind: 'worked' }, said, transcript: { path: '', bytes: 0 } };
    record(ran, stateWith({ runs: 1, costUsd: 0.5, inputTokens: 300, outputTokens: 3 }));
    expect(view().tokens).toBe(303);
    act({ key: 'c', do: 'end', ending: { kind: 'done' } }, 0, stateWith({ runs: 1, costUsd: 0.5 }));
    expect(view().cost).toEqual({ usd: 0.5, isAtLeast: false });
  });

  test("are the agent's own account as soon as it gives one", () => {
    const { view, act, hear } = opened();
    act(START, 0);
    hear(usage('a', { inputTokens: 100, outputTokens: 1 }));
    hear({ type: 'result', isError: false, text: '', costUsd: 0.4, inputTokens: 500, outputTokens: 5 });
    expect(view()).toMatchObject({ tokens: 505, cost: { usd: 0.4, isAtLeast: false } });
  });

  test.each([
    ['a run that goes on tells none', { runs: 1, costUsd: 0.2 }],
    ['an earlier run told none', { runs: 2, costUsd: 0.2, runsWithoutCost: 1 }],
  ])('are at least what is known when %s', (_when, known) => {
    const { view, act } = opened();
    act(START, 0, stateWith(known));
    expect(view().cost).toEqual({ usd: 0.2, isAtLeast: true });
  });
});

describe('a run', () => {
  test('has a last sign of life with everything that the agent prints, but not with what its sandbox prints', () => {
    const { view, act, hear } = opened();
    act(START, 1000);
    act(AWAIT, 1100, stateWith({}, 1050));
    expect(view().phase).toMatchObject({ is: 'run', name: 'work', since: 1050, lastSign: 1100 });
    hear({ type: 'text', text: 'x' }, 5000);
    hear({ type: 'refusal', text: 'no' }, 9000);
    expect(view().phase).toMatchObject({ lastSign: 5000 });
  });

  test('shows the tool that began last among those that have not ended', () => {
    const { view, act, hear } = opened();
    act(START, 0);
    const tool = (): string | null => {
      const { phase } = view();
      return phase.is === 'run' ? phase.tool : null;
    };
    hear({ type: 'tool-start', id: '1', name: 'Bash', input: 'npm test' });
    hear({ type: 'tool-start', id: '2', name: 'Read', input: 'a.ts' });
    expect(tool()).toBe('Read a.ts');
    hear({ type: 'tool-end', id: '2', output: '', isError: false });
    expect(tool()).toBe('Bash npm test');
    hear({ type: 'tool-end', id: '1', output: '', isError: false });
    expect(tool()).toBe('');
  });

  test('has the name that its loop kind gives it', () => {
    const { view, act } = opened({ run: (_purpose, { mode }) => mode });
    act(START, 0);
    expect(view().phase).toMatchObject({ name: 'review' });
  });

  test('is not shown as quiet if its output goes elsewhere', () => {
    const { view, act, hear } = opened({ isHeard: false });
    act(START, 0);
    hear({ type: 'notice', text: 'x' }, 9000);
    expect(view().phase).toMatchObject({ is: 'run', lastSign: null });
  });

  test('for a commit message is named so', () => {
    const { view, act } = opened();
    act({ ...START, run: { ...RUN, purpose: 'message' } }, 0);
    expect(view().phase).toMatchObject({ name: 'commit message' });
  });
});

test.each<[Action, object]>([
  [
    {
      key: 'k',
      do: 'check',
      check: { kind: 'command', given: { command: 'npm test' }, index: 0, log: '', keepChars: 1, timeoutMs: null },
    },
    { is: 'step', name: 'check', since: 7, detail: 'npm test' },
  ],
  [
    { key: 'k', do: 'publish', what: { index: 0, command: 'git', task: 'push', message: '', stage: 'all' } },
    { is: 'step', name: 'push', since: 7, detail: '' },
  ],
  [
    { key: 'k', do: 'step', what: 'judge', given: null, outward: false },
    { is: 'step', name: 'judging', since: 7 },
  ],
  [
    { key: 'k', do: 'step', what: 'other', given: null, outward: false },
    { is: 'step', name: 'other' },
  ],
  [
    { key: 'k', do: 'wait', until: 9000, consumed: null },
    { is: 'wait', until: 9000 },
  ],
  [
    { key: 'k', do: 'wait', until: 'command', consumed: null },
    { is: 'paused', since: 7 },
  ],
])('the phase of %o', (action, phase) => {
  const { view, act } = opened({ steps: { judge: 'judging' } });
  act(action, 7);
  expect(view().phase).toMatchObject(phase);
});
