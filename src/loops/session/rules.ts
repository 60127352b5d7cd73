/**
 * The rules of the loop inside one session: the agent is sent back to its task until it promises that the work is done,
 * and the promise is accepted. An iteration here is one turn of the agent, counted from 1; the seed's `iteration`
 * counts how often the agent was sent back, from 0, and so is one less.
 */
import type { Mark } from '../../agents/session/host.ts';
import { type Checked, type CheckSpec, COMMAND } from '../../core/check.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { LoopRules, Step } from '../../core/rules.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import type { SessionRequest } from './request.ts';
import type { Progress, SeenInTurn } from './work.ts';
import { isGivenUp, NOTHING_YET, newlyWaitedFor, progressAfter, workBehind } from './work.ts';

/** How the loop began: the request, the host, and the state of the work tree. */
export interface SessionStart {
  readonly request: SessionRequest;
  readonly host: string;
  /** Where the loop's own part of the transcript begins. */
  readonly mark: Mark;
  /** The fingerprint of the work tree before any work; null if it has none. */
  readonly tree: string | null;
}

export interface SessionData extends SessionStart, Progress {
  readonly verdict: Verdict;
  readonly failedChecks: readonly FailedCheck[];
  readonly promises: number;
  /** The checks that failed when they were last run. */
  readonly red: readonly FailedCheck[];
}

export type State = LoopState<SessionData>;

/** What the last turn of the agent came to. */
type Verdict =
  | 'none-yet'
  | 'no-promise'
  /** No promise, but the agent has just started something in the background: this stop is not counted. */
  | 'waiting'
  | 'no-work'
  | 'checks-failed'
  | 'accepted'
  | 'accepted-without-work'
  /** The promise came when the limit had already been reached, and is not judged. */
  | 'not-judged';

export interface FailedCheck extends Pick<Checked, 'outcome' | 'output' | 'truncated' | 'log'> {
  readonly command: string;
}

/** The specification's names of the endings. */
const STATUS_OF = {
  done: 'PROMISE_ACCEPTED',
  'iteration-limit': 'MAX_ITERATIONS_REACHED',
  stuck: 'STUCK',
  stopped: 'CANCELLED',
} as const;

export type SessionStatus = 'ACTIVE' | 'PAUSED' | 'CAP_REACHED' | 'FAILED' | (typeof STATUS_OF)[keyof typeof STATUS_OF];

/** The loop's own steps: a look at the work tree, and the wait for a person after the host has let the agent stop. */
export const LOOK_AT_TREE = 'look-at-tree' satisfies keyof SessionSteps;
export const RESUME = 'resume' satisfies keyof SessionSteps;

/** The result of `look-at-tree` if the hook was cut off before it could look. */
export const BROKEN_OFF = 'broken off';

const KEPT_OF_CHECK = 1500;
const RESUMED = { blocksInARow: 0, idleInARow: 0, isResumed: true };

export type SessionSteps = {
  readonly 'look-at-tree': { readonly given: string | null; readonly gave: string | null };
  readonly resume: { readonly given: null; readonly gave: null };
};
type SessionStep = Step<SessionData, keyof SessionSteps>;

const rules: LoopRules<SessionData, SessionSteps, SessionStart> = {
  loopKind: 'session',
  begin: (start) => ({ ...NOTHING_YET, ...start, verdict: 'none-yet', failedChecks: [], promises: 0, red: [] }),
  about: ({ request, host }) => ({
    task: request.task,
    limit: request.maximumIterations,
    agent: host,
    checks: request.checks,
    claim: request.promise,
  }),
  isClaim: ({ request }, heard) => heard === request.promise,
  takeInputs: (data) => data,
  limit: ({ request }) => request.maximumIterations + 1,
  agent: () => ({ command: 'session', flags: [], mode: 'text' }),
  prompt: ({ data }) => data.request.task,
  listen: () => ({ tag: 'promise', multiline: true }),
  afterRun: (state, _purpose, ran) => {
    // Written by the Stop hook.
    const seen = ran.seen as SeenInTurn;
    const isGiven = ran.said.tag === state.data.request.promise;
    const data: SessionData = {
      ...state.data,
      ...progressAfter(state.data, seen, state.iteration > 1),
      failedChecks: [],
      promises: state.data.promises + (isGiven ? 1 : 0),
    };
    // The specification checks the limit first: a promise in the last turn is reported, but not judged.
    if (iterationOf(state) >= data.request.maximumIterations)
      return { data: { ...data, verdict: isGiven ? 'not-judged' : 'no-promise' }, go: { to: 'next-iteration' } };
    if (!isGiven) {
      const fresh = newlyWaitedFor(data, seen, data.request.maximumIterations);
      if (fresh.length === 0) return goOn(data, 'no-promise');
      return goOn({ ...data, waitedFor: [...data.waitedFor, ...fresh] }, 'waiting');
    }
    const work = workBehind(data);
    if (work === 'unknown' && data.tree !== null) return { data, go: { to: 'step', what: LOOK_AT_TREE } };
    return promised(data, work === 'enough');
  },
  checks: { spec: checkSpec, after: afterCheck },
  steps: {
    'look-at-tree': {
      given: ({ data }) => data.tree,
      after: ({ data }, tree) =>
        tree === BROKEN_OFF ? notJudged(data) : promised(data, tree !== null && tree !== data.tree),
    },
    resume: {
      given: () => null,
      after: ({ data }) => ({ data: { ...data, ...RESUMED }, go: { to: 'next-iteration' } }),
    },
  },
};

export const sessionMachine = loopMachine(rules);

/** How often the agent has been sent back. */
export function iterationOf({ iteration }: State): number {
  return iteration - 1;
}

export function statusOfSession(state: State): SessionStatus {
  if (!isOver(state)) {
    const { phase } = state;
    if (phase.at === 'wait' && phase.until === 'command') return 'PAUSED';
    return phase.at === 'step' && phase.what === RESUME ? 'CAP_REACHED' : 'ACTIVE';
  }
  const { kind } = state.phase.ending;
  return kind in STATUS_OF ? STATUS_OF[kind as keyof typeof STATUS_OF] : 'FAILED';
}

function afterCheck({ data }: State, checked: Checked): SessionStep {
  if (checked.outcome.is === 'unseen') return notJudged(data);
  const { index, outcome, output, truncated, log } = checked;
  const command = data.request.checks[index] ?? '';
  const failed = outcome.is === 'passed' ? [] : [{ command, outcome, output, truncated, log }];
  const failedChecks = [...data.failedChecks, ...failed];
  if (index + 1 < data.request.checks.length)
    return { data: { ...data, failedChecks }, go: { to: 'check', index: index + 1 } };
  const next = { ...data, failedChecks, red: failedChecks };
  return failedChecks.length === 0 ? done(next) : goOn(next, 'checks-failed');
}

function promised(data: SessionData, hasWorked: boolean): SessionStep {
  const { onPromiseNoWork, checks } = data.request;
  if (!hasWorked && onPromiseNoWork === 'reject') return goOn(data, 'no-work');
  const verdict = hasWorked || onPromiseNoWork === 'accept' ? 'accepted' : 'accepted-without-work';
  const stands = { ...data, verdict } as const;
  return checks.length === 0 ? done(stands) : { data: stands, go: { to: 'check', index: 0 } };
}

/** The hook was cut off before it judged, and the agent has spoken since: that counts now, in the same iteration. */
function notJudged(data: SessionData): SessionStep {
  return { data: { ...data, failedChecks: [], verdict: 'none-yet' }, go: { to: 'again' } };
}

function done(data: SessionData): SessionStep {
  return { data, go: { to: 'end', ending: { kind: 'done' } } };
}

/** Sends the agent back to work, unless the loop is stuck or the host no longer lets a hook do that. */
function goOn(before: SessionData, verdict: Verdict): SessionStep {
  const data = { ...before, verdict };
  const reason = whyStuck(data);
  if (reason !== null) return { data, go: { to: 'end', ending: { kind: 'stuck', reason } } };
  const isCapped = data.blocksInARow > (data.last?.cap ?? Number.POSITIVE_INFINITY);
  if (isCapped) return { data, go: { to: 'step', what: RESUME } };
  return { data, go: { to: verdict === 'waiting' ? 'again' : 'next-iteration' } };
}

function whyStuck(data: SessionData): string | null {
  const { silentInARow, idleInARow, request } = data;
  if (isGivenUp(data)) return `${silentInARow} turns in a row without a word or a tool call`;
  if (request.stuckAfter === null || idleInARow < request.stuckAfter) return null;
  return `${idleInARow} continuations in a row brought no tool call or the same reply`;
}

function checkSpec({ data, iteration }: State, index: number): CheckSpec {
  return {
    kind: COMMAND,
    given: { command: data.request.checks[index] ?? '' },
    index,
    log: `check-${iteration}-${index + 1}.log`,
    keepChars: KEPT_OF_CHECK,
    timeoutMs: data.request.checkSeconds * 1000,
  };
}
