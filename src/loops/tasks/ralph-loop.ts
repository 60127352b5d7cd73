/** The library's `RalphLoop`: seed 002's loop around a function of the caller instead of an agent's command line. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runName } from '../../core/action.ts';
import { defined } from '../../core/defined.ts';
import { type Ending, WAIT_EXIT_CODE } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { exitNumber, type Outcome } from '../../core/outcome.ts';
import { beginLoop, type Hosted, type HostOptions, hostLoop, hostOf } from '../../engine/host.ts';
import { INTERRUPTED, markOf } from '../../engine/performers/perform.ts';
import { performerOf } from '../../engine/performers/performers.ts';
import { reviewDiff } from '../../engine/reviewer.ts';
import { chooseSandbox } from '../../engine/sandbox.ts';
import { waitFor } from '../../engine/wait.ts';
import { writeFile } from '../../process/files.ts';
import { alwaysReady } from '../../process/follow.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { claimRun } from '../../state/run-files.ts';
import { busSize, consumeSignals, taskInputsReader } from './folder/signals.ts';
import { post, type Say, sayEnding, voiceOn } from './post.ts';
import type { RalphLoopOptions, RootPlace, RootProgram, RootRunner } from './ralph-loop-options.ts';
import { exitCodeFromError, isFatalError, loopRequest } from './ralph-loop-options.ts';
import { isSandboxed, NEW_TASK, type TaskRequest } from './request.ts';
import { taskMachine } from './rules.ts';
import { errorSummary } from './runs/run-info.ts';
import { isolateRoot } from './sandbox.ts';
import { type RunSpan, spanOf, type TaskData } from './state.ts';
import { taskSteps } from './steps.ts';

/** `done`: the DONE file exists. `waiting`: the task asked not to be started again. */
export interface RalphLoopResult {
  readonly status: 'done' | 'waiting';
  /** How often the root runner was called. */
  readonly attempts: number;
  readonly reason?: string;
  /** What the sandbox refused, in sentences; only if there is a sandbox. */
  readonly refusals?: readonly string[];
  /** Why it ran without a sandbox, if the strongest available one was wanted. */
  readonly noSandbox?: string;
}

interface RalphLoopHosting extends Pick<HostOptions<TaskData>, 'environment'> {
  readonly signal: AbortSignal;
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
}

export async function runRalphLoop(runDir: string, bus: string, options: RalphLoopOptions, hosting: RalphLoopHosting) {
  const { environment, signal, self } = hosting;
  signal.throwIfAborted();
  const asked = loopRequest(runDir, bus, options);
  const host = hostOf(environment);
  const wanted = { env: host.env, agents: [asked.agent], cwd: asked.cwd };
  const { sandbox, noSandbox } = await chooseSandbox(asked.sandbox ?? NO_SANDBOX, undefined, wanted);
  const request: TaskRequest = { ...asked, sandbox, ...defined({ noSandbox }) };
  const created = { loopKind: 'ralph-loop', cwd: runDir, options: request };
  const loop = beginLoop(taskMachine, created, environment);
  const say = voiceOn(request, nothing);
  const { folder } = loop;
  const context = { loop: { id: loop.state.id, folder }, host, stateRoot: environment.root.path, self };
  const programs = rootPrograms(request, context);
  const calls = rootCalls(options.runRoot, request, say, programs.placeOf);
  const readInputs = taskInputsReader(request, request.maxRestarts);
  const spanNow = (): RunSpan => ({ runId: '', busOffset: busSize(bus) });
  const perform = performerOf({
    readInputs: ({ known, given }) => readInputs(known, spanOf(given)),
    start: async ({ run }) => ({
      kind: 'started',
      handle: { runner: 'callback', name: runName(run), kept: spanNow() },
    }),
    async await({ run }, turn) {
      if (turn.signal.aborted) return INTERRUPTED;
      const outcome = await calls.call(run.iteration - 1, turn.signal);
      const nothingSaid = { said: { tag: null, firstLine: null }, transcript: { path: '', bytes: 0 } };
      return outcome === null ? INTERRUPTED : { kind: 'ran', outcome, ...nothingSaid };
    },
    wait: (action, turn) => waitFor(action, { loop: folder, signal: turn.signal }),
    steps: taskSteps({
      request,
      say,
      tell: nothing,
      mask: host.mask,
      diff: reviewDiff(folder, host.env),
      keepTree: async () => null,
    }),
  });
  const open: Hosted<TaskData>['open'] = async (closing) => {
    closing.add(programs.close);
    consumeSignals(runDir);
    if (noSandbox !== undefined) await say('WARNING', `no sandbox: ${noSandbox}`);
    return { perform, after: (last) => (last.kind === 'ended' ? sayEnding(last.ending, host.mask, say) : null) };
  };
  const driving = { environment, emit: nothing, stop: signal, cancel: signal };
  const driven = await hostLoop(loop, { machine: taskMachine, open }, driving);
  if (driven.kind === 'stopped') throw signal.reason;
  const refusals = isSandboxed(request) ? programs.refusals : undefined;
  return { ...resultOf(driven.ending, calls.made), ...defined({ refusals, noSandbox }) };
}

type PlaceOf = (attempt: number, signal: AbortSignal) => RootPlace;

function rootCalls(runRoot: RootRunner, request: TaskRequest, say: Say, placeOf: PlaceOf) {
  const made = { count: 0, fatal: null as unknown };
  return {
    made,
    /** Null if it was interrupted. */
    async call(attempt: number, signal: AbortSignal): Promise<Outcome | null> {
      made.count++;
      const starting = `starting root agent (restart #${attempt})`;
      // If even the first message cannot be posted, the caller has given a wrong bus.
      await (made.count === 1 ? post(request, 'INFO', starting) : say('INFO', starting));
      const end = await endOf(() => runRoot(signal, attempt, placeOf(attempt, signal)), signal);
      if (signal.aborted || end === null) return null;
      if ('error' in end && isFatalError(end.error)) {
        made.fatal = end.error;
        return { kind: 'blocked', reason: messageOf(end.error) };
      }
      // A runner that throws has failed, even if its error carries the number 0.
      const code = 'code' in end ? end.code : exitCodeFromError(end.error) || 1;
      if (code === 0) return { kind: 'worked' };
      const reason = 'code' in end ? errorSummary(code) : messageOf(end.error);
      if (code !== WAIT_EXIT_CODE) await say('WARNING', `root agent failed on restart #${attempt}: ${reason}`);
      return { kind: 'failed', exit: { by: 'code', code }, reason };
    },
  };
}

type RunnerEnd = { readonly code: number } | { readonly error: unknown };

/** Null if the runner does not return within the grace period after the signal; it is then abandoned. */
async function endOf(act: () => unknown, signal: AbortSignal): Promise<RunnerEnd | null> {
  const over = new AbortController();
  const ended = (async () => act())().then(
    (code): RunnerEnd => ({ code: typeof code === 'number' ? code : 0 }),
    (error: unknown): RunnerEnd => ({ error }),
  );
  const aborted: Promise<unknown> = signal.aborted ? Promise.resolve() : once(signal, 'abort', { signal: over.signal });
  const abandoned = aborted.then(() => sleep(NEW_TASK.graceMs, null, { signal: over.signal }));
  try {
    return await Promise.race([ended, abandoned]);
  } finally {
    over.abort();
  }
}

function resultOf(ending: Ending, { count: attempts, fatal }: ReturnType<typeof rootCalls>['made']): RalphLoopResult {
  switch (ending.kind) {
    case 'done':
      return { status: 'done', attempts };
    case 'stopped':
    case 'waiting':
      return { status: 'waiting', attempts, ...defined({ reason: ending.reason }) };
    case 'iteration-limit':
      throw new RalphError('MAX_RESTARTS', 'max restarts exceeded', { exitCode: 1 });
    case 'blocked':
      throw fatal;
    case 'tampered':
      throw new RalphError('TAMPERED', ending.reason, { exitCode: 9 });
    default:
      throw new Error(`an ending that this loop does not have: ${ending.kind}`);
  }
}

/** Runs programs for the caller in the loop's sandbox; when one ends, everything that it started ends, too. */
function rootPrograms(request: TaskRequest, context: Parameters<typeof isolateRoot>[1]) {
  const { loop } = context;
  const refusals: string[] = [];
  // Opened for the first program: a caller that starts its agents itself needs none.
  let isolation: ReturnType<typeof isolateRoot> | null = null;
  type Argv = readonly [string, ...string[]];
  const runOne = async (argv: Argv, key: string, program: RootProgram, signal: AbortSignal): Promise<number> => {
    isolation ??= isolateRoot(request, context);
    const { host, runner } = await isolation;
    const { folder, name } = claimRun(loop.folder, key);
    const { cwd = request.cwd, env = {}, input = '' } = program;
    const { onOutput = (chunk) => void process.stdout.write(chunk) } = program;
    const { onStderr = (chunk) => void process.stderr.write(chunk) } = program;
    const stdin = `${name}.input`;
    writeFile(join(folder, stdin), input, { mode: 0o600 });
    const files = { folder, name, mark: markOf(loop.id, key, 1) };
    await runner.start({ ...files, argv, cwd, env: { ...host.env, ...env }, stdin });
    const onRefusal = (refusal: string): void => void refusals.push(refusal);
    return exitNumber(await runner.await(files, { onOutput, onStderr, onRefusal, ready: alwaysReady, signal }));
  };
  return {
    placeOf(attempt: number, signal: AbortSignal): RootPlace {
      let programs = 0;
      return { run: (argv, program = {}) => runOne(argv, `${attempt + 1}/program/${++programs}`, program, signal) };
    },
    /** What the sandbox refused, in sentences. */
    refusals,
    close: async () => (await isolation?.catch(() => null))?.runner.close(),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nothing(): void {
  // Events and lines of this loop are not shown.
}
