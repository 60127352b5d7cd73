/** Seed 001's loop: the guardrails must be green, then a completion response ends it; green work goes to the SCM. */
import type { AgentChoice, PublishSpec } from '../../core/action.ts';
import { spentBy } from '../../core/budget/terms.ts';
import { type Checked, type CheckSpec, hasPassed } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import { defined } from '../../core/defined.ts';
import type { Ending } from '../../core/ending.ts';
import { HANG_AFTER, OUTAGE_BUDGET } from '../../core/faults/outage.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import { pivotPrompt } from '../../core/prompt/pivot.ts';
import { proofSummary } from '../../core/proof/claims.ts';
import type { Proof } from '../../core/proof/proof.ts';
import { holds } from '../../core/proof/proof.ts';
import type { Published, Ran, Said } from '../../core/record.ts';
import {
  begunAgain,
  forReviewer,
  NO_REVIEWS,
  REVIEW,
  reviewAgent,
  verdictTag,
  withStart,
  withWork,
} from '../../core/review/review.ts';
import type { Go as GoTo, LoopRules, Step as StepTo } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { afterPass, baselineLog, excusedOf, NO_BASELINE } from './baseline.ts';
import { afterBaseline, afterBaseProof, checkBaseline, checkRed, proveBase } from './before-work.ts';
import { withChecksOfStart } from './checks-of-start.ts';
import { COMMIT_MESSAGE_PROMPT, messageIn, templateMessage } from './commit-message.ts';
import { checkOf, endingOf, feedbackOf, guardrailLog, unrunnableIn } from './guardrails.ts';
import { baseAsked, claimAsked, NO_PROOF, needsProof, withProof, withRed, withTerms } from './proof.ts';
import { type RunRequest, runRequest } from './request.ts';
import { promptOfReview, reviewOf, reviewRules } from './review-rules.ts';
import { inputsOf, type RunData, type RunInputs, type RunSteps } from './state.ts';
import { addPublished, addResponse, addUnpublished, NO_TALLY } from './tally.ts';
import { blockedBy, promptOfWork } from './work-prompt.ts';

type State = LoopState<RunData>;
type Go = GoTo<keyof RunSteps>;
type Step = StepTo<RunData, keyof RunSteps>;

const review = reviewRules(accepted);

export const runRules: LoopRules<RunData, RunSteps, RunRequest, RunInputs> = {
  loopKind: 'run',
  begin: (request) => ({
    request: runRequest(request),
    inputs: null,
    feedback: [],
    failures: [],
    response: null,
    message: '',
    standstills: 0,
    tally: NO_TALLY,
    unrunnable: { before: [], now: [] },
    unpublished: null,
    baseline: NO_BASELINE,
    proof: NO_PROOF,
    reviews: NO_REVIEWS,
    toPublish: null,
  }),
  about: ({ request, inputs }) => ({
    task: inputs?.prompt ?? request.prompt ?? request.promptFile,
    limit: inputs?.maximumIterations ?? request.maximumIterations,
    agent: inputs?.agent.command ?? null,
    ...defined({
      startedFrom: request.worktree?.from,
      checks: inputs?.guardrails.map(({ command }) => command),
      claim: inputs?.completionResponse,
    }),
  }),
  isClaim: ({ inputs }, heard) => inputs !== null && sameResponse(heard, inputs.completionResponse),
  takeInputs: (data, inputs) => ({ ...data, inputs: withChecksOfStart(data, inputs) }),
  inputsGiven: ({ standstills }) => standstills,
  takeHandle: (data, _handle, started) => ({ ...data, reviews: withStart(data.reviews, started) }),
  // A person has had time to look at it, so counts of things in a row start over.
  afterStandstill: (data) => ({
    ...data,
    standstills: data.standstills + 1,
    proof: { ...data.proof, tampered: 0 },
    reviews: begunAgain(data.reviews),
  }),
  hasMoreToDo: ({ proof }) => proof.isAgain,
  takeOptions: (data, options) => ({
    ...data,
    request: { ...data.request, ...options },
    proof: withTerms(data, options.proof),
    reviews: options.review === undefined ? data.reviews : forReviewer(data.reviews),
  }),
  afterInputs: (state) =>
    review.again(state) ??
    publishAgain(state) ??
    proveAgain(state) ??
    checkBaseline(state) ??
    proveBase(state) ??
    checkRed(state, state.data, 0),
  limit: (data) => inputsOf(data).maximumIterations,
  backoffUnit: (data) => inputsOf(data).backoffUnitMs,
  hangAfter: HANG_AFTER,
  outages: ({ request, inputs }) => ({
    waits: true,
    budgetMs: OUTAGE_BUDGET,
    ...request.outages,
    unitMs: inputs?.backoffUnitMs ?? 1000,
  }),
  onStuck: ({ request }) => request.onStuck ?? 'warn',
  agent: ({ data }, purpose) => {
    const { agent, pivotAgent = agent } = inputsOf(data);
    const mode = modeOf(data, purpose);
    if (purpose === REVIEW) return { ...reviewAgent(reviewOf(data)), mode };
    return { ...(purpose === PIVOT ? pivotAgent : agent), mode };
  },
  prompt,
  listen: ({ data }, purpose) => ({
    tag: purpose === REVIEW ? verdictTag(data.reviews) : 'response',
    multiline: purpose !== 'work',
    // Seed 001 accepts the response anywhere in the output; with proofs, one that is only quoted does not count.
    ...(purpose === 'work' && data.request.proof !== undefined ? { skipsQuoted: true as const } : {}),
  }),
  unlessClean: ({ data }, purpose) => (purpose === 'message' ? inputsOf(data).scm : null),
  limits: ({ data }) => ({ timeMs: inputsOf(data).agentTimeoutMs, idleMs: null }),
  afterRun: (state, purpose, ran) => {
    if (purpose === REVIEW) return review.afterRun(state, ran);
    return purpose === 'message' ? afterMessage(state, ran) : afterWork(state, ran);
  },
  afterNeedless: ({ data }) => ({ data: { ...data, message: '' }, go: { to: 'publish', index: 0 } }),
  checks: { spec: checkSpec, after: afterCheck, isExcused },
  publishing: { spec: publishSpec, after: afterPublish },
  steps: {
    ...review.steps,
    'prove-base': { given: (state) => baseAsked(state, inputsOf(state.data)), after: afterBaseProof },
    prove: { given: (state) => claimAsked(state, inputsOf(state.data)), after: afterProof },
  },
  stepSummary: ({ what, gave }) => {
    if (what === 'prove') return proofSummary(gave);
    return what === 'prove-base' ? { isChecking: true } : null;
  },
};

export const runMachine = loopMachine(runRules);

function checkSpec({ iteration, data, phase }: State, index: number): CheckSpec {
  const { guardrails, outputTruncateChars: keepChars, asksForResponse } = inputsOf(data);
  // Seed 001 keeps the start of the output, but most test runners say at the end what is wrong.
  const part = asksForResponse === true ? { keeps: 'end' as const } : {};
  const commands = guardrails.map(({ command }) => command);
  const isBaseline = phase.at === 'check' && phase.isBaseline === true;
  const log = isBaseline ? baselineLog(index, commands[index] ?? '') : guardrailLog(iteration, commands, index);
  const { command = '', check, timeoutMs = null } = guardrails[index] ?? {};
  return { ...checkOf({ command, ...defined({ check }) }), index, log, keepChars, ...part, timeoutMs };
}

function publishSpec({ data }: State, index: number): PublishSpec {
  const { command = '', tasks = [], stage = 'tracked' } = inputsOf(data).scm ?? {};
  return { index, command, task: tasks[index] ?? '', message: data.message, stage };
}

/** `text` if the output is not shown; of a commit message only the answer counts. */
function modeOf(data: RunData, purpose: string): AgentChoice['mode'] {
  if (!inputsOf(data).streamAgentOutput) return 'text';
  return purpose === 'message' ? 'answer' : 'stream';
}

function prompt(state: State, purpose: string): string {
  const inputs = inputsOf(state.data);
  if (purpose === 'message') return COMMIT_MESSAGE_PROMPT;
  if (purpose === REVIEW) return promptOfReview(state.data);
  return purpose === PIVOT
    ? pivotPrompt(inputs.prompt, state.progress, state.data.feedback)
    : promptOfWork(state, inputs);
}

function blockedGo(reason: string, { onBlocked }: RunRequest): Go {
  if (onBlocked === 'wait') return { to: 'ask', question: reason };
  return { to: 'end', ending: { kind: 'blocked', reason } };
}

function afterWork(state: State, { said: { tag: response }, tree }: Ran): Step {
  const { data: before } = state;
  const { completionResponse, guardrails } = inputsOf(before);
  const tally = addResponse(before.tally, response, completionResponse);
  const judged = { proof: { ...before.proof, claim: null }, reviews: withWork(before.reviews, tree) };
  const data = { ...before, response, tally, failures: [], unpublished: null, ...judged };
  const reason = blockedBy(response, inputsOf(before));
  if (reason !== null) return { data, go: blockedGo(reason, before.request) };
  return guardrails.length > 0 ? { data, go: { to: 'check', index: 0 } } : afterGreen(state, data);
}

function isExcused({ data }: State, checked: Checked): boolean {
  const { command } = inputsOf(data).guardrails[checked.index] ?? {};
  const excused = excusedOf(data);
  return !hasPassed(checked) && excused.some((one) => one.command === command);
}

function afterCheck(state: State, checked: Checked): Step {
  if (checked.isBaseline === true) return afterBaseline(state, checked);
  const { data: before } = state;
  const { guardrails } = inputsOf(before);
  // Undefined, too, if an edit has removed it from the settings since.
  const guardrail = isExcused(state, checked) ? undefined : guardrails[checked.index];
  const isEnd = inputsOf(before).asksForResponse === true;
  const failures = guardrail === undefined ? [] : feedbackOf(guardrail, checked, isEnd);
  const unrunnable = guardrail === undefined ? [] : unrunnableIn(guardrail, checked);
  const now = [...before.unrunnable.now, ...unrunnable];
  const data = {
    ...before,
    baseline: hasPassed(checked) ? afterPass(before.baseline, guardrail?.command ?? '') : before.baseline,
    failures: [...before.failures, ...failures],
    unrunnable: { before: before.unrunnable.before, now },
    proof:
      hasPassed(checked) || guardrail === undefined ? before.proof : withRed(before.proof, guardrail.command, state),
  };
  // All guardrails run, even after one has failed.
  if (checked.index + 1 < guardrails.length) return { data, go: { to: 'check', index: checked.index + 1 } };
  if (data.failures.length === 0) return afterGreen(state, data);
  const ending = endingOf(before.unrunnable.before, now, before.request.chosen?.checks != null);
  const go: Go = ending === null ? { to: 'next-iteration' } : { to: 'end', ending };
  return { data: { ...data, feedback: data.failures, unrunnable: { before: now, now: [] } }, go };
}

/** A loop that was done but not published only has to publish when it is continued. */
function publishAgain({ data }: State): Step | null {
  const index = data.unpublished?.index ?? null;
  if (index === null || !isDone(data) || index >= (inputsOf(data).scm?.tasks.length ?? 0)) return null;
  // The claim was proved without this commit: prove it again with it.
  const isCommit = inputsOf(data).scm?.tasks[index] === 'commit';
  const proof = isCommit ? { ...data.proof, claim: null } : data.proof;
  return { data: { ...data, unpublished: null, proof }, go: { to: 'publish', index } };
}

/** The rejected claim may hold under the new terms; no agent needs to repeat it. */
function proveAgain({ data }: State): Step | null {
  return data.proof.isAgain ? { data, go: { to: 'step', what: 'prove' } } : null;
}

function afterGreen(state: State, before: RunData): Step {
  const tally = { ...before.tally, green: before.tally.green + 1 };
  const data = { ...before, feedback: [], failures: [], unrunnable: { before: [], now: [] }, tally };
  const { tasks = [], message } = inputsOf(data).scm ?? {};
  if (!tasks.includes('commit')) return onward(state, data, tasks.length === 0 ? null : 0);
  const isAsked = tasks.includes('commit') && message !== 'template';
  // Once the budget is spent, no agent is started, but the work is still committed.
  if (isAsked && !isSpent(state)) return { data, go: { to: 'run', purpose: 'message' } };
  return {
    data: { ...data, message: templateMessage(inputsOf(data).prompt, state.iteration) },
    go: { to: 'publish', index: 0 },
  };
}

function afterMessage(state: State, { outcome, said }: Ran): Step {
  const { data: before, iteration } = state;
  // The work is done, and only the budget or a usage limit is reached: do not lose the work for lack of a message.
  const isCutShort = outcome.kind === 'limit' || (outcome.kind === 'failed' && isSpent(state));
  const message = isCutShort ? templateMessage(inputsOf(before).prompt, iteration) : messageOf(outcome, said);
  if (message !== '') return { data: { ...before, message }, go: { to: 'publish', index: 0 } };
  // Without a message nothing is published; the loop itself continues.
  const tally = addUnpublished(before.tally, 'commit', NO_MESSAGE);
  const data = { ...before, message, tally, unpublished: { reason: NO_MESSAGE, index: null } };
  return onward(state, data, null);
}

export const NO_MESSAGE = 'no commit message in the answer of the agent';

const isSpent = (state: State): boolean => spentBy(state.terms, state, state.at) !== null;

const messageOf = ({ kind }: Ran['outcome'], said: Said): string => (kind === 'worked' ? messageIn(said) : '');

function afterPublish(state: State, published: Published): Step {
  const { data: before } = state;
  const { status, detail: reason, index } = published;
  const unpublished = status === 'failed' ? { reason, index } : before.unpublished;
  const data = { ...before, tally: addPublished(before.tally, published), unpublished };
  const isLast = index + 1 >= (inputsOf(data).scm?.tasks.length ?? 0);
  // Later tasks build on this one: a push after a failed commit would publish something else.
  const next = isLast || status === 'failed' ? null : index + 1;
  return onward(state, data, next, published.task === 'commit' && status !== 'failed');
}

/**
 * A claim is proved and then reviewed as soon as the work is committed, and before anything else is published.
 * `next`: the index of the task to publish next.
 */
function onward(state: State, data: RunData, next: number | null, isCommitted = false): Step {
  if (needsProof(data)) {
    return {
      data: { ...data, proof: { ...data.proof, claim: { next, isCommitted } } },
      go: { to: 'step', what: 'prove' },
    };
  }
  const claim = { ...data, toPublish: next };
  if (isDone(data)) return review.claim(state, claim);
  return { data, go: next === null ? { to: 'next-iteration' } : { to: 'publish', index: next } };
}

function afterProof(state: State, proof: Proof): Step {
  const { data: before } = state;
  const { data, ending } = withProof(before, proof);
  if (holds(proof)) return onward(state, data, before.proof.claim?.next ?? null, true);
  return { data, go: ending === null ? { to: 'next-iteration' } : { to: 'end', ending } };
}

/** What follows a claim that was accepted. */
function accepted({ unpublished, toPublish }: RunData): Go {
  if (toPublish !== null) return { to: 'publish', index: toPublish };
  const ending: Ending = unpublished === null ? { kind: 'done' } : { kind: 'unpublished', reason: unpublished.reason };
  return { to: 'end', ending };
}

const isDone = (data: RunData): boolean => sameResponse(data.response, inputsOf(data).completionResponse);
