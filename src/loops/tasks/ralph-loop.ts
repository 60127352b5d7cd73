/** The library's `RalphLoop`: seed 002's loop around a function of the caller's instead of an agent's command line. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentsAccess } from '../../agents/index.ts';
import type { Environment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { runName } from '../../core/keys.ts';
import { loopMachine } from '../../core/machine.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Duration } from '../../core/time.ts';
import { drive } from '../../engine/drive.ts';
import { INTERRUPTED } from '../../engine/local.ts';
import { createLoop } from '../../engine/loop.ts';
import type { Perform } from '../../engine/perform.ts';
import { performerOf } from '../../engine/performers.ts';
import { sandboxFromOptions } from '../../engine/sandbox-options.ts';
import { waitFor } from '../../engine/waiting.ts';
import { thisHost } from '../../process/host.ts';
import { resolveSandbox } from '../../runners/choose.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { newLoopId } from '../../state/loop-id.ts';
import { exitCodeOf, isFatalError } from './fatal-error.ts';
import { busSize, consumeSignals, type RunSpan } from './folder/signals.ts';
import { taskInputsReader } from './inputs.ts';
import { busOptions, post, type Say, sayEnding, voiceOn } from './post.ts';
import { checkedOptions, type RalphLoopOptions, type RootRunner } from './ralph-loop-options.ts';
import { type RootPlace, rootPlace } from './root-place.ts';
import { isSandboxed, TASK_DEFAULTS, type TaskRequest, taskRules, WAIT_EXIT_CODE } from './rules.ts';
import { errorSummary } from './runs/run-info.ts';
import { isolateRoot, whyNone } from './sandbox.ts';
import { taskSteps } from './steps.ts';

/** `done`: the DONE file is there. `waiting`: somebody said that it is not to be started again. */
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

/** How long a root runner has, once it is told to stop, before nobody waits for it any more. */
const SETTLES_WITHIN_MS: Duration = TASK_DEFAULTS.graceMs;

export async function runRalphLoop(
  runDir: string,
  bus: string,
  options: RalphLoopOptions,
  setting: {
    readonly environment: Environment;
    readonly release: string;
    readonly signal: AbortSignal;
    /** The command line that starts this program. */
    readonly self: readonly [string, ...string[]];
  },
): Promise<RalphLoopResult> {
  const { environment, release, signal, self } = setting;
  signal.throwIfAborted();
  const asked = requestOf(runDir, bus, options);
  const host = thisHost(environment.variables, environment.containment);
  const { place, mask } = host;
  const wanted = { env: host.env, access: agentsAccess(asked.agent), cwd: asked.cwd };
  const { request: sandbox, passedOver } = await resolveSandbox(asked.sandbox ?? NO_SANDBOX, undefined, wanted);
  const request: TaskRequest = { ...asked, sandbox, ...whyNone(passedOver) };
  const now = Date.now();
  const created = {
    id: newLoopId(now),
    loopKind: 'ralph-loop',
    cwd: runDir,
    release,
    options: request,
  };
  const own = loopMachine(taskRules);
  const loop = createLoop(own, created, now, { root: environment.root, place, mask });
  const say = voiceOn(request, nothing, busOptions(request));
  const where = { loop: { id: created.id, folder: loop.folder }, host, stateRoot: environment.root.path, self };
  const box = boxOf(request, where);
  const calls = callingOf(options.runRoot, request, say, box.place);
  try {
    consumeSignals(runDir);
    const { noSandbox } = request;
    if (noSandbox !== undefined) await say('WARNING', `no sandbox: ${noSandbox}`);
    const perform = performers(request, loop.folder, calls, say);
    const driven = await drive(own, loop, { perform, now: Date.now, emit: nothing, stop: signal, cancel: signal });
    if (driven.kind === 'stopped') throw signal.reason;
    await sayEnding(driven.ending, mask, say);
    const seen = isSandboxed(request) ? { refusals: box.refusals } : {};
    return { ...resultOf(driven.ending, calls), ...seen, ...whyNone(passedOver) };
  } finally {
    await box.close();
    loop.close();
  }
}

interface Calls {
  call(attempt: number, signal: AbortSignal): Promise<Outcome | null>;
  count(): number;
  span(): RunSpan | null;
  fatal(): unknown;
}

interface Box {
  place(attempt: number, signal: AbortSignal): RootPlace;
  readonly refusals: string[];
  close(): Promise<void>;
}

/** Made for the first program: a caller that starts its agents itself needs none. */
function boxOf(request: TaskRequest, where: Parameters<typeof isolateRoot>[1]): Box {
  const refusals: string[] = [];
  let made: ReturnType<typeof isolateRoot> | null = null;
  const isolation = () => {
    made ??= isolateRoot(request, where);
    return made;
  };
  const setting = {
    loop: where.loop,
    cwd: request.cwd,
    isolation,
    onRefusal: (text: string) => void refusals.push(text),
  };
  return {
    place: (attempt, signal) => rootPlace(setting, attempt, signal),
    refusals,
    close: async () => (await made?.catch(nothing))?.runner.close(),
  };
}

function callingOf(runRoot: RootRunner, request: TaskRequest, say: Say, placeOf: Box['place']): Calls {
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
      const abandoned = new AbortController();
      const called = settledOf(() => runRoot(signal, attempt, placeOf(attempt, signal)));
      const settled = await Promise.race([called, whenAbandoned(signal, abandoned.signal)]);
      abandoned.abort();
      if (signal.aborted || settled === null) return null;
      const failed = 'code' in settled ? failedWith(settled.code) : failureOf(settled.error);
      if ('error' in settled && isFatalError(settled.error)) {
        fatal = settled.error;
        return { kind: 'blocked', reason: messageOf(settled.error) };
      }
      if (failed.code === 0) return { kind: 'worked' };
      if (failed.code !== WAIT_EXIT_CODE) {
        await say('WARNING', `root agent failed on restart #${attempt}: ${failed.reason}`);
      }
      return { kind: 'failed', exit: { by: 'code', code: failed.code }, reason: failed.reason };
    },
    count: () => calls,
    span: () => span,
    fatal: () => fatal,
  };
}

type Settled = { readonly code: number } | { readonly error: unknown };

async function settledOf(act: () => unknown): Promise<Settled> {
  try {
    const code = await act();
    return { code: typeof code === 'number' ? code : 0 };
  } catch (error) {
    return { error };
  }
}

/** Null a while after the signal: whoever does not heed it is not waited for. */
async function whenAbandoned(signal: AbortSignal, settled: AbortSignal): Promise<null> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: settled });
    settled.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  if (!settled.aborted) await sleep(SETTLES_WITHIN_MS, undefined, { signal: settled }).catch(nothing);
  return null;
}

function performers(request: TaskRequest, loop: string, calls: Calls, say: Say): Perform {
  const readInputs = taskInputsReader(request, request.maxRestarts, calls.span);
  const { bus, project, task, folder } = request;
  const steps = {
    bus,
    project,
    task,
    folder,
    lastRun: calls.span,
    startAskedJobs: async () => nothing(),
    endDeadJobs: async () => nothing(),
    blockedBy: () => [],
    say,
    tell: nothing,
  };
  return performerOf({
    readInputs: ({ known }) => readInputs(known),
    start: async ({ run }) => ({ kind: 'started', handle: { runner: 'callback', name: runName(run) } }),
    async await({ run }, { signal }) {
      const outcome = await calls.call(run.iteration - 1, signal);
      const nothingSaid = { said: { tag: null, firstLine: null }, transcript: { path: '', bytes: 0 } };
      return outcome === null ? INTERRUPTED : { kind: 'ran', outcome, ...nothingSaid };
    },
    wait: (action, { signal }) => waitFor(action, { loop, now: Date.now, signal }),
    steps: taskSteps(steps),
  });
}

function resultOf(
  ending: Extract<Awaited<ReturnType<typeof drive>>, { kind: 'ended' }>['ending'],
  calls: Calls,
): RalphLoopResult {
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
    ...TASK_DEFAULTS,
    kind: 'task',
    folder,
    project,
    task,
    bus,
    agent: sandbox?.agent ?? '',
    flags: [],
    prompt: '',
    cwd: resolve(cwd),
    sandbox: sandbox === undefined ? NO_SANDBOX : sandboxFromOptions(sandbox),
    isResumed: false,
    parentRunId: null,
    previousRunId: null,
    runId: null,
    maxRestarts,
    restartDelayMs: restartDelay,
    waitTimeoutMs: waitTimeout,
    pollIntervalMs: pollInterval,
    idleTimeoutMs: null,
    totalTimeoutMs: null,
    dependsOn: [],
  };
}

interface Failed {
  readonly code: number;
  readonly reason: string;
}

function failedWith(code: number): Failed {
  return { code, reason: errorSummary(code) };
}

/** Whoever throws has failed, whatever number it carries. */
function failureOf(error: unknown): Failed {
  return { code: exitCodeOf(error) || 1, reason: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nothing(): void {
  // Nobody listens, and there is nothing to do.
}
