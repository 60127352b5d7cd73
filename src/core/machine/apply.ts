/** What a record means: turns the state before it into the state after it. Pure. */
import type { LoopCommand, Purpose, Until } from '../action.ts';
import { spentBy } from '../budget/terms.ts';
import { addRefusals, addRun } from '../budget/usage.ts';
import { endingOfFault } from '../ending.ts';
import { RalphError } from '../error.ts';
import type { CallUsage } from '../events.ts';
import { agentToStart, failingFallback, withAgentOf, withQuotaNews } from '../faults/agent-in-turn.ts';
import { backoff, FAILURES_THAT_END_A_LOOP } from '../faults/backoff.ts';
import { afterDropped, afterFailing, afterLimit, toRun, waitOut } from '../faults/wait-out.ts';
import { describeFailure } from '../outcome.ts';
import { judgeIteration, progressAfterCheck, progressAfterRun, progressAtStart } from '../progress/fold.ts';
import { begunAgain, PIVOT, pivotBegun, pivotEnded } from '../progress/progress.ts';
import {
  drivenMs,
  type Heard,
  type Published,
  type Ran,
  RECORD_VERSION,
  type Recorded,
  type Result,
  TELLS_LEAVING,
} from '../record.ts';
import { type Go as GoTo, type AnyRules as Rules, ruleOf, type Step as StepTo, stepRule } from '../rules.ts';
import {
  end,
  isAtRest,
  type Leaving,
  type LoopState,
  nextIteration,
  nextTry,
  type Phase,
  withCutOff,
} from '../state.ts';
import { afterContinue } from './continue.ts';

type Step<Data> = StepTo<Data, string>;
type Go = GoTo<string>;

export function apply<Data>(rules: Rules<Data>, before: LoopState<Data>, record: Recorded): LoopState<Data> {
  refuseNewer(record);
  const passedMs = isAtRest(before) ? 0 : drivenMs(record, before.at);
  const isWaiting = before.phase.at === 'wait' && before.phase.for !== undefined;
  const [workedMs, waitedMs] = isWaiting
    ? [before.workedMs, before.waitedMs + passedMs]
    : [before.workedMs + passedMs, before.waitedMs];
  const state: LoopState<Data> = {
    ...before,
    seq: record.seq,
    at: record.at,
    workedMs,
    waitedMs,
    leaving: leavingAfter(record),
  };
  const { phase } = state;
  const { result } = record;
  switch (result.kind) {
    case 'inputs': {
      expectPhase(phase, 'inputs', result);
      const data = result.inputs === undefined ? state.data : rules.takeInputs(state.data, result.inputs);
      const heard = { ...withHeard(state, result), data, knownInputs: result.digest };
      const known = withQuotaNews(rules, heard, result.quota ?? []);
      const { notBefore = 0 } = known.terms;
      if (record.at < notBefore && state.startedIn === 0) {
        return { ...known, phase: { at: 'wait', until: notBefore, then: 'first-iteration' } };
      }
      const spent = spentBy(known.terms, known, record.at);
      if (spent !== null) return end(known, spent);
      const elsewhere = rules.afterInputs?.(known) ?? null;
      if (elsewhere !== null) return take(rules, known, elsewhere);
      const limit = rules.limit(data);
      if (state.iteration > limit) {
        return end({ ...known, iteration: state.iteration - 1 }, { kind: 'iteration-limit', limit });
      }
      return toRun(rules, known, 'work');
    }
    case 'started': {
      expectPhase(phase, 'start', result);
      const { handle } = result;
      const { purpose } = phase;
      const data = rules.takeHandle?.(state.data, handle, { purpose, tree: result.tree ?? null }) ?? state.data;
      const startedIn = purpose === 'work' ? state.iteration : state.startedIn;
      const fallback = state.terms.fallbacks?.find(({ name }) => name === result.fallback) ?? null;
      const worker = { own: rules.agent(before, purpose), fallback };
      const progress = progressAtStart(state, purpose, result.tree);
      return { ...state, data, startedIn, worker, progress, phase: { at: 'await', purpose, handle } };
    }
    case 'needless':
      expectPhase(phase, 'start', result);
      return take(rules, state, ruleOf(rules, 'afterNeedless')(state, phase.purpose));
    case 'ran':
      expectPhase(phase, 'await', result);
      return afterRun(
        rules,
        withRun(rules, withAgentOf(rules, state, record), phase.purpose, result),
        phase.purpose,
        result,
      );
    case 'checked': {
      expectPhase(phase, 'check', result);
      const usage = addRefusals(state.usage, result.refused?.length ?? 0);
      const progress = progressAfterCheck(rules, state, result);
      return take(rules, { ...state, usage, progress }, ruleOf(rules, 'checks').after(state, result));
    }
    case 'published':
      expectPhase(phase, 'publish', result);
      return take(rules, withCommit(state, result), ruleOf(rules, 'publishing').after(state, result));
    case 'stepped':
      expectPhase(phase, 'step', result);
      return take(rules, state, stepRule(rules, phase.what).after(state, result.gave));
    case 'waited':
      expectPhase(phase, 'wait', result);
      return afterWait(rules, withAnswer(rules, withHeard(state, result), phase), phase, result.command);
    case 'interrupted':
      return afterInterruption(withLostRun(state, result.used), result.byCommand === true);
    case 'left':
      return state;
    case 'unstartable': {
      expectPhase(phase, 'start', result);
      const { fallback } = agentToStart(rules, before, phase.purpose);
      if (fallback !== null) return afterDropped(state, phase.purpose, fallback, result.reason);
      return end(state, { ...result, kind: 'configuration' });
    }
    case 'ended':
      // A loop without a supervisor, or whose records an agent has changed, can be ended in any phase.
      if (!['stopped', 'tampered'].includes(result.ending.kind)) expectPhase(phase, 'end', result);
      return { ...withLostRun(state), phase: { at: 'over', ending: result.ending } };
    case 'continued':
      return afterContinue(rules, state, result);
    case 'created':
      throw new Error(`record ${record.seq} begins the loop a second time`);
  }
}

function withHeard<Data>(state: LoopState<Data>, { consumed, told = [] }: Heard): LoopState<Data> {
  return { ...state, consumed: consumed ?? state.consumed, told: [...state.told, ...told] };
}

function withAnswer<Data>(rules: Rules<Data>, state: LoopState<Data>, { asks }: Phase & { at: 'wait' }) {
  const { consumeAnswer } = rules;
  if (asks === undefined || consumeAnswer === undefined) return state;
  const answers = state.told.filter(({ as }) => as === 'answer');
  const data = answers.reduce((taken, { text }) => consumeAnswer(taken, text), state.data);
  return { ...state, data, told: state.told.filter(({ as }) => as !== 'answer') };
}

/** `detail` is the hash that git reported for the commit. */
function withCommit<Data>(state: LoopState<Data>, { task, status, detail }: Published): LoopState<Data> {
  return task === 'commit' && status === 'done' && detail !== '' ? { ...state, lastCommit: detail } : state;
}

/** An agent that failed, or was kept from its work, may not have read its prompt: keep the messages. */
function withRun<Data>(rules: Rules<Data>, state: LoopState<Data>, purpose: Purpose, ran: Ran): LoopState<Data> {
  const isRead = purpose === 'work' && ran.outcome.kind === 'worked';
  const progress = progressAfterRun(rules, state, purpose, ran);
  return { ...state, usage: addRun(state.usage, ran, purpose), progress, told: isRead ? [] : state.told };
}

/** What a run that was cut off has cost is unknown, apart from what its calls reported on the way. */
function withLostRun<Data>(state: LoopState<Data>, used?: CallUsage): LoopState<Data> {
  if (state.phase.at !== 'await') return state;
  return { ...state, usage: addRun(state.usage, used === undefined ? null : { used }, state.phase.purpose) };
}

function afterRun<Data>(rules: Rules<Data>, state: LoopState<Data>, purpose: string, ran: Ran): LoopState<Data> {
  const { outcome } = ran;
  if (outcome.kind === 'interrupted') return afterInterruption(state);
  const fallback = state.worker?.fallback ?? null;
  if (outcome.kind === 'auth' && fallback !== null) return afterDropped(state, purpose, fallback, outcome.reason);
  // The rules can do without a run for another purpose that was cut off.
  const isCut = purpose === 'work' && ran.endedBy === 'budget';
  const spent = isCut ? spentBy(state.terms, state, state.at) : null;
  if (spent !== null) return end(state, spent);
  if (purpose === PIVOT) return afterPivot(rules, state, ran);
  if (rules.afterEveryRun !== undefined && purpose === 'work') {
    const isGood = outcome.kind === 'worked';
    const asItCounts = (): LoopState<Data> => (isGood ? { ...state, failuresInARow: 0 } : withFailure(state, ran));
    const counted = rules.deferFailureCount ? state : asItCounts();
    return take(rules, counted, rules.afterEveryRun(counted, ran));
  }
  return byDefault(rules, state, purpose, ran);
}

/** Unless a fault ends the loop, the work continues; a limit is met again by the next run. */
function afterPivot<Data>(rules: Rules<Data>, state: LoopState<Data>, ran: Ran): LoopState<Data> {
  const final = ran.outcome.kind === 'limit' ? null : endingOfFault(ran.outcome);
  const progress = pivotEnded(state.progress, state.iteration, ran);
  const after = { ...state, progress };
  if (final !== null) return end(after, final);
  return take(rules, after, rules.afterPivot?.(after) ?? { data: state.data, go: { to: 'next-iteration' } });
}

function byDefault<Data>(rules: Rules<Data>, state: LoopState<Data>, purpose: string, ran: Ran): LoopState<Data> {
  const { outcome } = ran;
  const policy = rules.outages?.(state.data);
  // The rules can do without a run for another purpose that a limit stopped, but for another agent's they wait.
  const isOther = purpose !== 'work' && state.worker?.own.isOther === true;
  const isWaitedOut = outcome.kind === 'limit' && (policy !== undefined || isOther);
  const final = isWaitedOut ? null : endingOfFault(outcome);
  if (final !== null) return end(state, final);
  if (purpose !== 'work' || outcome.kind === 'worked') {
    const good = purpose === 'work' ? { ...state, failuresInARow: 0, faultsInARow: 0 } : state;
    return take(rules, good, ruleOf(rules, 'afterRun')(state, purpose, ran));
  }
  const unit = rules.backoffUnit?.(state.data);
  if (outcome.kind === 'failed') {
    const failing = failingFallback(state);
    if (failing !== null) return afterFailing(state, failing, unit);
    const failed = withFailure(state, ran);
    const { failuresInARow: failures } = failed;
    if (failures < FAILURES_THAT_END_A_LOOP) {
      return go(rules, failed, { to: 'next-iteration' }, state.at + backoff(failures, unit));
    }
    return end(failed, { kind: 'kept-failing', failures, reason: describeFailure(ran) });
  }
  const faultsInARow = state.faultsInARow + 1;
  if (policy !== undefined && outcome.kind === 'limit') return afterLimit(state, outcome, policy);
  if (policy !== undefined) return waitOut({ ...state, faultsInARow }, outcome, policy, rules.hangAfter);
  if (faultsInARow < FAILURES_THAT_END_A_LOOP) {
    const until = state.at + backoff(faultsInARow, unit);
    return { ...nextTry(state, 'work'), faultsInARow, phase: { at: 'wait', until, then: 'same-iteration' } };
  }
  const reason = outcome.kind === 'infrastructure' ? outcome.reason : `${outcome.kind}: ${outcome.reason}`;
  return end(state, { kind: 'infrastructure', reason });
}

function afterWait<Data>(
  rules: Rules<Data>,
  state: LoopState<Data>,
  wait: Phase & { at: 'wait' },
  command?: LoopCommand,
): LoopState<Data> {
  if (command === 'stop') {
    return end(state, { kind: 'stopped', ...(wait.then === 'next-iteration' ? { isBetween: true } : {}) });
  }
  if (command === 'pause') {
    // While a question is open, a pause comes only with its answer: then it is no longer open.
    const { asks: _asks, ...rest } = wait;
    return { ...state, phase: { ...rest, until: 'command' } };
  }
  const isResumed = command === 'resume';
  const data = isResumed ? (rules.afterStandstill?.(state.data) ?? state.data) : state.data;
  const progress = isResumed || wait.asks !== undefined ? begunAgain(state.progress) : state.progress;
  // A person wants it to continue, even with an agent that was limited.
  const unavailable = isResumed ? {} : state.unavailable;
  if (wait.then === 'cut-off') return withCutOff({ ...state, data, progress, unavailable });
  const inputs: LoopState<Data> = { ...state, data, progress, unavailable, phase: { at: 'inputs' } };
  return wait.then === 'next-iteration' ? nextIteration(inputs) : inputs;
}

/** An interrupted run starts again under a new key; anything else that was interrupted is simply repeated. */
function afterInterruption<Data>(before: LoopState<Data>, byCommand = false): LoopState<Data> {
  const state = startedAgain(before);
  const { phase } = state;
  // After an interruption of the work, a wait follows anyway.
  if (!byCommand || phase.at === 'wait') return state;
  return { ...state, cutOff: phase, phase: { at: 'wait', until: 'now', then: 'cut-off' } };
}

function startedAgain<Data>(state: LoopState<Data>): LoopState<Data> {
  const { phase } = state;
  if (phase.at !== 'start' && phase.at !== 'await') return state;
  const again = nextTry(state, phase.purpose);
  if (phase.purpose !== 'work') return { ...again, phase: { at: 'start', purpose: phase.purpose } };
  return { ...again, phase: { at: 'wait', until: 'now', then: 'same-iteration' } };
}

function take<Data>(rules: Rules<Data>, state: LoopState<Data>, step: Step<Data>): LoopState<Data> {
  const rest = rules.rest?.(step.data) ?? 0;
  return go(rules, { ...state, data: step.data }, step.go, rest > 0 ? state.at + rest : 'now');
}

function go<Data>(rules: Rules<Data>, state: LoopState<Data>, to: Go, rest: Until): LoopState<Data> {
  switch (to.to) {
    case 'run':
      return toRun(rules, state, to.purpose);
    case 'check': {
      const baseline = to.isBaseline === true ? { isBaseline: true as const } : {};
      return { ...state, phase: { at: 'check', index: to.index, ...baseline } };
    }
    case 'publish':
      return { ...state, phase: { at: 'publish', index: to.index } };
    case 'step':
      return { ...state, phase: { at: 'step', what: to.what } };
    case 'next-iteration': {
      const limit = rules.limit(state.data);
      if (state.iteration < limit || rules.rereadsLimit === 'after-rest') return onward(rules, state, rest);
      return rules.rereadsLimit === 'at-once'
        ? nextIteration({ ...state, phase: { at: 'inputs' } })
        : end(state, { kind: 'iteration-limit', limit });
    }
    case 'again':
      return { ...nextTry(state, 'work'), phase: { at: 'wait', until: 'now', then: 'same-iteration' } };
    case 'ask': {
      const phase: Phase = { at: 'wait', until: 'command', then: 'same-iteration', asks: to.question };
      return { ...nextTry(state, 'work'), phase };
    }
    case 'default':
      return byDefault(rules, state, 'work', to.ran);
    case 'end':
      return end(state, to.ending);
  }
}

/** Continues with the next iteration, unless the loop is stuck and must act on that. */
function onward<Data>(rules: Rules<Data>, before: LoopState<Data>, rest: Until): LoopState<Data> {
  const { progress, next } = judgeIteration(rules, before);
  const state: LoopState<Data> = { ...before, progress };
  if (next === 'iteration') return { ...state, phase: { at: 'wait', until: rest, then: 'next-iteration' } };
  if (next !== 'pivot') return end(state, next);
  return go(rules, { ...state, progress: pivotBegun(progress) }, { to: 'run', purpose: PIVOT }, rest);
}

function withFailure<Data>(state: LoopState<Data>, ran: Ran): LoopState<Data> {
  const { failuresInARow, failures } = state;
  return { ...state, failuresInARow: failuresInARow + 1, failures: failures + 1, lastFailure: describeFailure(ran) };
}

export function leavingAfter({ v, result }: Recorded): Leaving {
  if (result.kind === 'left') return { is: 'left', by: result.by ?? null };
  return { is: v < TELLS_LEAVING ? 'unknown' : 'unsaid' };
}

/** A record of a newer release could mean anything. */
export function refuseNewer({ v, seq }: Recorded): void {
  if (v <= RECORD_VERSION) return;
  throw new RalphError('NEWER_RECORD', `record ${seq} has version ${v}: a newer release wrote it`, {
    hint: 'Continue with that release, or a later one.',
  });
}

function expectPhase<At extends Phase['at']>(
  phase: Phase,
  at: At,
  { kind }: Result,
): asserts phase is Phase & { at: At } {
  if (phase.at !== at) throw new Error(`a "${kind}" record in phase "${phase.at}"`);
}
