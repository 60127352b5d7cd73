/** The library's `RalphLoop`: seed 002's loop around a function of the caller's instead of an agent's command line. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentsAccess } from '../../agents/index.ts';
import { runName } from '../../core/action.ts';
import { type Ending, WAIT_EXIT_CODE } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import type { Outcome } from '../../core/outcome.ts';
import {
  beginLoop,
  type Closing,
  type HostOptions,
  homeOf,
  hostLoop,
  hostOf,
  type LoopWorld,
} from '../../engine/host.ts';
import type { Perform } from '../../engine/performers/perform.ts';
import { INTERRUPTED } from '../../engine/performers/perform.ts';
import { performerOf } from '../../engine/performers/performers.ts';
import { waitFor } from '../../engine/performers/waiting.ts';
import { sandboxFromOptions } from '../../engine/sandbox-options.ts';
import { resolveSandbox } from '../../runners/choose.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { busSize, consumeSignals, type RunSpan } from './folder/signals.ts';
import { taskInputsReader } from './inputs.ts';
import { busOptions, post, type Say, sayEnding, voiceOn } from './post.ts';
import {
  checkedOptions,
  exitCodeOf,
  isFatalError,
  type RalphLoopOptions,
  type RootRunner,
} from './ralph-loop-options.ts';
import { type RootPrograms, rootPrograms } from './root-place.ts';
import { isSandboxed, NEW_TASK, type TaskData, type TaskRequest, taskMachine } from './rules.ts';
import { errorSummary } from './runs/run-info.ts';
import { whyNone } from './sandbox.ts';
import { taskSteps } from './steps.ts';

/** `done`: the DONE file is there. `waiting`: it was told not to be started again. */
export interface RalphLoopResult {
  readonly status: 'done' | 'waiting';
  /** How often the root runner was called. */
  readonly attempts: number;
  readonly reason?: string;
  /** What the sandbox refused, in sentences; only where there is one. */
  readonly refusals?: readonly string[];
  /** Why it ran freely, where the strongest sandbox was asked for and there is none. */
  readonly noSandbox?: string;
}

export interface RalphLoopHosting extends Pick<HostOptions<TaskData>, 'environment' | 'release'> {
  readonly signal: AbortSignal;
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
}

export async function runRalphLoop(
  runDir: string,
  bus: string,
  options: RalphLoopOptions,
  hosting: RalphLoopHosting,
): Promise<RalphLoopResult> {
  const { environment, signal, self } = hosting;
  signal.throwIfAborted();
  const asked = requestOf(runDir, bus, options);
  const host = hostOf(environment);
  const wanted = { env: host.env, access: agentsAccess(asked.agent), cwd: asked.cwd };
  const { request: sandbox, passedOver } = await resolveSandbox(asked.sandbox ?? NO_SANDBOX, undefined, wanted);
  const request: TaskRequest = { ...asked, sandbox, ...whyNone(passedOver) };
  const created = { loopKind: 'ralph-loop', cwd: runDir, options: request };
  const loop = beginLoop(taskMachine, created, hosting, homeOf(environment, host));
  const say = voiceOn(request, nothing, busOptions(request));
  const { folder } = loop;
  const context = { loop: { id: loop.state.id, folder }, host, stateRoot: environment.root.path, self };
  const programs = rootPrograms(request, context);
  const calls = callingOf(options.runRoot, request, say, programs.placeOf);
  const open = async (closing: Closing): Promise<LoopWorld> => {
    closing.add(programs.close);
    consumeSignals(runDir);
    const { noSandbox } = request;
    if (noSandbox !== undefined) await say('WARNING', `no sandbox: ${noSandbox}`);
    return {
      perform: performers(request, folder, calls, say),
      async after(driven) {
        if (driven.kind === 'ended') await sayEnding(driven.ending, host.mask, say);
      },
    };
  };
  const driven = await hostLoop(loop, { machine: taskMachine, open }, { emit: nothing, stop: signal, cancel: signal });
  if (driven.kind === 'stopped') throw signal.reason;
  const refusals = isSandboxed(request) ? { refusals: programs.refusals } : {};
  return { ...resultOf(driven.ending, calls), ...refusals, ...whyNone(passedOver) };
}

interface Calls {
  call(attempt: number, signal: AbortSignal): Promise<Outcome | null>;
  count(): number;
  span(): RunSpan | null;
  fatal(): unknown;
}

function callingOf(runRoot: RootRunner, request: TaskRequest, say: Say, placeOf: RootPrograms['placeOf']): Calls {
  let calls = 0;
  let span: RunSpan | null = null;
  let fatal: unknown = null;
  return {
    async call(attempt, signal) {
      calls++;
      const starting = `starting root agent (restart #${attempt})`;
      // A bus that takes not even the first message is the caller's mistake.
      if (calls === 1) await post(request, 'INFO', starting, undefined, busOptions(request));
      else await say('INFO', starting);
      span = { runId: '', busOffset: busSize(request.bus) };
      const end = await endOf(() => runRoot(signal, attempt, placeOf(attempt, signal)), signal);
      if (signal.aborted || end === null) return null;
      if ('error' in end && isFatalError(end.error)) {
        fatal = end.error;
        return { kind: 'blocked', reason: messageOf(end.error) };
      }
      // A runner that throws has failed, whatever number the error carries.
      const code = 'code' in end ? end.code : exitCodeOf(end.error) || 1;
      if (code === 0) return { kind: 'worked' };
      const reason = 'code' in end ? errorSummary(code) : messageOf(end.error);
      if (code !== WAIT_EXIT_CODE) await say('WARNING', `root agent failed on restart #${attempt}: ${reason}`);
      return { kind: 'failed', exit: { by: 'code', code }, reason };
    },
    count: () => calls,
    span: () => span,
    fatal: () => fatal,
  };
}

type RunnerEnd = { readonly code: number } | { readonly error: unknown };

/** Null for a runner that does not come back within the grace period after the signal: it is not waited for. */
async function endOf(act: () => unknown, signal: AbortSignal): Promise<RunnerEnd | null> {
  const over = new AbortController();
  const ended = (async (): Promise<RunnerEnd> => {
    try {
      const code = await act();
      return { code: typeof code === 'number' ? code : 0 };
    } catch (error) {
      return { error };
    }
  })();
  const abandoned = new Promise<null>((resolveNull) => {
    const wait = (): void =>
      void sleep(NEW_TASK.graceMs, undefined, { signal: over.signal }).then(() => resolveNull(null), nothing);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([ended, abandoned]);
  } finally {
    over.abort();
  }
}

function performers(request: TaskRequest, loop: string, calls: Calls, say: Say): Perform {
  const readInputs = taskInputsReader(request, request.maxRestarts, calls.span);
  return performerOf({
    readInputs: ({ known }) => readInputs(known),
    start: async ({ run }) => ({ kind: 'started', handle: { runner: 'callback', name: runName(run) } }),
    async await({ run }, { signal }) {
      const outcome = await calls.call(run.iteration - 1, signal);
      const nothingSaid = { said: { tag: null, firstLine: null }, transcript: { path: '', bytes: 0 } };
      return outcome === null ? INTERRUPTED : { kind: 'ran', outcome, ...nothingSaid };
    },
    wait: (action, { signal }) => waitFor(action, { loop, signal }),
    steps: taskSteps({ request, lastRun: calls.span, say, tell: nothing }),
  });
}

function resultOf(ending: Ending, calls: Calls): RalphLoopResult {
  const attempts = calls.count();
  switch (ending.kind) {
    case 'done':
      return { status: 'done', attempts };
    case 'stopped':
    case 'waiting':
      return { status: 'waiting', attempts, ...(ending.reason === undefined ? {} : { reason: ending.reason }) };
    case 'iteration-limit':
      throw new RalphError('MAX_RESTARTS', 'max restarts exceeded', { exitCode: 1 });
    case 'blocked':
      throw calls.fatal();
    case 'tampered':
      throw new RalphError('TAMPERED', ending.reason, { exitCode: 9 });
    default:
      throw new Error(`an ending that this loop does not have: ${ending.kind}`);
  }
}

function requestOf(folder: string, bus: string, options: RalphLoopOptions): TaskRequest {
  const { maxRestarts, waitTimeout, pollInterval, restartDelay, project, task, cwd } = checkedOptions(
    folder,
    bus,
    options,
  );
  const { sandbox } = options;
  return {
    ...NEW_TASK,
    folder,
    project,
    task,
    bus,
    agent: sandbox?.agent ?? '',
    prompt: '',
    cwd: resolve(cwd),
    sandbox: sandbox === undefined ? NO_SANDBOX : sandboxFromOptions(sandbox),
    maxRestarts,
    restartDelayMs: restartDelay,
    waitTimeoutMs: waitTimeout,
    pollIntervalMs: pollInterval,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nothing(): void {
  // Events and lines of this loop go nowhere.
}
