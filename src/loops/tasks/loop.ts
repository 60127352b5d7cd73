/** Begins, resumes and hosts a task's loop: connects its rules and its folder with the performers of this machine. */
import { askVersion } from '../../agents/command.ts';
import { profileFor } from '../../agents/index.ts';
import { defined } from '../../core/defined.ts';
import { isOver } from '../../core/state.ts';
import { sendCommand } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import { refuseOutsiders, termsWith } from '../../engine/fallbacks.ts';
import { beginLoop, type Hosted, type HostOptions, hostLoop, hostOf, resumeLoop } from '../../engine/host.ts';
import type { OpenLoop } from '../../engine/loop.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import { reviewDiff } from '../../engine/reviewer.ts';
import { keepWorkTree } from '../../engine/snapshots.ts';
import type { Host } from '../../process/host.ts';
import { findProgram } from '../../process/which.ts';
import { workState } from '../../scm/git.ts';
import { loopFolder, loopLock, newLoopId, refusedLooks } from '../../state/paths.ts';
import { makeTools, taskFlags } from './agent-environment.ts';
import { resumeCommand } from './closing.ts';
import { busSize, consumeSignals, taskInputsReader, wholeInputs } from './folder/signals.ts';
import { checkWorkFolder } from './folder/task-folder.ts';
import { endDeadJobs, openJobBroker } from './jobs/job-broker.ts';
import { sayEnding, voiceOn } from './post.ts';
import { isInMachine, type TaskRequest } from './request.ts';
import { taskMachine } from './rules.ts';
import { markLeft } from './runs/liveness.ts';
import { readAhead } from './runs/run-ahead.ts';
import { taskRunArtifacts } from './runs/run-artifacts.ts';
import { isolateTask, type TaskIsolation } from './sandbox.ts';
import { limitOf, type RunSpan, spanOf, type TaskData } from './state.ts';
import { taskSteps } from './steps.ts';

export interface TaskOptions extends Omit<HostOptions<TaskData>, 'self' | 'stop'> {
  readonly self: readonly [string, ...string[]];
}

export async function runTask(request: TaskRequest, options: TaskOptions): Promise<Driven> {
  const { environment } = options;
  checkWorkFolder(request.cwd);
  // Mistakes must show before anything is created.
  taskInputsReader(request, request.maxRestarts)(null, null);
  const host = hostOf(environment);
  const id = newLoopId(Date.now());
  const { project, task, kind, folder, parent } = request;
  const home = { ...environment, stopWith: `ralph task stop --project ${project} --task ${task}` };
  // Jobs of one task run in parallel, but its own loop can run only once.
  const exclusive = { what: `for ${task}`, lock: loopLock(loopFolder(environment.root, id)) };
  const terms = taskTerms(options, request);
  const created = {
    id,
    loopKind: kind,
    cwd: folder,
    options: request,
    ...defined({ parent, terms }),
  };
  const loop = beginLoop(taskMachine, created, kind === 'task' ? home : { ...home, exclusive });
  const clearUp = async (): Promise<void> => {
    if (kind === 'job') return;
    // We hold the task's lock, so no other supervisor has a run in progress.
    await markLeft(folder, ({ parentRunId }) => parentRunId === undefined, Date.now());
    consumeSignals(folder);
  };
  return hostTask(loop, host, request.maxRestarts, options, clearUp);
}

function taskTerms(options: TaskOptions, { agent: command, flags }: TaskRequest) {
  return termsWith(options, { command, flags }, (other) => taskFlags(other, []));
}

/** `maxRestarts`: as before, unless given. `answer`: to the question that the loop waits for. */
type ResumeOptions = TaskOptions & { readonly maxRestarts?: number; readonly answer?: string };

export async function resumeTask(id: string, folder: string, options: ResumeOptions): Promise<Driven> {
  const host = hostOf(options.environment);
  const { answer: text, maxRestarts } = options;
  const prepare = (opened: OpenLoop<TaskData>) => {
    const { state } = opened;
    const { request } = state.data;
    const others = [...(state.terms.fallbacks ?? []), ...(request.review === undefined ? [] : [request.review.by])];
    const known = [request.agent, ...others.map(({ command }) => command)];
    refuseOutsiders(request.sandbox?.kind, known, options.fallbacks);
    const terms = taskTerms(options, request);
    if (text !== undefined) sendCommand(opened.folder, { command: 'answer', text });
    // A loop without an ending continues as it was.
    return { terms, change: isOver(state) ? {} : null };
  };
  const resuming = { readAgain: wholeInputs, prepare };
  const { loop } = await resumeLoop(taskMachine, { id, cwd: folder }, options.environment, resuming);
  const limit = maxRestarts ?? limitOf(loop.state.data);
  return hostTask(loop, host, limit, options, async () => consumeSignals(folder));
}

/** `clearUp` removes what earlier loops left, before the first turn. */
function hostTask(
  loop: OpenLoop<TaskData>,
  host: Host,
  maxRestarts: number,
  options: TaskOptions,
  clearUp: () => Promise<void>,
): Promise<Driven> {
  const { environment, tell } = options;
  const { state, folder } = loop;
  const { request } = state.data;
  const { cwd, graceMs: grace } = request;
  const endDead = () => endDeadJobs(environment.root, request.folder, grace);
  const say = voiceOn(request, tell);
  const open: Hosted<TaskData>['open'] = async (closing) => {
    let isolation: TaskIsolation | null = null;
    const env = (): NodeJS.ProcessEnv => (isolation?.host ?? host).env;
    const broker = openJobBroker({ loop: folder, self: options.self, env, environment, request, endDead });
    closing.add(() => broker.close());
    const tools = makeTools(folder, options.self);
    await clearUp();
    const named = { id: state.id, folder };
    const stateRoot = environment.root.path;
    const { fallbacks = [] } = state.terms;
    const place = { loop: named, stateRoot, host, self: options.self, fallbacks, warn: tell };
    isolation = await isolateTask(request, place, closing);
    const { runner, outputs, host: inside } = isolation;
    if (!isOver(state)) {
      if (request.noSandbox !== undefined) tell(`No sandbox: ${request.noSandbox}`);
      tell(isolation.says);
    }
    const version = askedVersion(request, inside);
    closing.add(() => version?.close());
    const agentVersion = version?.known ?? (() => '');
    // For a run that the previous release started, no record has the span.
    const spanOr = (span: RunSpan | null): RunSpan | null => span ?? readAhead(folder);
    const previousRunId = spanOr(state.data.span)?.runId ?? request.previousRunId;
    const kept = { request, previousRunId, loop: folder, host, tools, broker: broker.open, outputs, say, agentVersion };
    const artifacts = taskRunArtifacts(kept);
    // Docker does not pass stdin on.
    const prompts = { promptsOnStdin: !isInMachine(request), choosingHint: 'name another with --agent.' };
    const local = { loop: named, cwd, host: inside, runner, grace, now: Date.now, artifacts, ...prompts };
    // A start cancels earlier signals on the bus, as it does with the files.
    const start = busSize(request.bus);
    const read = taskInputsReader(request, maxRestarts);
    const sinceStart = (last: RunSpan | null): RunSpan | null =>
      last === null ? null : { ...last, busOffset: Math.max(last.busOffset, start) };
    const jobs = { startAsked: broker.serve, endDead };
    const diff = reviewDiff(folder, inside.env);
    const snapshots = { cwd, env: inside.env, tell };
    const keepTree = (signal: AbortSignal) => keepWorkTree(folder, snapshots, signal);
    const own = taskSteps({ request, jobs, say, tell, mask: host.mask, diff, keepTree });
    const steps: typeof own = { ...own, look: (span, at) => own.look(spanOr(span), at) };
    return {
      perform: performerOf({
        ...localPerformers(local),
        readInputs: ({ known, given }) => read(known, sinceStart(spanOr(spanOf(given)))),
        steps,
      }),
      after: (driven) => (driven.kind === 'ended' && !isOver(state) ? sayEnding(driven.ending, host.mask, say) : null),
      work: () => workState(cwd, inside, refusedLooks(folder)),
      snapshots,
    };
  };
  const resume = resumeCommand(request);
  // Other jobs of the same task may run: they have their own supervisors.
  const orphans = request.kind === 'task' ? { orphans: { grace, loopKind: 'task' } } : {};
  return hostLoop(loop, { machine: taskMachine, resume, ...orphans, open }, { ...options, stop: options.cancel });
}

/** Runs outside of the sandbox, so not for a program that an agent can write to, nor for one in a Docker sandbox. */
function askedVersion(request: TaskRequest, { env, enclosure }: Host): ReturnType<typeof askVersion> | null {
  const { agent, cwd } = request;
  const program = findProgram(agent, env.PATH, cwd);
  if (isInMachine(request) || program === null || enclosure?.mayWrite(program) === true) return null;
  return askVersion(profileFor(agent), agent, env, cwd);
}
