/** Begins, reopens and supervises a worker's loop: connects its rules and inputs with its tmux window. */
import { createHash } from 'node:crypto';
import { devNull } from 'node:os';
import { readEnvironment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing/closing-summary.ts';
import { defined } from '../../../core/defined.ts';
import type { Ending } from '../../../core/ending.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Result } from '../../../core/record.ts';
import { faultMessage, reasonOf, systemFault } from '../../../core/system-fault.ts';
import type { Instant } from '../../../core/time.ts';
import { wantedOf } from '../../../engine/control.ts';
import type { Driven, DriveOptions } from '../../../engine/drive.ts';
import { beginLoop, type Closing, type HostOptions, hostLoop, hostOf, type LoopWorld } from '../../../engine/host.ts';
import { continueLoop, type LoopHome, type OpenLoop, reopenLoop } from '../../../engine/loop.ts';
import type { Perform, Performed } from '../../../engine/performers/perform.ts';
import { performerOf } from '../../../engine/performers/performers.ts';
import { waitFor } from '../../../engine/wait.ts';
import { readPlainText } from '../../../process/files.ts';
import { forgetOsSandbox } from '../../../runners/os-sandbox.ts';
import { readWorkState } from '../../../scm/git.ts';
import { loopFolder, loopLock, newLoopId } from '../../../state/paths.ts';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { workerContainment } from '../../../tmux/worker-mark.ts';
import { sandboxMetadata } from '../workers/record.ts';
import { updateWorker } from '../workers/registry.ts';
import type { WorkerSandbox } from '../workers/sandbox.ts';
import { type Swarm, workerFiles } from '../workers/swarm.ts';
import { changeStateFile, editedInputs, keepPreviousFiles, pointTo, ralphStateOf, readStateFile } from './files.ts';
import { findRalph } from './find.ts';
import { awaitInPane, type PaneRuns, startInPane } from './pane-run.ts';
import { editable, type RalphData, type RalphInputs, type RalphRequest, ralphMachine } from './rules.ts';

export interface Supervising extends DriveOptions<RalphData>, Pick<HostOptions<RalphData>, 'left'> {
  /** Writes the state file from what is known now. */
  project(): void;
}

export interface RalphLoop extends OpenLoop<RalphData> {
  readonly iterationStartedAt: Instant;
}

export function createRalph(swarm: Swarm, request: RalphRequest, cwd: string): RalphLoop {
  const now = Date.now();
  const id = newLoopId(now);
  const created = { id, loopKind: 'swarm', cwd, options: request };
  const loop = beginLoop(ralphMachine, created, ralphHome(swarm, id, request.name));
  keepPreviousFiles(request.home, request.name);
  pointTo(request.home, request.name, id);
  const begin = ralphStateOf(loop.state, { createdAt: now, iterationStartedAt: now, wanted: 'run' });
  changeStateFile({ home: request.home, name: request.name, warn: swarm.warn }, () => begin);
  return { ...loop, iterationStartedAt: now };
}

/** Null if the worker has no loop. Throws if a supervisor already runs it. */
export function reopenRalph(swarm: Swarm, name: string): RalphLoop | null {
  const found = findRalph(swarm, name);
  if (found === null) return null;
  const again = (request: RalphRequest): unknown =>
    inputsReader(swarm, { request, inputs: null }, () => wantedOf(found.folder) !== 'stop')(null).inputs;
  const loop = reopenLoop(ralphMachine, found.id, found.cwd, ralphHome(swarm, found.id, name), again);
  return { ...loop, iterationStartedAt: found.iterationStartedAt };
}

/** Cancels the ending of a loop, so that its next supervisor continues it. */
export function continueRalph(swarm: Swarm, name: string): void {
  const loop = reopenRalph(swarm, name);
  if (loop === null) return;
  try {
    continueLoop(ralphMachine, loop);
  } finally {
    loop.close();
  }
}

/** Without its prompt file, this returns a configuration problem for the user to fix, but the loop is not over. */
export async function supervise(swarm: Swarm, loop: RalphLoop, options: Supervising): Promise<Driven> {
  const { state, folder } = loop;
  const { request } = state.data;
  const { project, ...driving } = options;
  const record = recordFollowing(swarm, request);
  const giveUp = new AbortController();
  let problem: Ending | null = null;
  /** Records the problem in the journal and stops. Once the prompt file is back, the loop can be resumed. */
  const gaveUp = (error: unknown): Performed => {
    if (!(error instanceof RalphError) || error.code !== PROMPT_PROBLEM) throw error;
    problem = { kind: 'configuration', reason: error.message, ...defined({ hint: error.advice.hint }) };
    giveUp.abort();
    return { result: { kind: 'interrupted', reason: error.message }, attempt: 1 };
  };
  let { iteration } = state;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    closing.add(project);
    const sandbox = sandboxFor(swarm, loop);
    const perform = performersOf(swarm, loop, sandbox, () => iteration);
    project();
    return {
      perform: (action, at) => perform(action, at).catch(gaveUp),
      work: () => workOf(swarm, loop, sandbox),
      snapshots: { cwd: state.cwd, env: swarm.env, tell: (line) => swarm.warn(`swarm: warning: ${line}`) },
      after(driven) {
        // Only once the loop has ended: otherwise the next supervisor may adopt an agent that still needs the sandbox.
        if (driven.kind === 'ended' && request.sandbox?.kind === 'os') closing.add(() => forgetOsSandbox(folder));
      },
    };
  };
  const hosted = { machine: ralphMachine, resume: `swarm ralph resume ${request.name}`, open };
  try {
    const emit: Supervising['emit'] = (event) => {
      if (event.type !== 'progress') ({ iteration } = event.state);
      options.emit(event);
      if (event.type === 'record' && event.record.result.kind === 'started') record.follow(iteration);
    };
    const stop = AbortSignal.any([options.stop, giveUp.signal]);
    const driven = await hostLoop(loop, hosted, { ...driving, environment: readEnvironment(swarm.env), emit, stop });
    return problem === null ? driven : { kind: 'ended', ending: problem };
  } finally {
    await record.isWritten();
  }
}

/** Updates the worker's record, which is only for lists: if that fails, the loop continues. */
function recordFollowing(swarm: Swarm, { name, sandbox = null }: RalphRequest) {
  let written: Promise<void> = Promise.resolve();
  const cannotFollow = (error: unknown): void => {
    if (!(error instanceof RalphError) && systemFault(error) === null) throw error;
    swarm.warn(`swarm: warning: the record of worker '${name}' is behind: ${faultMessage(error)}`);
  };
  return {
    follow(iteration: number): void {
      const metadata = { ralph: true, ralph_iteration: iteration, ...sandboxMetadata(sandbox) };
      written = written.then(() => updateWorker(swarm, name, { status: 'running', metadata })).catch(cannotFollow);
    },
    isWritten: () => written,
  };
}

/** With a sandbox, git runs inside: the agent can make it run programs by what it writes into the repository. */
async function workOf({ env }: Swarm, { state }: RalphLoop, sandbox: PaneRuns['sandbox']): Promise<WorkState> {
  const { kind = 'none' } = state.data.request.sandbox ?? {};
  if (kind === 'docker') return { kind: 'unknown', reason: 'git is not asked outside of the sandbox.' };
  try {
    const enclose = (await sandbox())?.enclose;
    return await readWorkState({ cwd: state.cwd, env, enclose });
  } catch (error) {
    if (error instanceof RalphError) return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

function performersOf(swarm: Swarm, loop: RalphLoop, sandbox: PaneRuns['sandbox'], iteration: () => number): Perform {
  const { state, folder } = loop;
  const { request } = state.data;
  const runs: PaneRuns = {
    loop: { id: state.id, folder },
    request,
    windowFolder: workerFiles(swarm.home, request.name).window,
    cwd: state.cwd,
    host: hostOf(readEnvironment(swarm.env)),
    containment: workerContainment(swarm.containment),
    sandbox,
  };
  // A loop that starts no more agents needs no prompt, so the prompt file may be gone.
  const needsPrompt = (limit: number) => iteration() <= limit && wantedOf(folder) !== 'stop';
  const readInputs = inputsReader(swarm, state.data, needsPrompt);
  return performerOf({
    readInputs: ({ known }) => readInputs(known),
    start: (action) => startInPane(runs, action),
    await: (action, at) => awaitInPane(runs, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: folder, signal }),
  });
}

/** Opens the sandbox for the first run that needs it: a loop that is only stopped needs none. */
function sandboxFor(swarm: Swarm, { state, folder }: RalphLoop): PaneRuns['sandbox'] {
  const { name, command: argv, env, sandbox = null } = state.data.request;
  let opened: Promise<WorkerSandbox | null> | null = null;
  const open = async (): Promise<WorkerSandbox | null> => {
    if (sandbox === null) return null;
    const { openWorkerSandbox } = await import('../workers/sandbox.ts');
    const enclosed = { name, loop: { id: state.id, folder }, cwd: state.cwd, argv, env, hasTerminal: true };
    const box = await openWorkerSandbox(swarm, sandbox, enclosed);
    if (box !== null) swarm.say(box.says);
    return box;
  };
  return () => (opened ??= open());
}

function ralphHome({ env }: Swarm, id: string, name: string): LoopHome {
  const environment = readEnvironment(env);
  const exclusive = { what: `for ${name}`, lock: loopLock(loopFolder(environment.root, id)) };
  return { ...environment, exclusive };
}

/** Reads what people can edit while the loop runs: the prompt file, and three values of the state file. */
function inputsReader({ warn }: Swarm, data: RalphData, needsPrompt: (limit: number) => boolean) {
  const { request } = data;
  let last = editable(data);
  return (known: string | null): Extract<Result, { kind: 'inputs' }> => {
    const edited = editedInputs(readStateFile(request.home, request.name), last);
    const { done_pattern } = edited;
    const isReadable = done_pattern === null || done_pattern === last.done_pattern || isDonePattern(done_pattern);
    if (!isReadable) warn(`swarm: warning: done_pattern is not a valid pattern: ${done_pattern}`);
    last = isReadable ? edited : { ...edited, done_pattern: last.done_pattern };
    const prompt = needsPrompt(last.max_iterations) ? readPromptFile(request.promptFile) : '';
    const inputs: RalphInputs = { prompt, ...last };
    const digest = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
    return digest === known ? { kind: 'inputs', digest } : { kind: 'inputs', digest, inputs };
  };
}

function isDonePattern(pattern: string): boolean {
  try {
    parseDonePattern(pattern);
    return true;
  } catch {
    // The caller only needs to know that it is invalid.
    return false;
  }
}

const PROMPT_PROBLEM = 'PROMPT_FILE';

/** `shown`: the path as the user gave it. */
export function readPromptFile(path: string, shown = path): string {
  try {
    return path === devNull ? '' : readPlainText(path);
  } catch (error) {
    const isMissing = errnoOf(error) === 'ENOENT';
    const message = `${isMissing ? 'prompt file not found' : 'cannot read prompt file'}: ${shown}`;
    // The seed prescribes the message, so the reason goes into the hint.
    throw new RalphError(PROMPT_PROBLEM, message, { exitCode: 1, ...(isMissing ? {} : { hint: reasonOf(error) }) });
  }
}
