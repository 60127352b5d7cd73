/** Seed 002's loop: the agent is started again after whatever came of it, until the task's folder holds a DONE file. */
import { readOnlyFlags } from '../../agents/installed.ts';
import { WAIT_EXIT_CODE } from '../../core/ending.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import { describeFailure, type Outcome } from '../../core/outcome.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { Ran, TreeRecord } from '../../core/record.ts';
import {
  begunAgain,
  NO_REVIEWS,
  REVIEW,
  type ReviewMemory,
  type Reviews,
  type ReviewTerms,
  reviewAgent,
  verdictTag,
  withStart,
  withWork,
} from '../../core/review/review.ts';
import type { Go as CoreGo, Step as CoreStep, LoopRules, OnBlocked } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { isFields } from '../../core/text/json.ts';
import type { Duration } from '../../core/time.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { STDERR_NAME, STDOUT_NAME } from './folder/output-names.ts';
import { taskPrompt } from './prompt.ts';
import {
  afterChildren,
  afterReviewRun,
  looksAtTree,
  reviewAgain,
  reviewOf,
  reviewSteps,
  type TaskReviewSteps,
  toChildren,
} from './review-rules.ts';

export interface TaskRequest {
  /** A `job` is one run; a `task` is started again until it is done. */
  readonly kind: 'task' | 'job';
  readonly folder: string;
  readonly project: string;
  readonly task: string;
  readonly bus: string;
  readonly agent: string;
  readonly flags: readonly string[];
  /** Null: what TASK.md says, read again for every run. */
  readonly prompt: string | null;
  readonly cwd: string;
  /** It goes on with what others began: already the first prompt says so. */
  readonly isResumed: boolean;
  /** What a person told the agent, of all resumes so far; without a question where it did not wait, or did not say for what. */
  readonly answers?: readonly { readonly question: string | null; readonly answer: string }[];
  readonly parentRunId: string | null;
  readonly previousRunId: string | null;
  /** A run folder that was made before the loop. */
  readonly runId: string | null;
  readonly maxRestarts: number;
  readonly restartDelayMs: Duration;
  /** How long children are waited for once the task is done. */
  readonly waitTimeoutMs: Duration;
  readonly pollIntervalMs: Duration;
  /** Ends a run that prints nothing for so long. */
  readonly idleTimeoutMs: Duration | null;
  readonly totalTimeoutMs: Duration | null;
  readonly dependsOn: readonly string[];
  readonly dependencyPollMs: Duration;
  readonly graceMs: Duration;
  /** What happens when the agent waits for a person; without it the loop ends, as seed 002 says. */
  readonly onBlocked?: OnBlocked;
  /** Resolved before the loop begins; loops of older releases have none. */
  readonly sandbox?: SandboxRequest;
  /** Why there is none, where the strongest was asked for. */
  readonly noSandbox?: string;
  /** The folder of the loop whose agent asked for this job: a sandbox of it is this one's, too. */
  readonly parentLoop?: string;
  /** The id of the loop whose agent asked for this job, in a sandbox or not. */
  readonly parent?: string;
  /** Who reviews the work once DONE is there, and how often; absent where no agent does. */
  readonly review?: ReviewTerms;
  /** What its reviewer has said in the loops before; absent for nothing. */
  readonly reviewed?: ReviewMemory;
}

/** What most tasks begin with. */
export const NEW_TASK = {
  kind: 'task',
  flags: [],
  isResumed: false,
  parentRunId: null,
  previousRunId: null,
  runId: null,
  maxRestarts: 100,
  restartDelayMs: 1000,
  waitTimeoutMs: 300_000,
  pollIntervalMs: 1000,
  idleTimeoutMs: null,
  totalTimeoutMs: null,
  dependsOn: [],
  dependencyPollMs: 2000,
  graceMs: 5000,
} as const satisfies Partial<TaskRequest>;

export interface Seen {
  readonly isDone: boolean;
  /** Why the agent is not to be started again, if it or a person said so. */
  readonly wait: string | null;
  /** What the last run asked on its bus; absent in loops of older releases. */
  readonly question?: string | null;
  readonly stopRequested: boolean;
}

/** Loops of older releases did not look for what was said since the last run ended. */
export interface TaskInputs extends Pick<Seen, 'isDone'>, Partial<Omit<Seen, 'isDone' | 'question'>> {
  readonly prompt: string;
  readonly maxRestarts: number;
}

/** What the record of a run's start keeps. */
export interface RunSpan {
  /** Names its folder. */
  readonly runId: string;
  /** How long the bus was when the run began: what stands before is not of this run. */
  readonly busOffset: number;
}

export interface TaskData {
  readonly request: TaskRequest;
  /** Of the run that was started last; null before the first one, and for one that the release before this one started. */
  readonly span: RunSpan | null;
  readonly inputs: TaskInputs | null;
  readonly isUnblocked: boolean;
  /** The iterations whose run came to an end. */
  readonly attempts: number;
  readonly lastRun: LastRun | null;
  /** What it has asked a person since its last run, and the answers that came; null for nothing. */
  readonly asked: { readonly question: string; readonly answers: readonly string[] } | null;
  readonly reviews: Reviews;
}

export interface LastRun {
  readonly outcome: Outcome;
  /** Why it failed, such as `exit 1: unknown option --deep`; null for one that did not. */
  readonly failure: string | null;
  /** What it printed to stdout or, where that is empty, its errors; null where there is neither. */
  readonly log: string | null;
}

const STOP_REQUESTED = { kind: 'stopped', reason: 'a stop was requested' } as const;

type TaskStep<Given, Gave> = { readonly given: Readonly<Given>; readonly gave: Readonly<Gave> };

export type TaskSteps = TaskReviewSteps & {
  /** Waits until the tasks that this one depends on are done. */
  readonly dependencies: TaskStep<{ dependsOn: readonly string[]; pollMs: Duration }, Pick<Seen, 'isDone'>>;
  /** Looks at the task's folder after a run. */
  readonly look: { readonly given: RunSpan | null; readonly gave: Seen };
  /** Tells the task's bus what a person is asked. */
  readonly question: TaskStep<{ question: string }, null>;
  /** Tells it the answers, and takes back what said that the agent waits. */
  readonly answer: TaskStep<{ answers: readonly string[] }, null>;
  /** Waits for the children of a task that is done. `keepsTree`: the work tree is kept then. */
  readonly children: TaskStep<
    { timeoutMs: Duration; pollMs: Duration; keepsTree?: true },
    { left: readonly string[]; tree?: TreeRecord }
  >;
  /** Tells the project's bus that the task is done. */
  readonly propagation: TaskStep<null, { key: string } | { error: string }>;
  /** Tells the task's bus that it may not be started any more. */
  readonly exhausted: TaskStep<{ limit: number }, null>;
};

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
    // Seed 002: by a file of this name.
    ...(request.kind === 'job' ? {} : { claim: 'DONE' }),
  }),
  transcript: ({ request }, { kept }) => {
    const { runId = '' } = spanOf(kept) ?? {};
    return runId === '' ? null : `${request.folder}/runs/${runId}/${STDOUT_NAME}`;
  },
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  inputsGiven: ({ span }) => span,
  // What a reviewer says on the bus is not the work's.
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
  // The work's runs are all for the rule above.
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

export function spanOf(kept: unknown): RunSpan | null {
  const { runId, busOffset } = isFields(kept) ? kept : {};
  return typeof runId === 'string' && typeof busOffset === 'number' ? { runId, busOffset } : null;
}

export function isSandboxed({ sandbox }: Pick<TaskRequest, 'sandbox'>): boolean {
  return (sandbox?.kind ?? 'none') !== 'none';
}

/** A Docker machine has neither this program nor the environment that it is started in. */
export function isInMachine({ sandbox }: Pick<TaskRequest, 'sandbox'>): boolean {
  return sandbox?.kind === 'docker';
}

export function limitOf({ request, inputs }: TaskData): number {
  return inputs?.maxRestarts ?? request.maxRestarts;
}

function afterInputs(state: State): Step | null {
  const { data } = state;
  const { request, inputs, asked } = data;
  if (request.kind === 'job') return null;
  if (inputs?.isDone === true) return { data, go: toChildren(data) };
  if (data.reviews.claim !== null && inputs?.stopRequested !== true) return reviewAgain(state);
  // What says that it waits is answered, or a person has it continue without an answer.
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

/** A refused key, or what else only the user can fix, is not cured by a restart; everything else is tried again. */
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

/** The agent is not started again by itself. */
function waitForPerson({ data, iteration }: State, reason: string): Step {
  // An answer would come too late for one that may not be started any more.
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
