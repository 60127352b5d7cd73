/** The library: the same loops as the command line. Iterate a loop to watch its events; `result` says how it ended. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appendMessage as append } from './bus/append.ts';
import type { Draft, Message } from './bus/message.ts';
import { readMessages as readBus } from './bus/read.ts';
import { readEnvironment } from './config/environment.ts';
import type { Budget } from './core/budget/terms.ts';
import { defined } from './core/defined.ts';
import { OUTAGE_BUDGET } from './core/faults/outage.ts';
import type { Finding } from './core/finding.ts';
import type { Driven, LoopEvent } from './engine/drive.ts';
import { eventQueue } from './engine/event-queue.ts';
import type { FallbackSpec } from './engine/fallbacks.ts';
import type { ReviewSpec } from './engine/reviewer.ts';
import { type SandboxOptions, sandboxFromOptions } from './engine/sandbox-options.ts';
import { runLoop } from './loops/run/loop.ts';
import { runRequest } from './loops/run/request.ts';
import { resumeRun } from './loops/run/resume.ts';
import type { RunData } from './loops/run/state.ts';
import { type RalphLoopResult, runRalphLoop } from './loops/tasks/ralph-loop.ts';
import { loopRequest, type RalphLoopOptions } from './loops/tasks/ralph-loop-options.ts';
import { preflightOf } from './preflight/before-loop.ts';

export type { Draft, Message } from './bus/message.ts';
export type { Budget } from './core/budget/terms.ts';
export { type Ending, EXIT_CODES } from './core/ending.ts';
export { RalphError } from './core/error.ts';
export type { AgentEvent, AgentResult } from './core/events.ts';
export type { Finding } from './core/finding.ts';
export type { Exit, Outcome } from './core/outcome.ts';
export type { Recorded } from './core/record.ts';
export type { LoopState } from './core/state.ts';
export type { LoopEvent } from './engine/drive.ts';
export type { FallbackSpec } from './engine/fallbacks.ts';
export type { ReviewSpec } from './engine/reviewer.ts';
export type { SandboxOptions } from './engine/sandbox-options.ts';
export type { RunData } from './loops/run/state.ts';
export type { RalphLoopResult } from './loops/tasks/ralph-loop.ts';
export type { RootPlace, RootProgram, RootRunner, RootSandbox } from './loops/tasks/ralph-loop-options.ts';
export { InvalidConfigError, type RalphLoopOptions } from './loops/tasks/ralph-loop-options.ts';

/** The lists add to those of the settings; the other options override the settings. */
export interface ProveOptions {
  /** The command that prepares a fresh clone; by default it is guessed from the project's files. */
  readonly setup?: string;
  /** Ignored files that the checks need, as `.gitignore` patterns. */
  readonly include?: readonly string[];
  /** More files to pin because they influence the checks, as git pathspecs. */
  readonly pins?: readonly string[];
  /** Tests, and files that control them, that the agent may change. */
  readonly allowEdit?: readonly string[];
  /** A check that fails and then passes on the same files counts as passed. */
  readonly acceptFlaky?: boolean;
}

export interface ResumeOptions {
  /** The work tree (default: the current directory). */
  readonly cwd?: string;
  /** Aborting it ends whatever is running; the loop stays unfinished and can be resumed. */
  readonly signal?: AbortSignal;
  /** The environment for ralph and the programs it starts (default: the process's own). */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Called with warnings before the first agent starts: is it installed and logged in, do the programs of the checks
   * exist, is there room on the disk? Errors keep the loop from starting, all in one `RalphError`. Without this
   * function, nothing is checked beforehand.
   */
  readonly preflight?: (warnings: readonly Finding[]) => void;
}

export interface RunOptions extends ResumeOptions {
  /** Give exactly one of `prompt` and `promptFile`. A regular file is read again for every iteration, a pipe once. */
  readonly prompt?: string;
  readonly promptFile?: string;
  /** Tell the agent at the end of the prompt how to say that it is done, unless the prompt already does. */
  readonly asksForResponse?: boolean;
  /** The agent's command (default: as in the settings; without settings, the agent that is installed). */
  readonly agent?: string;
  readonly model?: string;
  /** Commands that must pass before the work counts (default: as in the settings, or detected in the project). */
  readonly checks?: readonly string[];
  /** Overrides the project's settings, as do the next two. */
  readonly maximumIterations?: number;
  readonly completionResponse?: string;
  readonly agentTimeoutMs?: number;
  /** Read the project's settings again for every iteration, not only at the start and on resume. */
  readonly liveSettings?: boolean;
  /** Where the agent runs: as a child of this process (`direct`), or in a tmux pane that you can attach to. */
  readonly runner?: 'direct' | 'tmux';
  /** Start the first agent at this time instead of immediately. */
  readonly startAt?: Date;
  /** Start no agent after this time. */
  readonly until?: Date;
  /** What all runs of agents together may use. */
  readonly budget?: Budget;
  /** False: ralph neither estimates dollars nor takes them from the agent, for example with a subscription. */
  readonly prices?: boolean;
  /** End an agent that prints nothing, uses no CPU and has no network traffic for this long; 0 means never. */
  readonly hangAfterMs?: number;
  /** False: a usage limit ends the loop instead of making it wait. */
  readonly wait?: boolean;
  /** Agents that work while the first is limited, in this order, each optionally with another model. */
  readonly fallbacks?: readonly FallbackSpec[];
  /** The part of each usage window that the loop leaves to you, from 0 to 1, if the agent reports how much is used. */
  readonly reserve?: number;
  /** How long the loop may wait for a service, in total. */
  readonly outageBudgetMs?: number;
  /** If the agent cannot continue without a person: wait for the answer, or end the loop (the default). */
  readonly onBlocked?: 'wait' | 'end';
  /** What to do when iterations make no progress (default: `pivot` with `asksForResponse`, otherwise `warn`). */
  readonly onStuck?: 'warn' | 'pivot' | 'end';
  /**
   * Run the checks once before the first iteration: `show` those that fail, `excuse` each of them for as long as it
   * keeps failing, or `off`. The default is `show` with `asksForResponse`, otherwise `off`.
   */
  readonly baseline?: 'show' | 'excuse' | 'off';
  /** When the agent says that it is done, prove it in a clean checkout like `--prove` (default: as in the settings). */
  readonly prove?: boolean | ProveOptions;
  /** Put a summary of the last iterations into each prompt. */
  readonly carryNotes?: boolean;
  /** Another agent must approve the work before it counts as done; `rounds` rejections end the loop. */
  readonly review?: ReviewSpec;
  /** Work in a new git worktree, on a new branch (default: named after the task). */
  readonly worktree?: { readonly branch?: string };
  /** The agent's sandbox (default: as in the settings). */
  readonly sandbox?: SandboxOptions;
}

/** Events arrive as they happen. A reader that is too slow misses progress, but never a record. */
export interface Loop extends AsyncIterable<LoopEvent<RunData>> {
  readonly result: Promise<Driven>;
}

export function run(options: RunOptions): Loop {
  const { prompt, promptFile } = options;
  if ((prompt === undefined) === (promptFile === undefined)) throw new TypeError('give either prompt or promptFile');
  const {
    cwd: _cwd,
    signal: _signal,
    env: _env,
    preflight: _look,
    sandbox: asked,
    startAt,
    until,
    worktree,
    ...more
  } = options;
  const {
    budget,
    prices = true,
    fallbacks,
    reserve,
    hangAfterMs: hangMs,
    wait: waits = true,
    outageBudgetMs: budgetMs = OUTAGE_BUDGET,
    prove: proving,
    ...given
  } = more;
  const sandbox = asked === undefined ? null : sandboxFromOptions(asked);
  if (!prices && budget?.costUsd !== undefined) throw new TypeError('a budget in dollars needs prices');
  const unpriced = prices ? undefined : (false as const);
  const times = { notBefore: startAt?.getTime(), notAfter: until?.getTime(), hangMs };
  const terms = defined({ ...times, budget, reserve, prices: unpriced });
  const begin = { ...settingOf(options), terms, fallbacks, worktree };
  const prove = typeof proving === 'object' ? { ...proving, isOn: true } : defined({ isOn: proving });
  const request = runRequest({ ...given, sandbox, prove, outages: { waits, budgetMs } });
  return turning((emit) => runLoop(request, { ...begin, emit }));
}

/** Continues an unfinished loop: the one with the id `loop`, or else the newest one in the work tree. */
export function resume(
  options: ResumeOptions & { readonly loop?: string } & Pick<ProveOptions, 'allowEdit' | 'acceptFlaky'> = {},
): Loop {
  const { loop = null, allowEdit, acceptFlaky } = options;
  const change = defined({ allowEdit, acceptFlaky });
  return turning((emit) => resumeRun(loop, { ...settingOf(options), emit }, change));
}

/** Calls `runRoot` until the task's folder has a DONE file or the agent waits for a person; no exit code ends it. */
export class RalphLoop {
  readonly #runDir: string;
  readonly #bus: string;
  readonly #options: RalphLoopOptions;

  /** `bus` is the path of the message bus, usually `<runDir>/TASK-MESSAGE-BUS.md`. */
  constructor(runDir: string, bus: string, options: RalphLoopOptions) {
    loopRequest(runDir, bus, options);
    this.#runDir = runDir;
    this.#bus = bus;
    this.#options = options;
  }

  /** Rejects with "max restarts exceeded", with a fatal error that `runRoot` threw, or with the signal's reason. */
  async run(signal?: AbortSignal, env?: NodeJS.ProcessEnv): Promise<RalphLoopResult> {
    return runRalphLoop(resolve(this.#runDir), resolve(this.#bus), this.#options, {
      environment: readEnvironment(env),
      signal: signal ?? new AbortController().signal,
      self: OWN_COMMAND,
    });
  }
}

/** Posts a message to a bus, under its lock. The first message creates the bus. Resolves when it is written. */
export const appendMessage = (bus: string, draft: Draft): Promise<Message> => append(resolve(bus), draft);

/** The messages of a bus, oldest first: all of them, those after the message `after`, or only the last `tail`. */
export function readMessages(
  bus: string,
  { tail, after }: { readonly tail?: number; readonly after?: string } = {},
): readonly Message[] {
  const { messages } = readBus(resolve(bus), after === undefined ? {} : { after });
  return tail === undefined ? messages : messages.slice(Math.max(0, messages.length - tail));
}

function settingOf({ cwd = process.cwd(), env, preflight, signal = new AbortController().signal }: ResumeOptions) {
  const environment = readEnvironment(env);
  const setting = { cwd, environment, self: OWN_COMMAND, stop: new AbortController().signal, cancel: signal };
  if (preflight === undefined) return setting;
  return { ...setting, preflight: preflightOf({ stateRoot: environment.root.path, show: preflight }) };
}

/** Starts this package's own command, which runs other programs in a sandbox. */
const OWN_COMMAND = [process.execPath, fileURLToPath(new URL('../bin/ralph.cjs', import.meta.url))] as const;

function turning(begin: (emit: (event: LoopEvent<RunData>) => void) => Promise<Driven>): Loop {
  const queue = eventQueue<RunData>();
  const result = begin(queue.push).finally(queue.close);
  // A caller that reads only the events still gets the error, at their end. Unhandled here, it would crash the process.
  result.catch(() => undefined);
  return {
    result,
    async *[Symbol.asyncIterator]() {
      yield* queue.events();
      await result;
    },
  };
}
