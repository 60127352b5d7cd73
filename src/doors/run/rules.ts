/** Seed 001's loop: the guardrails must be green, then a completion response ends it; green work goes to the SCM. */
import { sameResponse } from '../../core/claims/tag.ts';
import { RalphError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { exitNumber } from '../../core/outcome.ts';
import { type FailAction, type Feedback, promptWithCount, promptWithFeedback } from '../../core/prompt.ts';
import type { Checked, Created, Published, Ran } from '../../core/record.ts';
import type { DoorRules, Go, Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { guardrailLog } from './guardrail-log.ts';

export const COMMIT_MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.';

/** What is read at the start of every iteration. */
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
  /** Where the agent runs; its work tree is the same. */
  readonly runner: 'direct' | 'tmux';
  /** Null where nothing was said about it; before the loop begins it is settled with the settings. */
  readonly sandbox: SandboxRequest | null;
}

/** Whatever is not given comes from the settings. */
export function runRequest(given: Partial<RunRequest>): RunRequest {
  const limit = given.maximumIterations ?? null;
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new RalphError('LIMIT', `maximumIterations must be a positive integer, got ${limit}`, { exitCode: 2 });
  }
  return {
    prompt: null,
    promptFile: null,
    maximumIterations: null,
    completionResponse: null,
    streamAgentOutput: null,
    agentTimeoutMs: null,
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
}

type State = LoopState<RunData>;

export const runRules: DoorRules<RunData> = {
  door: 'run',
  // Written by this door's own start.
  begin: (created: Created) => ({
    request: created.options as unknown as RunRequest,
    inputs: null,
    feedback: [],
    failures: [],
    response: null,
    message: '',
  }),
  // Written by this door's own reader, from validated settings.
  takeInputs: (data, inputs: Json) => ({ ...data, inputs: inputs as unknown as RunInputs }),
  // Written by this door's own resume.
  takeOptions: (data, options) => ({ ...data, request: { ...data.request, ...(options as Partial<RunRequest>) } }),
  limit: (data) => inputsOf(data).maximumIterations,
  backoffUnit: (data) => inputsOf(data).backoffUnitMs,
  agent: (state, purpose) => ({ ...inputsOf(state.data).agent, mode: modeOf(state.data, purpose) }),
  prompt,
  listen: (_state, purpose) => ({ tag: 'response', multiline: purpose === 'message' }),
  timeout: (state) => inputsOf(state.data).agentTimeoutMs,
  check: (state, index) => {
    const { guardrails, outputTruncateChars } = inputsOf(state.data);
    const commands = guardrails.map((guardrail) => guardrail.command);
    return {
      index,
      command: commands[index] ?? '',
      log: guardrailLog(state.iteration, commands, index),
      keepChars: outputTruncateChars,
      timeoutMs: guardrails[index]?.timeoutMs ?? null,
    };
  },
  publish: (state, index) => {
    const scm = inputsOf(state.data).scm;
    return {
      index,
      command: scm?.command ?? '',
      task: scm?.tasks[index] ?? '',
      message: state.data.message,
      stage: scm?.stage ?? 'tracked',
    };
  },
  afterRun: (state, purpose, ran) => (purpose === 'message' ? afterMessage(state, ran) : afterWork(state, ran)),
  afterCheck,
  afterPublish,
};

/** A commit message is asked for as plain words, and so is everything where nobody watches. */
function modeOf(data: RunData, purpose: string): 'stream' | 'text' {
  return purpose !== 'message' && inputsOf(data).streamAgentOutput ? 'stream' : 'text';
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
  const data = { ...state.data, response: ran.said.tag, failures: [] };
  return inputsOf(data).guardrails.length > 0 ? { data, go: { to: 'check', index: 0 } } : afterGreen(data);
}

function afterCheck(state: State, checked: Checked): Step<RunData> {
  const { guardrails } = inputsOf(state.data);
  const failures = [...state.data.failures, ...feedbackOf(guardrails[checked.index], checked)];
  const data = { ...state.data, failures };
  // All guardrails run, even after one has failed.
  if (checked.index + 1 < guardrails.length) return { data, go: { to: 'check', index: checked.index + 1 } };
  if (failures.length > 0) return { data: { ...data, feedback: failures }, go: { to: 'next-iteration' } };
  return afterGreen(data);
}

function afterGreen(before: RunData): Step<RunData> {
  const data = { ...before, feedback: [], failures: [] };
  const tasks = inputsOf(data).scm?.tasks ?? [];
  if (tasks.length === 0) return { data, go: conclusion(data) };
  return { data, go: tasks.includes('commit') ? { to: 'run', purpose: 'message' } : { to: 'publish', index: 0 } };
}

function afterMessage(state: State, ran: Ran): Step<RunData> {
  const message =
    ran.outcome.kind === 'worked' ? (ran.said.tag === null ? ran.said.firstLine : ran.said.tag.trim()) : null;
  const data = { ...state.data, message: message ?? '' };
  // Without a message nothing is published; the loop itself goes on.
  return { data, go: message ? { to: 'publish', index: 0 } : conclusion(data) };
}

function afterPublish({ data }: State, published: Published): Step<RunData> {
  const following = published.index + 1;
  const isLast = following >= (inputsOf(data).scm?.tasks.length ?? 0);
  // What follows builds on this one: a push after a failed commit would publish something else.
  return { data, go: isLast || published.status === 'failed' ? conclusion(data) : { to: 'publish', index: following } };
}

function conclusion(data: RunData): Go {
  const isDone = sameResponse(data.response, inputsOf(data).completionResponse);
  return isDone ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' };
}

function feedbackOf(guardrail: Guardrail | undefined, checked: Checked): Feedback[] {
  if (checked.passed || guardrail === undefined) return [];
  const { command, failAction, hint } = guardrail;
  const { log, output, truncated } = checked;
  return [{ command, failAction, hint, exitCode: exitNumber(checked.exit), log, output, truncated }];
}

function inputsOf(data: RunData): RunInputs {
  if (data.inputs === null) throw new Error('the rules were asked before the inputs were read');
  return data.inputs;
}
