/** Seed 002's loop: the agent is started again, whatever its result, until the task's folder has a DONE file. */
import { readOnlyFlags } from '../../agents/installed.ts';
import { WAIT_EXIT_CODE } from '../../core/ending.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import { describeFailure } from '../../core/outcome.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { Ran } from '../../core/record.ts';
import {
  begunAgain,
  NO_REVIEWS,
  REVIEW,
  reviewAgent,
  verdictTag,
  withStart,
  withWork,
} from '../../core/review/review.ts';
import type { Go as CoreGo, Step as CoreStep, LoopRules } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { STDERR_NAME, STDOUT_NAME } from './folder/output-names.ts';
import { taskPrompt } from './prompt.ts';
import { isSandboxed, type TaskRequest } from './request.ts';
import {
  afterChildren,
  afterReviewRun,
  looksAtTree,
  reviewAgain,
  reviewOf,
  reviewSteps,
  toChildren,
} from './review-rules.ts';
import { limitOf, type Seen, spanOf, type TaskData, type TaskInputs, type TaskSteps } from './state.ts';

const STOP_REQUESTED = { kind: 'stopped', reason: 'a stop was requested' } as const;

type State = LoopState<TaskData>;
type Step = CoreStep<TaskData, keyof TaskSteps>;
type Go = CoreGo<keyof TaskSteps>;

export const taskRules: LoopRules<TaskData, TaskSteps, TaskRequest, TaskInputs> = {
  loopKind: 'task',
  begin: (request) => ({
    request,
    span: null,
    inputs: null,
    isUnblocked: false,
    attempts: 0,
    lastRun: null,
    asked: null,
    reviews: { ...NO_REVIEWS, ...request.reviewed },
  }),
  about: ({ request, inputs }) => ({
    task: inputs?.prompt ?? request.prompt,
    name: request.task,
    limit: request.kind === 'job' ? 1 : (inputs?.maxRestarts ?? request.maxRestarts),
    agent: request.agent,
    cwd: request.cwd,
    // In seed 002, the agent claims that it is done by a file of this name.
    ...(request.kind === 'job' ? {} : { claim: 'DONE' }),
  }),
  transcript: ({ request }, { kept }) => {
    const { runId = '' } = spanOf(kept) ?? {};
    return runId === '' ? null : `${request.folder}/runs/${runId}/${STDOUT_NAME}`;
  },
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  inputsGiven: ({ span }) => span,
  // A reviewer's messages on the bus must not count as the work's.
  takeHandle: (data, { kept }, started) => ({
    ...data,
    span: started.purpose === REVIEW ? data.span : spanOf(kept),
    reviews: withStart(data.reviews, started),
  }),
  afterStandstill: (data) => ({ ...data, reviews: begunAgain(data.reviews) }),
  consumeAnswer: ({ request, asked, ...data }, answer) => {
    const { question = null, answers = [] } = asked ?? {};
    const known = [...(request.answers ?? []), { question, answer }];
    return {
      ...data,
      request: { ...request, answers: known },
      asked: asked && { ...asked, answers: [...answers, answer] },
    };
  },
  afterInputs,
  limit: limitOf,
  rereadsLimit: 'after-rest',
  rest: (data) => data.request.restartDelayMs,
  agent: ({ data }, purpose) => {
    const { request } = data;
    const { agent: command, flags } = request;
    if (purpose === REVIEW) return { ...reviewAgent(reviewOf(data)), mode: 'stream' };
    const looking = purpose === PIVOT ? readOnlyFlags(command, flags, isSandboxed(request)) : null;
    return { command, flags: looking ?? flags, mode: 'stream' };
  },
  prompt: taskPrompt,
  listen: ({ data }, purpose) => {
    if (purpose === REVIEW) return { tag: verdictTag(data.reviews), multiline: true };
    return { tag: purpose === PIVOT ? 'response' : '', multiline: purpose === PIVOT };
  },
  limits: ({ data: { request } }) => ({ timeMs: request.totalTimeoutMs, idleMs: request.idleTimeoutMs }),
  afterEveryRun,
  // Runs of the work never get here: `afterEveryRun` handles them.
  afterRun: (state, _purpose, ran) => afterReviewRun(state, ran),
  steps: {
    ...reviewSteps,
    dependencies: {
      isWait: true,
      given: ({ data: { request } }) => ({ dependsOn: request.dependsOn, pollMs: request.dependencyPollMs }),
      after: ({ data }, { isDone }) => ({
        data: { ...data, isUnblocked: true },
        go: isDone ? toChildren(data) : { to: 'run', purpose: 'work' },
      }),
    },
    look: { given: ({ data }) => data.span, after: afterLook },
    question: {
      outward: true,
      given: ({ data }) => ({ question: data.asked?.question ?? '' }),
      after: ({ data }) => ({ data, go: { to: 'ask', question: data.asked?.question ?? '' } }),
    },
    answer: {
      outward: true,
      given: ({ data }) => ({ answers: data.asked?.answers ?? [] }),
      after: (state) => {
        const data = { ...state.data, asked: null };
        return beforeWork({ ...state, data }) ?? { data, go: { to: 'run', purpose: 'work' } };
      },
    },
    children: {
      given: ({ data }) => ({
        timeoutMs: data.request.waitTimeoutMs,
        pollMs: data.request.pollIntervalMs,
        ...(looksAtTree(data) ? { keepsTree: true as const } : {}),
      }),
      after: afterChildren,
    },
    propagation: { outward: true, given: () => null, after: ({ data }) => ({ data, go: end({ kind: 'done' }) }) },
    exhausted: {
      outward: true,
      given: ({ data }) => ({ limit: limitOf(data) }),
      after: ({ data }) => ({ data, go: end({ kind: 'iteration-limit', limit: limitOf(data) }) }),
    },
  },
};

export const taskMachine = loopMachine(taskRules);

function afterInputs(state: State): Step | null {
  const { data } = state;
  const { request, inputs, asked } = data;
  if (request.kind === 'job') return null;
  if (inputs?.isDone === true) return { data, go: toChildren(data) };
  if (data.reviews.claim !== null && inputs?.stopRequested !== true) return reviewAgain(state);
  // The question was answered, or a person has continued the task without an answer.
  if (asked !== null) return { data, go: toStep('answer') };
  if (typeof inputs?.wait === 'string') return waitForPerson(state, inputs.wait);
  return beforeWork(state);
}

function beforeWork({ data, iteration }: State): Step | null {
  const { request, inputs } = data;
  if (inputs?.stopRequested === true) return { data, go: end(STOP_REQUESTED) };
  if (iteration > limitOf(data)) return { data, go: toStep('exhausted') };
  if (request.dependsOn.length > 0 && !data.isUnblocked) return { data, go: toStep('dependencies') };
  return null;
}

/** A refused key, or anything else that only the user can fix, ends the loop; after everything else it tries again. */
function afterEveryRun({ data: before, iteration }: State, ran: Ran): Step {
  const { outcome, transcript, complaint } = ran;
  const failure = outcome.kind === 'failed' ? describeFailure(ran) : null;
  const errors = `${transcript.path.slice(0, transcript.path.lastIndexOf('/') + 1)}${STDERR_NAME}`;
  const log = transcript.bytes > 0 ? transcript.path : complaint === undefined ? null : errors;
  const reviews = withWork(before.reviews, ran.tree);
  const data = { ...before, attempts: iteration, lastRun: { outcome, failure, log }, reviews };
  const isFatal = outcome.kind === 'auth' || outcome.kind === 'blocked';
  return { data, go: isFatal ? end({ kind: outcome.kind, reason: outcome.reason }) : toStep('look') };
}

/** The agent waits for a person: ends the loop, or asks and waits for an answer. */
function waitForPerson({ data, iteration }: State, reason: string): Step {
  // If no attempts are left, an answer would come too late.
  if (data.request.onBlocked !== 'wait' || iteration > limitOf(data))
    return { data, go: end({ kind: 'waiting', reason }) };
  return { data: { ...data, asked: { question: reason, answers: [] } }, go: toStep('question') };
}

function afterLook(state: State, { isDone, wait, question = null, stopRequested }: Seen): Step {
  const { data } = state;
  const { request, lastRun } = data;
  const outcome = lastRun?.outcome;
  const exitSaysWait = outcome?.kind === 'failed' && outcome.exit.by === 'code' && outcome.exit.code === WAIT_EXIT_CODE;
  if (request.kind === 'job') {
    const ending = { kind: 'waiting', reason: question ?? wait ?? 'the agent waits' } as const;
    if (exitSaysWait || wait !== null) return { data, go: end(ending) };
    return { data, go: end(outcome?.kind === 'worked' ? { kind: 'done' } : { kind: 'kept-failing', failures: 1 }) };
  }
  if (isDone) return { data, go: toChildren(data) };
  const reason = exitSaysWait ? (question ?? `the agent exited with code ${WAIT_EXIT_CODE}`) : wait;
  if (reason !== null) return waitForPerson(state, reason);
  return { data, go: stopRequested ? end(STOP_REQUESTED) : { to: 'next-iteration' } };
}

function toStep(what: keyof TaskSteps): Go {
  return { to: 'step', what };
}

function end(ending: Extract<Go, { to: 'end' }>['ending']): Go {
  return { to: 'end', ending };
}
