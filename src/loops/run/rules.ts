/** Seed 001's loop: the guardrails must be green, then a completion response ends it; green work goes to the SCM. */
import type { AgentChoice, CommitScope, PublishSpec } from '../../core/action.ts';
import { type Checked, type CheckSpec, COMMAND } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import type { Ending } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { type Feedback, promptWithCount, promptWithFeedback } from '../../core/prompt/prompt.ts';
import type { Published, Ran, Said } from '../../core/record.ts';
import type { Go, LoopRules, NoSteps, Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { isFence } from '../../core/text/fence.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { endingOf, feedbackOf, type Guardrail, guardrailLog, type Unrunnable, unrunnableIn } from './guardrails.ts';
import { addPublished, addResponse, addUnpublished, NO_TALLY, type Tally } from './tally.ts';

export const COMMIT_MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.';

export interface RunInputs {
  readonly prompt: string;
  readonly maximumIterations: number;
  readonly completionResponse: string;
  readonly outputTruncateChars: number;
  readonly includeIterationCountInPrompt: boolean;
  readonly agent: Omit<AgentChoice, 'mode'>;
  readonly agentTimeoutMs: number | null;
  readonly streamAgentOutput: boolean;
  readonly guardrails: readonly Guardrail[];
  readonly scm: (CommitScope & { readonly tasks: readonly string[] }) | null;
  readonly backoffUnitMs: number;
  readonly display: Display;
}

/** How the loop is shown. Decides nothing. */
export interface Display {
  readonly emoji: boolean;
  /** Null: where the terminal shows it. */
  readonly color: boolean | null;
  readonly timestamps: boolean;
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
}

/** What the loop was started with; these win over the settings, also in later iterations. */
export interface RunRequest {
  readonly prompt: string | null;
  readonly promptFile: string | null;
  readonly maximumIterations: number | null;
  readonly completionResponse: string | null;
  readonly streamAgentOutput: boolean | null;
  readonly agentTimeoutMs: number | null;
  /** Read the settings again for every iteration, not only at the start and on resume. */
  readonly liveSettings: boolean;
  readonly runner: 'direct' | 'tmux';
  /** Null where nothing was said about it; before the loop begins it is settled with the settings. */
  readonly sandbox: SandboxRequest | null;
}

/** Whatever is not given comes from the settings. */
export function runRequest(given: Partial<RunRequest>): RunRequest {
  const limit = given.maximumIterations ?? null;
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new RalphError('LIMIT', `maximumIterations must be a positive integer, got ${limit}`);
  }
  return {
    prompt: null,
    promptFile: null,
    maximumIterations: null,
    completionResponse: null,
    streamAgentOutput: null,
    agentTimeoutMs: null,
    liveSettings: false,
    runner: 'direct',
    sandbox: null,
    ...given,
  };
}

export interface RunData {
  readonly request: RunRequest;
  readonly inputs: RunInputs | null;
  /** What the guardrails said about the last iteration that reached them. */
  readonly feedback: readonly Feedback[];
  readonly failures: readonly Feedback[];
  readonly response: string | null;
  readonly message: string;
  /** How often the loop has stood still: a person may have changed the settings since. */
  readonly standstills: number;
  readonly tally: Tally;
  /** The guardrails that could not be run in the last iteration that reached them, and in this one so far. */
  readonly unrunnable: { readonly before: readonly Unrunnable[]; readonly now: readonly Unrunnable[] };
  /** What this iteration made should be committed or pushed, and is not. The task that failed; null for none of them. */
  readonly unpublished: { readonly reason: string; readonly index: number | null } | null;
}

type State = LoopState<RunData>;

export const runRules: LoopRules<RunData, NoSteps, RunRequest, RunInputs> = {
  loopKind: 'run',
  begin: (request) => ({
    request,
    inputs: null,
    feedback: [],
    failures: [],
    response: null,
    message: '',
    standstills: 0,
    tally: NO_TALLY,
    unrunnable: { before: [], now: [] },
    unpublished: null,
  }),
  about: ({ request, inputs }) => ({
    task: inputs?.prompt ?? request.prompt ?? request.promptFile,
    limit: inputs?.maximumIterations ?? request.maximumIterations,
    agent: inputs?.agent.command ?? null,
  }),
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  inputsGiven: ({ standstills }) => standstills,
  afterStandstill: (data) => ({ ...data, standstills: data.standstills + 1 }),
  takeOptions: (data, options) => ({ ...data, request: { ...data.request, ...options } }),
  afterInputs: publishAgain,
  limit: (data) => inputsOf(data).maximumIterations,
  backoffUnit: (data) => inputsOf(data).backoffUnitMs,
  agent: (state, purpose) => ({ ...inputsOf(state.data).agent, mode: modeOf(state.data, purpose) }),
  prompt,
  listen: (_state, purpose) => ({ tag: 'response', multiline: purpose === 'message' }),
  unlessClean: ({ data }, purpose) => (purpose === 'message' ? inputsOf(data).scm : null),
  limits: ({ data }) => ({ timeMs: inputsOf(data).agentTimeoutMs, idleMs: null }),
  afterRun: ({ data }, purpose, ran) => (purpose === 'message' ? afterMessage(data, ran) : afterWork(data, ran)),
  afterNeedless: ({ data }) => ({ data: { ...data, message: '' }, go: { to: 'publish', index: 0 } }),
  checks: { spec: checkSpec, after: afterCheck },
  publishing: { spec: publishSpec, after: afterPublish },
};

function checkSpec({ iteration, data }: State, index: number): CheckSpec {
  const { guardrails, outputTruncateChars: keepChars } = inputsOf(data);
  const commands = guardrails.map(({ command }) => command);
  const log = guardrailLog(iteration, commands, index);
  const { command = '', check = { kind: COMMAND, given: { command } }, timeoutMs = null } = guardrails[index] ?? {};
  return { ...check, index, log, keepChars, timeoutMs };
}

function publishSpec({ data }: State, index: number): PublishSpec {
  const { command = '', tasks = [], stage = 'tracked' } = inputsOf(data).scm ?? {};
  return { index, command, task: tasks[index] ?? '', message: data.message, stage };
}

/** Plain words where the output is not shown; of a commit message only the answer counts. */
function modeOf(data: RunData, purpose: string): AgentChoice['mode'] {
  if (!inputsOf(data).streamAgentOutput) return 'text';
  return purpose === 'message' ? 'answer' : 'stream';
}

function prompt({ iteration, data }: State, purpose: string): string {
  return purpose === 'message' ? COMMIT_MESSAGE_PROMPT : workPrompt(inputsOf(data), iteration, data.feedback);
}

/** Without an iteration: what the agent is told in the first one. */
export function workPrompt(inputs: RunInputs, iteration = 1, feedback: readonly Feedback[] = []): string {
  const whole = promptWithFeedback(inputs.prompt, feedback);
  return inputs.includeIterationCountInPrompt ? promptWithCount(whole, iteration, inputs.maximumIterations) : whole;
}

function afterWork(before: RunData, { said: { tag: response } }: Ran): Step<RunData> {
  const { completionResponse, guardrails } = inputsOf(before);
  const tally = addResponse(before.tally, response, completionResponse);
  const data = { ...before, response, tally, failures: [], unpublished: null };
  return guardrails.length > 0 ? { data, go: { to: 'check', index: 0 } } : afterGreen(data);
}

function afterCheck({ data: before }: State, checked: Checked): Step<RunData> {
  const { guardrails } = inputsOf(before);
  const guardrail = guardrails[checked.index];
  // An edit may have taken it out of the settings meanwhile.
  const failures = guardrail === undefined ? [] : feedbackOf(guardrail, checked);
  const unrunnable = guardrail === undefined ? [] : unrunnableIn(guardrail, checked);
  const now = [...before.unrunnable.now, ...unrunnable];
  const data = {
    ...before,
    failures: [...before.failures, ...failures],
    unrunnable: { before: before.unrunnable.before, now },
  };
  // All guardrails run, even after one has failed.
  if (checked.index + 1 < guardrails.length) return { data, go: { to: 'check', index: checked.index + 1 } };
  if (data.failures.length === 0) return afterGreen(data);
  const ending = endingOf(before.unrunnable.before, now);
  const go: Go = ending === null ? { to: 'next-iteration' } : { to: 'end', ending };
  return { data: { ...data, feedback: data.failures, unrunnable: { before: now, now: [] } }, go };
}

/** A loop that is continued after it was done but not published has nothing else left to do. */
function publishAgain({ data }: State): Step<RunData> | null {
  const index = data.unpublished?.index ?? null;
  if (index === null || !isDone(data) || index >= (inputsOf(data).scm?.tasks.length ?? 0)) return null;
  return { data: { ...data, unpublished: null }, go: { to: 'publish', index } };
}

function afterGreen(before: RunData): Step<RunData> {
  const tally = { ...before.tally, green: before.tally.green + 1 };
  const data = { ...before, feedback: [], failures: [], unrunnable: { before: [], now: [] }, tally };
  const tasks = inputsOf(data).scm?.tasks ?? [];
  if (tasks.length === 0) return { data, go: conclusion(data) };
  return { data, go: tasks.includes('commit') ? { to: 'run', purpose: 'message' } : { to: 'publish', index: 0 } };
}

function afterMessage(before: RunData, { outcome, said }: Ran): Step<RunData> {
  const message = outcome.kind === 'worked' ? messageIn(said) : '';
  if (message !== '') return { data: { ...before, message }, go: { to: 'publish', index: 0 } };
  // Without a message nothing is published; the loop itself goes on.
  const tally = addUnpublished(before.tally, 'commit', NO_MESSAGE);
  const data = { ...before, message, tally, unpublished: { reason: NO_MESSAGE, index: null } };
  return { data, go: conclusion(data) };
}

export const NO_MESSAGE = 'no commit message in the answer of the agent';

/** Some agents put what they are asked for into a code block. */
function messageIn({ tag, firstLine }: Said): string {
  if (tag === null) return firstLine ?? '';
  return tag
    .split('\n')
    .filter((line) => !isFence(line))
    .join('\n')
    .trim();
}

function afterPublish({ data: before }: State, published: Published): Step<RunData> {
  const { status, detail: reason, index } = published;
  const unpublished = status === 'failed' ? { reason, index } : before.unpublished;
  const data = { ...before, tally: addPublished(before.tally, published), unpublished };
  const isLast = index + 1 >= (inputsOf(data).scm?.tasks.length ?? 0);
  // What follows builds on this one: a push after a failed commit would publish something else.
  return { data, go: isLast || status === 'failed' ? conclusion(data) : { to: 'publish', index: index + 1 } };
}

function conclusion(data: RunData): Go {
  if (!isDone(data)) return { to: 'next-iteration' };
  const { unpublished } = data;
  const ending: Ending = unpublished === null ? { kind: 'done' } : { kind: 'unpublished', reason: unpublished.reason };
  return { to: 'end', ending };
}

const isDone = (data: RunData): boolean => sameResponse(data.response, inputsOf(data).completionResponse);

function inputsOf(data: RunData): RunInputs {
  if (data.inputs === null) throw new Error('the rules were asked before the inputs were read');
  return data.inputs;
}
