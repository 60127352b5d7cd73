/** Seed 001's loop: the guardrails must be green, then a completion response ends it; green work goes to the SCM. */
import type { AgentChoice, PublishSpec } from '../../core/action.ts';
import { type Checked, type CheckSpec, codeOfOutcome, hasPassed } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import type { Ending } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { type FailAction, type Feedback, promptWithCount, promptWithFeedback } from '../../core/prompt.ts';
import type { Published, Ran, Said } from '../../core/record.ts';
import type { Go, LoopRules, NoSteps, Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { isFence } from '../../core/text/fence.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { guardrailLog } from './guardrail-log.ts';
import { addGreen, addPublished, addResponse, addUnpublished, NO_TALLY, type Tally } from './tally.ts';
import { endingOf, type Unrunnable, unrunnable } from './unrunnable.ts';

export const COMMIT_MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.';

/** What an iteration works from. */
export interface RunInputs {
  readonly prompt: string;
  readonly maximumIterations: number;
  readonly completionResponse: string;
  readonly outputTruncateChars: number;
  readonly includeIterationCountInPrompt: boolean;
  readonly agent: { readonly command: string; readonly flags: readonly string[] };
  readonly agentTimeoutMs: number | null;
  readonly streamAgentOutput: boolean;
  readonly guardrails: readonly Guardrail[];
  readonly scm: {
    readonly command: string;
    readonly tasks: readonly string[];
    readonly stage: 'tracked' | 'all';
  } | null;
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

export interface Guardrail {
  readonly command: string;
  readonly failAction: FailAction;
  readonly hint: string | null;
  readonly timeoutMs: number | null;
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
  /** Where the agent runs; its work tree is the same. */
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
  /** The failures of the checks that this iteration has had so far. */
  readonly failures: readonly Feedback[];
  readonly response: string | null;
  readonly message: string;
  /** How often the loop has stood still: a person may have changed the settings since. */
  readonly standstills: number;
  readonly tally: Tally;
  /** The guardrails that could not be run in the last iteration that reached them, and in this one so far. */
  readonly unrunnable: { readonly before: readonly Unrunnable[]; readonly now: readonly Unrunnable[] };
  /** What this iteration made should be committed or pushed, and is not. */
  readonly unpublished: Unpublished | null;
}

interface Unpublished {
  readonly reason: string;
  /** The task that failed; null where it did not come to any. */
  readonly index: number | null;
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
  afterRun: (state, purpose, ran) => (purpose === 'message' ? afterMessage(state, ran) : afterWork(state, ran)),
  afterNeedless: ({ data }) => ({ data: { ...data, message: '' }, go: { to: 'publish', index: 0 } }),
  checks: { spec: checkSpec, after: afterCheck },
  publishing: { spec: publishSpec, after: afterPublish },
};

function checkSpec({ iteration, data }: State, index: number): CheckSpec {
  const { guardrails, outputTruncateChars } = inputsOf(data);
  const commands = guardrails.map((guardrail) => guardrail.command);
  return {
    kind: 'command',
    index,
    command: commands[index] ?? '',
    log: guardrailLog(iteration, commands, index),
    keepChars: outputTruncateChars,
    timeoutMs: guardrails[index]?.timeoutMs ?? null,
  };
}

function publishSpec({ data }: State, index: number): PublishSpec {
  const { scm } = inputsOf(data);
  return {
    index,
    command: scm?.command ?? '',
    task: scm?.tasks[index] ?? '',
    message: data.message,
    stage: scm?.stage ?? 'tracked',
  };
}

/** Plain words where the output is not shown; of a commit message only the answer counts. */
function modeOf(data: RunData, purpose: string): AgentChoice['mode'] {
  if (!inputsOf(data).streamAgentOutput) return 'text';
  return purpose === 'message' ? 'answer' : 'stream';
}

function prompt(state: State, purpose: string): string {
  if (purpose === 'message') return COMMIT_MESSAGE_PROMPT;
  return workPrompt(inputsOf(state.data), state.iteration, state.data.feedback);
}

/** What the agent is told in the first iteration. */
export function firstPrompt(inputs: RunInputs): string {
  return workPrompt(inputs, 1, []);
}

function workPrompt(inputs: RunInputs, iteration: number, feedback: readonly Feedback[]): string {
  const whole = promptWithFeedback(inputs.prompt, feedback);
  return inputs.includeIterationCountInPrompt ? promptWithCount(whole, iteration, inputs.maximumIterations) : whole;
}

function afterWork(state: State, ran: Ran): Step<RunData> {
  const { tag: response } = ran.said;
  const tally = addResponse(state.data.tally, response, inputsOf(state.data).completionResponse);
  const data = { ...state.data, response, tally, failures: [], unpublished: null };
  return inputsOf(data).guardrails.length > 0 ? { data, go: { to: 'check', index: 0 } } : afterGreen(data);
}

function afterCheck(state: State, checked: Checked): Step<RunData> {
  const { guardrails } = inputsOf(state.data);
  const guardrail = guardrails[checked.index];
  const failures = [...state.data.failures, ...feedbackOf(guardrail, checked)];
  const data = { ...state.data, failures, unrunnable: withUnrunnable(state.data, guardrail, checked) };
  // All guardrails run, even after one has failed.
  if (checked.index + 1 < guardrails.length) return { data, go: { to: 'check', index: checked.index + 1 } };
  if (failures.length === 0) return afterGreen(data);
  const { before, now } = data.unrunnable;
  const ending = endingOf(before, now);
  const go: Go = ending === null ? { to: 'next-iteration' } : { to: 'end', ending };
  return { data: { ...data, feedback: failures, unrunnable: { before: now, now: [] } }, go };
}

function withUnrunnable({ unrunnable: { before, now } }: RunData, guardrail: Guardrail | undefined, checked: Checked) {
  const one = guardrail === undefined ? null : unrunnable(guardrail.command, checked);
  return { before, now: one === null ? now : [...now, one] };
}

/** A loop that is continued after it was done but not published has nothing else left to do. */
function publishAgain({ data }: State): Step<RunData> | null {
  const index = data.unpublished?.index ?? null;
  if (index === null || !isDone(data) || index >= (inputsOf(data).scm?.tasks.length ?? 0)) return null;
  return { data: { ...data, unpublished: null }, go: { to: 'publish', index } };
}

function afterGreen(before: RunData): Step<RunData> {
  const unrunnable = { before: [], now: [] };
  const data = { ...before, feedback: [], failures: [], unrunnable, tally: addGreen(before.tally) };
  const tasks = inputsOf(data).scm?.tasks ?? [];
  if (tasks.length === 0) return { data, go: conclusion(data) };
  return { data, go: tasks.includes('commit') ? { to: 'run', purpose: 'message' } : { to: 'publish', index: 0 } };
}

function afterMessage(state: State, ran: Ran): Step<RunData> {
  const message = ran.outcome.kind === 'worked' ? messageIn(ran.said) : '';
  if (message !== '') return { data: { ...state.data, message }, go: { to: 'publish', index: 0 } };
  // Without a message nothing is published; the loop itself goes on.
  const tally = addUnpublished(state.data.tally, 'commit', NO_MESSAGE);
  const data = { ...state.data, message, tally, unpublished: { reason: NO_MESSAGE, index: null } };
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

function afterPublish(state: State, published: Published): Step<RunData> {
  const { status, detail: reason, index } = published;
  const told = { ...state.data, tally: addPublished(state.data.tally, published) };
  const data = status === 'failed' ? { ...told, unpublished: { reason, index } } : told;
  const following = published.index + 1;
  const isLast = following >= (inputsOf(data).scm?.tasks.length ?? 0);
  // What follows builds on this one: a push after a failed commit would publish something else.
  return { data, go: isLast || published.status === 'failed' ? conclusion(data) : { to: 'publish', index: following } };
}

function conclusion(data: RunData): Go {
  if (!isDone(data)) return { to: 'next-iteration' };
  const { unpublished } = data;
  const ending: Ending = unpublished === null ? { kind: 'done' } : { kind: 'unpublished', reason: unpublished.reason };
  return { to: 'end', ending };
}

function isDone(data: RunData): boolean {
  return sameResponse(data.response, inputsOf(data).completionResponse);
}

function feedbackOf(guardrail: Guardrail | undefined, checked: Checked): Feedback[] {
  if (hasPassed(checked) || guardrail === undefined) return [];
  const { command, failAction, hint } = guardrail;
  const { log, output, truncated } = checked;
  return [{ command, failAction, hint, exitCode: codeOfOutcome(checked.outcome), log, output, truncated }];
}

function inputsOf(data: RunData): RunInputs {
  if (data.inputs === null) throw new Error('the rules were asked before the inputs were read');
  return data.inputs;
}
