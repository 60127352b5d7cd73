/** Composes a worker's Ralph loop: its rules, its inputs and its window around one machine. */
import { join } from 'node:path';
import type { Environment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing-summary.ts';
import { RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { wantedOf } from '../../../engine/control.ts';
import type { Driven } from '../../../engine/drive.ts';
import { beginLoop, type Closing, homeOf, hostLoop, hostOf, type LoopWorld } from '../../../engine/host.ts';
import { continueLoop, type LoopHome, type OpenLoop, reopenLoop } from '../../../engine/loop.ts';
import type { Perform, Performed } from '../../../engine/perform.ts';
import { performerOf } from '../../../engine/performers.ts';
import { waitFor } from '../../../engine/waiting.ts';
import { thisHost } from '../../../process/host.ts';
import { forgetOsSandbox } from '../../../runners/os-sandbox.ts';
import { gitIn } from '../../../scm/git.ts';
import { readWorkState } from '../../../scm/work-state.ts';
import { newLoopId } from '../../../state/loop-id.ts';
import { loopFolder, loopLock } from '../../../state/paths.ts';
import { openControl } from '../../../tmux/control.ts';
import { workerContainment } from '../../../tmux/worker-containment.ts';
import type { WorkerSandbox } from '../workers/sandbox.ts';
import { swarmConsole } from './console.ts';
import { findRalph } from './find.ts';
import { PROMPT_PROBLEM, ralphInputsReader } from './inputs.ts';
import { awaitInPane, type PaneRuns, startInPane } from './pane-run.ts';
import { pointTo } from './pointer.ts';
import { ralphStateOf } from './project.ts';
import { type RalphData, type RalphRequest, ralphMachine } from './rules.ts';
import { changeStateFile, putAsideRalphFiles } from './state-file.ts';

export interface Supervising {
  readonly environment: Environment;
  readonly release: string;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  /** Finish the agent that runs, then stop. */
  readonly stop: AbortSignal;
  /** The command line that starts this program; a sandbox needs it. */
  readonly self: readonly [string, ...string[]];
  /** Gets whether the work is committed, when the loop is left. */
  readonly left?: (work: WorkState) => void;
  /** The worker's record carries the number. */
  readonly onIteration: (iteration: number) => void;
}

export interface RalphLoop extends OpenLoop<RalphData> {
  /** Of the last iteration that was started. */
  readonly iterationStartedAt: Instant;
}

export function createRalph(
  request: RalphRequest,
  cwd: string,
  { environment, release, warn }: Pick<Supervising, 'environment' | 'release' | 'warn'>,
): RalphLoop {
  const now = Date.now();
  const id = newLoopId(now);
  const created = { id, loopKind: 'swarm', cwd, options: request };
  const loop = beginLoop(ralphMachine, created, { release }, ralphHome(environment, id, request.name));
  putAsideRalphFiles(request.home, request.name);
  pointTo(request.home, request.name, id);
  const begin = ralphStateOf(loop.state, { createdAt: now, iterationStartedAt: now, order: 'run' });
  changeStateFile({ home: request.home, name: request.name, warn }, () => begin);
  return { ...loop, iterationStartedAt: now };
}

/** Null when the worker has no loop. Throws when somebody turns it already. */
export function reopenRalph(
  home: string,
  name: string,
  { environment, warn }: Pick<Supervising, 'environment' | 'warn'>,
): RalphLoop | null {
  const found = findRalph(home, name, environment);
  if (found === null) return null;
  const again = (request: RalphRequest): unknown =>
    ralphInputsReader({
      request,
      before: null,
      needsPrompt: () => wantedOf(found.folder) !== 'stop',
      warn,
    })(null).inputs;
  const loop = reopenLoop(ralphMachine, found.id, found.cwd, ralphHome(environment, found.id, name), again);
  return { ...loop, iterationStartedAt: found.iterationStartedAt };
}

/** Takes the ending of a loop back, so that whoever turns it next continues it. */
export function continueRalph(home: string, name: string, context: Pick<Supervising, 'environment' | 'warn'>): void {
  const loop = reopenRalph(home, name, context);
  if (loop === null) return;
  try {
    continueLoop(ralphMachine, loop, undefined, Date.now());
  } finally {
    loop.close();
  }
}

export async function supervise(loop: RalphLoop, options: Supervising): Promise<Driven> {
  const { environment, say, stop, onIteration } = options;
  const { state, folder, createdAt, iterationStartedAt } = loop;
  const { request } = state.data;
  const order = () => wantedOf(folder);
  const console = swarmConsole(state, { createdAt, iterationStartedAt, say, order, now: Date.now, onIteration });
  const giveUp = new AbortController();
  let { iteration } = state;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    const { socket, session } = request;
    const env = environment.variables;
    const control = openControl({ socket, session, env });
    closing.add(() => {
      control.close();
      console.project();
    });
    const sandbox = sandboxFor(loop, options);
    const perform = performersOf(loop, { control, sandbox, iteration: () => iteration }, options);
    console.project();
    return {
      perform: (action, at) => perform(action, at).catch(gaveUp(giveUp)),
      work: () => workOf(loop, sandbox, environment),
      after(driven) {
        // Not before the end: whoever comes next may adopt an agent that still needs it.
        if (driven.kind === 'ended' && request.sandbox?.kind === 'os') closing.add(() => forgetOsSandbox(folder));
      },
    };
  };
  const resume = `swarm ralph resume ${request.name}`;
  const driven = await hostLoop(
    loop,
    { machine: ralphMachine, resume, open },
    {
      emit(event) {
        if (event.type !== 'progress') ({ iteration } = event.state);
        console.tell(event);
      },
      left: (_state, work) => options.left?.(work),
      stop: AbortSignal.any([stop, giveUp.signal]),
      cancel: NEVER,
    },
  );
  giveUp.signal.throwIfAborted();
  return driven;
}

/** The loop is not over: once the prompt file is back, it can be resumed. Until then its journal says what is wrong. */
function gaveUp(giveUp: AbortController): (error: unknown) => Performed {
  return (error) => {
    if (!isPromptProblem(error)) throw error;
    giveUp.abort(error);
    return { result: { kind: 'interrupted', reason: error.message }, attempt: 1 };
  };
}

function isPromptProblem(error: unknown): error is RalphError {
  return error instanceof RalphError && error.code === PROMPT_PROBLEM;
}

/** An agent in its window is never cut off by its supervisor's end: whoever comes next adopts it. */
const NEVER = new AbortController().signal;

/** In a sandbox git is asked inside: what the agent wrote into the repository can make it run a program. */
async function workOf(
  { state }: RalphLoop,
  sandbox: PaneRuns['sandbox'],
  { variables }: Environment,
): Promise<WorkState> {
  const { kind = 'none' } = state.data.request.sandbox ?? {};
  if (kind === 'docker') return { kind: 'unknown', reason: 'git is not asked outside of the sandbox.' };
  try {
    const enclose = (await sandbox())?.enclose;
    return await readWorkState(gitIn(state.cwd, { ...variables, LC_ALL: 'C' }, enclose));
  } catch (error) {
    if (error instanceof RalphError) return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

interface Performing extends Pick<PaneRuns, 'control' | 'sandbox'> {
  readonly iteration: () => number;
}

function performersOf(loop: RalphLoop, { control, sandbox, iteration }: Performing, options: Supervising): Perform {
  const { state, folder } = loop;
  const { environment, warn } = options;
  const { request, inputs } = state.data;
  const containment = workerContainment(environment.containment);
  const runs = {
    loop: { id: state.id, folder },
    request,
    cwd: state.cwd,
    host: hostOf(environment),
    containment,
    control,
    sandbox,
  };
  const readInputs = ralphInputsReader({
    request,
    before: inputs,
    needsPrompt: (limit) => iteration() <= limit && wantedOf(folder) !== 'stop',
    warn,
  });
  return performerOf({
    readInputs: ({ known }) => readInputs(known),
    start: (action) => startInPane(runs, action),
    await: (action, at) => awaitInPane(runs, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: folder, now: Date.now, signal }),
  });
}

/** Opened by the first run that needs it: a loop that is only told to stop makes none. */
function sandboxFor({ state, folder }: RalphLoop, options: Supervising): PaneRuns['sandbox'] {
  const { environment, self, say } = options;
  const { request } = state.data;
  const open = async (): Promise<WorkerSandbox | null> => {
    const { openWorkerSandbox } = await import('../workers/sandbox.ts');
    const { containment, variables, root } = environment;
    const host = thisHost({ ...variables, ...request.env }, containment);
    const where = { id: state.id, folder, cwd: state.cwd, argv: request.command, home: { path: request.home } };
    const place = { ...where, hasTerminal: true, stateRoot: root.path, host, self };
    const opened = await openWorkerSandbox(request.sandbox ?? null, place);
    if (opened !== null) say(opened.says);
    return opened;
  };
  let opened: Promise<WorkerSandbox | null> | null = null;
  return () => {
    opened ??= (request.sandbox ?? null) === null ? Promise.resolve(null) : open();
    return opened;
  };
}

function ralphHome(environment: Environment, id: string, name: string): LoopHome {
  const exclusive = { what: `for ${name}`, lock: loopLock(loopFolder(environment.root, id)) };
  return { ...homeOf(environment, hostOf(environment)), exclusive };
}

export function supervisorLog(home: string, name: string): string {
  return join(home, 'logs', `${name}.ralph.log`);
}
