/** Composes a worker's Ralph loop: its rules, its inputs and its window around one machine. */
import { readEnvironment } from '../../../config/environment.ts';
import type { WorkState } from '../../../core/closing-summary.ts';
import { RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { wantedOf } from '../../../engine/control.ts';
import type { Driven } from '../../../engine/drive.ts';
import { beginLoop, type Closing, homeOf, hostLoop, hostOf, type LoopWorld } from '../../../engine/host.ts';
import { continueLoop, type LoopHome, type OpenLoop, reopenLoop } from '../../../engine/loop.ts';
import type { Perform, Performed } from '../../../engine/performers/perform.ts';
import { performerOf } from '../../../engine/performers/performers.ts';
import { waitFor } from '../../../engine/performers/waiting.ts';
import { forgetOsSandbox } from '../../../runners/os-sandbox.ts';
import { gitIn, readWorkState } from '../../../scm/git.ts';
import { loopFolder, loopLock, newLoopId } from '../../../state/paths.ts';
import { openControl } from '../../../tmux/control.ts';
import { workerContainment } from '../../../tmux/worker-mark.ts';
import { windowFolder } from '../workers/home.ts';
import type { WorkerSandbox } from '../workers/sandbox.ts';
import type { Swarm } from '../workers/swarm.ts';
import { swarmConsole } from './console.ts';
import { findRalph } from './find.ts';
import { PROMPT_PROBLEM, ralphInputsReader } from './inputs.ts';
import { awaitInPane, type PaneRuns, startInPane } from './pane-run.ts';
import { pointTo } from './pointer.ts';
import { type RalphData, type RalphRequest, ralphMachine } from './rules.ts';
import { changeStateFile, keepPreviousFiles, ralphStateOf } from './state-file.ts';

export interface Supervising {
  /** Finish the agent that runs, then stop. */
  readonly stop: AbortSignal;
  /** Gets whether the work is committed, when the loop is left. */
  readonly left?: (work: WorkState) => void;
  /** The worker's record carries the number. */
  readonly onIteration: (iteration: number) => void;
}

export interface RalphLoop extends OpenLoop<RalphData> {
  /** Of the last iteration that was started. */
  readonly iterationStartedAt: Instant;
}

export function createRalph(swarm: Swarm, request: RalphRequest, cwd: string, release: string): RalphLoop {
  const now = Date.now();
  const id = newLoopId(now);
  const created = { id, loopKind: 'swarm', cwd, options: request };
  const loop = beginLoop(ralphMachine, created, { release }, ralphHome(swarm, id, request.name));
  keepPreviousFiles(request.home, request.name);
  pointTo(request.home, request.name, id);
  const begin = ralphStateOf(loop.state, { createdAt: now, iterationStartedAt: now, order: 'run' });
  changeStateFile({ home: request.home, name: request.name, warn: swarm.warn }, () => begin);
  return { ...loop, iterationStartedAt: now };
}

/** Null when the worker has no loop. Throws when it is turned already. */
export function reopenRalph(swarm: Swarm, name: string): RalphLoop | null {
  const found = findRalph(swarm, name);
  if (found === null) return null;
  const needsPrompt = () => wantedOf(found.folder) !== 'stop';
  const again = (request: RalphRequest): unknown =>
    ralphInputsReader({ request, before: null, needsPrompt, warn: swarm.warn })(null).inputs;
  const loop = reopenLoop(ralphMachine, found.id, found.cwd, ralphHome(swarm, found.id, name), again);
  return { ...loop, iterationStartedAt: found.iterationStartedAt };
}

/** Takes the ending of a loop back, so that its next supervisor continues it. */
export function continueRalph(swarm: Swarm, name: string): void {
  const loop = reopenRalph(swarm, name);
  if (loop === null) return;
  try {
    continueLoop(ralphMachine, loop);
  } finally {
    loop.close();
  }
}

export async function supervise(swarm: Swarm, loop: RalphLoop, options: Supervising): Promise<Driven> {
  const { state, folder } = loop;
  const { request } = state.data;
  const console = swarmConsole(swarm, loop, options.onIteration);
  const giveUp = new AbortController();
  let { iteration } = state;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    const { socket, session } = request;
    const control = openControl({ socket, session, env: swarm.env });
    closing.add(() => {
      control.close();
      console.project();
    });
    const sandbox = sandboxFor(swarm, loop);
    const perform = performersOf(swarm, loop, { control, sandbox, iteration: () => iteration });
    console.project();
    return {
      perform: (action, at) => perform(action, at).catch(gaveUp(giveUp)),
      work: () => workOf(swarm, loop, sandbox),
      after(driven) {
        // Not before the end: the next supervisor may adopt an agent that still needs it.
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
        console.show(event);
      },
      left: (_state, work) => options.left?.(work),
      stop: AbortSignal.any([options.stop, giveUp.signal]),
      cancel: NEVER,
    },
  );
  giveUp.signal.throwIfAborted();
  return driven;
}

/** The loop is not over: once the prompt file is back, it can be resumed. Until then its journal says what is wrong. */
function gaveUp(giveUp: AbortController): (error: unknown) => Performed {
  return (error) => {
    if (!(error instanceof RalphError) || error.code !== PROMPT_PROBLEM) throw error;
    giveUp.abort(error);
    return { result: { kind: 'interrupted', reason: error.message }, attempt: 1 };
  };
}

/** An agent in its window is never cut off by its supervisor's end: the next one adopts it. */
const NEVER = new AbortController().signal;

/** In a sandbox git is asked inside: what the agent wrote into the repository can make it run a program. */
async function workOf({ env }: Swarm, { state }: RalphLoop, sandbox: PaneRuns['sandbox']): Promise<WorkState> {
  const { kind = 'none' } = state.data.request.sandbox ?? {};
  if (kind === 'docker') return { kind: 'unknown', reason: 'git is not asked outside of the sandbox.' };
  try {
    const enclose = (await sandbox())?.enclose;
    return await readWorkState(gitIn(state.cwd, { ...env, LC_ALL: 'C' }, enclose));
  } catch (error) {
    if (error instanceof RalphError) return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

interface Performing extends Pick<PaneRuns, 'control' | 'sandbox'> {
  readonly iteration: () => number;
}

function performersOf(swarm: Swarm, loop: RalphLoop, { control, sandbox, iteration }: Performing): Perform {
  const { state, folder } = loop;
  const { request, inputs } = state.data;
  const runs: PaneRuns = {
    loop: { id: state.id, folder },
    request,
    windowFolder: windowFolder(swarm.home, request.name),
    cwd: state.cwd,
    host: hostOf(readEnvironment(swarm.env)),
    containment: workerContainment(swarm.containment),
    control,
    sandbox,
  };
  const needsPrompt = (limit: number) => iteration() <= limit && wantedOf(folder) !== 'stop';
  const readInputs = ralphInputsReader({ request, before: inputs, needsPrompt, warn: swarm.warn });
  return performerOf({
    readInputs: ({ known }) => readInputs(known),
    start: (action) => startInPane(runs, action),
    await: (action, at) => awaitInPane(runs, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: folder, signal }),
  });
}

/** Opened by the first run that needs it: a loop that is only told to stop makes none. */
function sandboxFor(swarm: Swarm, { state, folder }: RalphLoop): PaneRuns['sandbox'] {
  const { name, command: argv, env, sandbox = null } = state.data.request;
  const open = async (): Promise<WorkerSandbox | null> => {
    const { openWorkerSandbox } = await import('../workers/sandbox.ts');
    const enclosed = { name, loop: { id: state.id, folder }, cwd: state.cwd, argv, env, hasTerminal: true };
    const opened = await openWorkerSandbox(swarm, sandbox, enclosed);
    if (opened !== null) swarm.say(opened.says);
    return opened;
  };
  let opened: Promise<WorkerSandbox | null> | null = null;
  return () => {
    opened ??= sandbox === null ? Promise.resolve(null) : open();
    return opened;
  };
}

function ralphHome({ env }: Swarm, id: string, name: string): LoopHome {
  const environment = readEnvironment(env);
  const exclusive = { what: `for ${name}`, lock: loopLock(loopFolder(environment.root, id)) };
  return { ...homeOf(environment, hostOf(environment)), exclusive };
}
