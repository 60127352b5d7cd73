/** The library: the same loops as the command line. `for await` shows what happens, `result` says how it ended. */
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

/** Each is added to the settings, or wins over them. */
export interface ProveOptions {
  /** The command that makes a fresh clone ready; found by the files of the project unless given. */
  readonly setup?: string;
  /** Files that git ignores and the checks need, in the form of `.gitignore`. */
  readonly include?: readonly string[];
  /** More files that decide about the checks, as git's pathspecs. */
  readonly pins?: readonly string[];
  /** Tests, and what controls them, that the agent may change. */
  readonly allowEdit?: readonly string[];
  /** A check that fails and then passes on the same files has passed. */
  readonly acceptFlaky?: boolean;
}

export interface ResumeOptions {
  /** The work tree; the current directory unless given. */
  readonly cwd?: string;
  /** Ends what is running and stops; the loop stays unfinished and can be resumed. */
  readonly signal?: AbortSignal;
  /** The environment for ralph and the programs it starts; the process's own unless given. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Look before the first agent starts (is it installed and logged in, are the checks there, is there room on the disk), and
   * hand over the warnings. Errors keep the loop from beginning: all of them are in one `RalphError`. Not done unless given.
   */
  readonly preflight?: (warnings: readonly Finding[]) => void;
}

export interface RunOptions extends ResumeOptions {
  /** Exactly one of `prompt` and `promptFile`; a regular file is read again for every iteration, a pipe once. */
  readonly prompt?: string;
  readonly promptFile?: string;
  /** Say at the end of the prompt how the agent says that it is done, unless the prompt speaks of it. */
  readonly asksForResponse?: boolean;
  /** The agent's command; that of the settings unless given, or where there are none the one that is installed. */
  readonly agent?: string;
  readonly model?: string;
  /** Commands that must pass before the work counts; as the settings say unless given, or as found in the project. */
  readonly checks?: readonly string[];
  /** These win over the project's settings. */
  readonly maximumIterations?: number;
  readonly completionResponse?: string;
  readonly agentTimeoutMs?: number;
  /** Read the project's settings again for every iteration, not only at the start and on resume. */
  readonly liveSettings?: boolean;
  /** Where the agent runs: as a child of this process (`direct`), or in a tmux pane that one can attach to. */
  readonly runner?: 'direct' | 'tmux';
  /** Start the first agent at this time, and not at once. */
  readonly startAt?: Date;
  /** Start no agent after this time. */
  readonly until?: Date;
  /** What all runs together may use. */
  readonly budget?: Budget;
  /** False: dollars are neither estimated nor taken from the agent, as for a subscription. */
  readonly prices?: boolean;
  /** An agent that prints nothing, uses no CPU and hears nothing for so long is ended; 0 for none. */
  readonly hangAfterMs?: number;
  /** False: a usage limit ends the loop, instead of being waited for. */
  readonly wait?: boolean;
  /** Who works while the agent is limited, in this order, each in its own way or with another model. */
  readonly fallbacks?: readonly FallbackSpec[];
  /** The part of each usage window that is left for you, from 0 to 1, where the agent tells how much is used. */
  readonly reserve?: number;
  /** How long all waits for a service may take. */
  readonly outageBudgetMs?: number;
  /** An agent that cannot go on without a person: wait for the answer, or end the loop, which is the default. */
  readonly onBlocked?: 'wait' | 'end';
  /** When nothing new comes of its iterations: `pivot` unless given where `asksForResponse` is set, otherwise `warn`. */
  readonly onStuck?: 'warn' | 'pivot' | 'end';
  /**
   * Run the checks once before the first iteration: `show` what is red, `excuse` it as long as it fails, or not at all. `show`
   * unless given where `asksForResponse` is set, otherwise `off`.
   */
  readonly baseline?: 'show' | 'excuse' | 'off';
  /** Prove in a clean checkout what the agent calls done, as `--prove` does; as the settings say unless given. */
  readonly prove?: boolean | ProveOptions;
  /** Put a summary of the last iterations into each prompt. */
  readonly carryNotes?: boolean;
  /** Another agent must approve what is claimed to be done; so many rejections end the loop. */
  readonly review?: ReviewSpec;
  /** Work in a new git worktree, on a new branch; its name is made from the task unless given. */
  readonly worktree?: { readonly branch?: string };
  /** What stands between the agent and the rest of the machine; as the settings say unless given. */
  readonly sandbox?: SandboxOptions;
}

/** Events come as they happen; a reader that is too slow misses progress, never a record. */
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

/** Goes on with a loop that was interrupted: the newest unfinished one of the work tree unless an id is given. */
export function resume(
  options: ResumeOptions & { readonly loop?: string } & Pick<ProveOptions, 'allowEdit' | 'acceptFlaky'> = {},
): Loop {
  const { loop = null, allowEdit, acceptFlaky } = options;
  const change = defined({ allowEdit, acceptFlaky });
  return turning((emit) => resumeRun(loop, { ...settingOf(options), emit }, change));
}

/** Calls a function until its task's folder holds a DONE file, or it says not to. An exit code of 0 never ends it. */
export class RalphLoop {
  readonly #runDir: string;
  readonly #bus: string;
  readonly #options: RalphLoopOptions;

  /** `bus` is the path of the message bus, `<runDir>/TASK-MESSAGE-BUS.md` as a rule. */
  constructor(runDir: string, bus: string, options: RalphLoopOptions) {
    loopRequest(runDir, bus, options);
    this.#runDir = runDir;
    this.#bus = bus;
    this.#options = options;
  }

  /** Rejects with "max restarts exceeded", with a fatal error of the root runner, or with the signal's reason. */
  async run(signal?: AbortSignal, env?: NodeJS.ProcessEnv): Promise<RalphLoopResult> {
    return runRalphLoop(resolve(this.#runDir), resolve(this.#bus), this.#options, {
      environment: readEnvironment(env),
      signal: signal ?? new AbortController().signal,
      self: OWN_COMMAND,
    });
  }
}

/** Posts a message to a bus, under its lock; the bus is made with its first message. Resolves when it is written. */
export const appendMessage = (bus: string, draft: Draft): Promise<Message> => append(resolve(bus), draft);

/** The messages of a bus, oldest first: the last `tail` of them, those behind the message `after`, or all. */
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

/** Starts the program of this package, which puts others into a sandbox: it lies beside this file's folder. */
const OWN_COMMAND = [process.execPath, fileURLToPath(new URL('../bin/ralph.cjs', import.meta.url))] as const;

function turning(begin: (emit: (event: LoopEvent<RunData>) => void) => Promise<Driven>): Loop {
  const queue = eventQueue<RunData>();
  const result = begin(queue.push).finally(queue.close);
  // Readers of the events alone still get the error: it is thrown where they end.
  result.catch(() => undefined);
  return {
    result,
    async *[Symbol.asyncIterator]() {
      yield* queue.events();
      await result;
    },
  };
}
