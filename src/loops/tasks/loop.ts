/** Composes a task's loop: its rules, its folder and the performers of this machine around one machine. */
import { join } from 'node:path';
import { adapterFor } from '../../agents/find.ts';
import { askVersion } from '../../agents/survey.ts';
import { identifySelf } from '../../bus/lock.ts';
import type { Environment } from '../../config/environment.ts';
import type { WorkState } from '../../core/closing-summary.ts';
import { loopMachine } from '../../core/machine.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { systemFault } from '../../core/system-fault.ts';
import { type Driven, drive } from '../../engine/drive.ts';
import type { LoopEvent } from '../../engine/events.ts';
import { createLoop, type LoopHome, type OpenLoop, reopenLoop } from '../../engine/loop.ts';
import { endOrphans } from '../../engine/orphans.ts';
import type { Perform } from '../../engine/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers.ts';
import type { Readiness } from '../../process/follow.ts';
import { type Host, thisHost } from '../../process/host.ts';
import { findProgram } from '../../process/which.ts';
import type { Runner } from '../../runners/runner.ts';
import { workState } from '../../scm/work-state.ts';
import { newLoopId } from '../../state/loop-id.ts';
import { loopFolder, loopLock } from '../../state/paths.ts';
import { busSize } from './folder/bus-size.ts';
import { blockedBy } from './folder/dependencies.ts';
import { consumeSignals, type RunSpan } from './folder/wait-signals.ts';
import { checkWorkFolder } from './folder/work-folder.ts';
import { taskInputsReader, wholeInputs } from './inputs.ts';
import { endDeadJobs } from './jobs/dead-jobs.ts';
import { openJobBroker } from './jobs/job-broker.ts';
import { busOptions, type Say, sayEnding, voiceOn } from './post.ts';
import { type TaskData, type TaskRequest, taskRules } from './rules.ts';
import { markLeft } from './runs/children.ts';
import { taskRunArtifacts } from './runs/run-artifacts.ts';
import { lastSpan } from './runs/run-memo.ts';
import { isolateTask, type TaskIsolation } from './sandbox.ts';
import { taskSteps } from './steps.ts';
import { makeTools } from './tools.ts';

export interface TaskOptions {
  readonly environment: Environment;
  readonly release: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  readonly emit: (event: LoopEvent<TaskData>) => void;
  /** What is said about the loop besides its events. */
  readonly tell: (line: string) => void;
  readonly ready?: Readiness;
  /** Ends what runs and comes back; the loop stays unfinished and can be resumed. */
  readonly cancel: AbortSignal;
  /** Gets what is there at the end, however the loop was left. */
  readonly left?: (state: LoopState<TaskData>, work: WorkState) => void;
}

export const taskMachine = loopMachine(taskRules);

export async function runTask(request: TaskRequest, options: TaskOptions): Promise<Driven> {
  const { environment, release } = options;
  checkWorkFolder(request.cwd);
  // A mistake shows before anything is made.
  taskInputsReader(request, request.maxRestarts, () => null)(null);
  const host = thisHost(environment.variables, environment.containment);
  const now = Date.now();
  const id = newLoopId(now);
  const created = {
    id,
    loopKind: request.kind,
    cwd: request.folder,
    release,
    options: request,
  };
  const loop = createLoop(taskMachine, created, now, homeOf(environment, host, request, id));
  const clearUp = async (): Promise<void> => {
    if (request.kind === 'job') return;
    await endOrphans(environment.root, { cwd: request.folder, loopKind: 'task', except: id }, request.graceMs);
    // We hold the task's lock: nobody else sees to a run of its own.
    await markLeft(request.folder, ({ parentRunId }) => parentRunId === undefined, now);
    consumeSignals(request.folder);
  };
  return turn(loop, host, request.maxRestarts, options, clearUp);
}

/** Goes on with a loop that was cut off. */
export async function resumeTask(
  { id, folder }: { readonly id: string; readonly folder: string },
  change: { readonly maxRestarts: number | null },
  options: TaskOptions,
): Promise<Driven> {
  const { environment } = options;
  const host = thisHost(environment.variables, environment.containment);
  const loop = reopenLoop(
    taskMachine,
    id,
    folder,
    { root: environment.root, place: host.place, mask: host.mask },
    wholeInputs,
  );
  const { request, inputs } = loop.state.data;
  const maxRestarts = change.maxRestarts ?? inputs?.maxRestarts ?? request.maxRestarts;
  return turn(loop, host, maxRestarts, options, async () => consumeSignals(folder));
}

/** `clearUp` takes away what earlier loops left, before the first turn. */
async function turn(
  loop: OpenLoop<TaskData>,
  host: Host,
  maxRestarts: number,
  options: TaskOptions,
  clearUp: () => Promise<void>,
): Promise<Driven> {
  const { environment, tell, ready, cancel } = options;
  const { request } = loop.state.data;
  const endDead = () => endDeadJobs(environment.root, request.folder, host.place, request.graceMs);
  let isolation: TaskIsolation | null = null;
  const env = (): NodeJS.ProcessEnv => (isolation?.host ?? host).env;
  const brokerSetting = { loop: loop.folder, self: options.self, env, environment, request };
  const desk = openJobBroker({ ...brokerSetting, endDeadJobs: endDead });
  const resume = `ralph task resume --project ${request.project} --task ${request.task}`;
  const self = identifySelf();
  const say = voiceOn(request, tell, { self, ...busOptions(request) });
  let version: ReturnType<typeof askVersion> | null = null;
  let last = loop.state;
  const emit = (event: LoopEvent<TaskData>): void => {
    if (event.type === 'record') last = event.state;
    options.emit(event);
  };
  try {
    const tools = makeTools(loop.folder, options.self);
    await clearUp();
    const place = { loop: { id: loop.state.id, folder: loop.folder }, stateRoot: environment.root.path };
    isolation = await isolateTask(request, { ...place, host, self: options.self });
    if (!isOver(loop.state)) for (const line of isolationLines(request, isolation)) tell(line);
    const { runner, outputs } = isolation;
    version = askedVersion(request, isolation.host);
    const artifacts = taskRunArtifacts({
      request,
      loop: loop.folder,
      env: host.env,
      mask: host.mask,
      tools,
      desk: desk.open,
      outputs,
      hasTools: !isInMachine(request),
      say,
      self,
      agentVersion: version?.known ?? unknownVersion,
      now: Date.now,
    });
    const hands = { host: isolation.host, runner, maxRestarts, artifacts, desk, endDead, say };
    const perform = performers(loop, hands, options);
    const eyes = ready === undefined ? {} : { ready };
    const wasOver = isOver(loop.state);
    const driven = await drive(taskMachine, loop, {
      perform,
      now: Date.now,
      emit,
      stop: cancel,
      cancel,
      resume,
      ...eyes,
    });
    if (driven.kind === 'ended' && !wasOver) await sayEnding(driven.ending, host.mask, say);
    options.left?.(last, await workState(request.cwd, isolation.host, join(loop.folder, 'refused-looks')));
    return driven;
  } catch (error) {
    throw systemFault(error, { resume }) ?? error;
  } finally {
    version?.close();
    desk.close();
    await isolation?.runner.close();
    loop.close();
  }
}

function isolationLines({ noSandbox }: TaskRequest, { says }: TaskIsolation): string[] {
  return noSandbox === undefined ? [says] : [`No sandbox: ${noSandbox}`, says];
}

/** Asked outside of a sandbox, and so not of a program that an agent could have written, nor of one in a machine. */
function askedVersion(request: TaskRequest, { env, enclosure }: Host): ReturnType<typeof askVersion> | null {
  const { agent, cwd } = request;
  const program = findProgram(agent, env.PATH, cwd);
  if (isInMachine(request) || program === null || enclosure?.mayWrite(program) === true) return null;
  return askVersion(adapterFor(agent), agent, env, cwd);
}

function unknownVersion(): string {
  return '';
}

/** Which has neither this program nor the environment that it is started in. */
function isInMachine({ sandbox }: TaskRequest): boolean {
  return sandbox?.kind === 'docker';
}

interface Performers {
  readonly host: Host;
  readonly runner: Runner;
  readonly maxRestarts: number;
  readonly artifacts: ReturnType<typeof taskRunArtifacts>;
  readonly desk: ReturnType<typeof openJobBroker>;
  readonly endDead: () => Promise<void>;
  readonly say: Say;
}

function performers(loop: OpenLoop<TaskData>, hands: Performers, { tell }: TaskOptions): Perform {
  const { request } = loop.state.data;
  const { host, runner, maxRestarts, artifacts, desk, endDead, say } = hands;
  const local = {
    loop: { id: loop.state.id, folder: loop.folder },
    cwd: request.cwd,
    host,
    runner,
    grace: request.graceMs,
    now: Date.now,
    artifacts,
    // Docker hands no stdin on.
    promptsOnStdin: !isInMachine(request),
    choosingHint: 'name another with --agent.',
  };
  const steps = {
    bus: request.bus,
    project: request.project,
    task: request.task,
    folder: request.folder,
    lastRun: () => lastSpan(loop.folder),
    startAskedJobs: desk.serve,
    endDeadJobs: endDead,
    blockedBy: (dependsOn: readonly string[]) => blockedBy(rootOf(request), request.project, dependsOn),
    say,
    tell,
  };
  const read = taskInputsReader(request, maxRestarts, lastRunSince(loop.folder, request.bus));
  return performerOf({ ...localPerformers(local), readInputs: ({ known }) => read(known), steps: taskSteps(steps) });
}

/** What was said on the bus before this start is taken back by it, as the files are. */
function lastRunSince(loop: string, bus: string): () => RunSpan | null {
  const start = busSize(bus);
  return () => {
    const last = lastSpan(loop);
    return last === null ? null : { ...last, busOffset: Math.max(last.busOffset, start) };
  };
}

/** Jobs of one task run beside each other; a task's own loop only once. */
function homeOf({ root }: Environment, { place, mask }: Host, request: TaskRequest, id: string): LoopHome {
  const stopWith = `ralph task stop --project ${request.project} --task ${request.task}`;
  const home = { root, place, mask, stopWith };
  return request.kind === 'task'
    ? home
    : { ...home, exclusive: { what: `for ${request.task}`, lock: loopLock(loopFolder(root, id)) } };
}

function rootOf({ folder }: TaskRequest): string {
  return `${folder}/../..`;
}
