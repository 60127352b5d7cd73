/** `ralph task run` and `ralph task resume`: a task's loop in a terminal. */
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { refuseForRoot } from '../../agents/unstartable.ts';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { EXIT_CODES } from '../../core/ending.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { taskFlags } from '../../loops/tasks/agent-environment.ts';
import {
  checkAreThere,
  checkNoCycle,
  normaliseDependencies,
  readDependencies,
  writeDependencies,
} from '../../loops/tasks/folder/dependencies.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { isStoppedForGood } from '../../loops/tasks/folder/signals.ts';
import {
  checkWorkFolder,
  newTaskId,
  type TaskPlace,
  taskFile,
  taskPlace,
} from '../../loops/tasks/folder/task-folder.ts';
import { readTaskPrompt } from '../../loops/tasks/inputs.ts';
import { keepPrompt } from '../../loops/tasks/jobs/job-spec.ts';
import { type LastLoop, lastLoop } from '../../loops/tasks/last-loop.ts';
import { resumeTask, runTask, type TaskOptions } from '../../loops/tasks/loop.ts';
import { busOptions, post } from '../../loops/tasks/post.ts';
import { TASK_DEFAULTS, type TaskRequest } from '../../loops/tasks/rules.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { makeFolder } from '../../loops/tasks/runs/run-folder.ts';
import { keepTaskSandbox, type ResolvedSandbox, resolveTaskSandbox } from '../../loops/tasks/sandbox.ts';
import { readOnce, readToEnd } from '../../process/read-once.ts';
import { findProgram, whyNoProgram } from '../../process/which.ts';
import { type SandboxFlags, type SandboxRequest, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { removeEntry } from '../../state/remove-entry.ts';
import { handleCancel } from '../signals.ts';
import { hostedTask } from './in-terminal.ts';

/** Durations in milliseconds; 0 for an idle or total timeout is none. */
export interface TaskRunFlags extends SandboxFlags {
  readonly project?: string;
  readonly task?: string;
  readonly root?: string;
  readonly agent?: string;
  readonly agentFlag?: readonly string[];
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly replacePrompt?: boolean;
  readonly answer?: string;
  readonly cwd?: string;
  readonly maxRestarts?: number;
  readonly restartDelay?: number;
  readonly childWaitTimeout?: number;
  readonly childPollInterval?: number;
  readonly timeout?: number;
  readonly totalTimeout?: number;
  readonly grace?: number;
  readonly dependsOn?: readonly string[];
  readonly dependencyPollInterval?: number;
  readonly dryRun?: boolean;
}

/** So often a resumed task is started again whose attempts were used up, unless told otherwise. */
const RESUMED_RESTARTS = 3;

export async function taskRunCommand(flags: TaskRunFlags, release: string, self: TaskOptions['self']): Promise<number> {
  const environment = readEnvironment();
  const place = placeOf(flags, environment, { makesTask: true });
  const prompt = await givenPrompt(flags);
  if (prompt === null && flags.replacePrompt === true) {
    throw wrong('--replace-prompt replaces nothing by itself', 'Give --prompt or --prompt-file, too.');
  }
  if (prompt !== null && flags.replacePrompt !== true) refuseOtherPrompt(place, prompt);
  if (isStoppedForGood(place.folder)) {
    throw wrong(`task ${place.task} was stopped with --no-restart`, `To continue, run: ${resumeOf(place)}`);
  }
  // A new task has a name that nobody can have written a TASK.md for.
  if (prompt === null && flags.task === undefined) {
    const hint = 'Give --prompt or --prompt-file, or name a task that has a TASK.md by --task.';
    throw wrong('TASK.md not found and no prompt provided', hint);
  }
  const dependsOn = dependenciesOf(place, flags.dependsOn);
  if (prompt === null && !existsSync(taskFile.done(place.folder))) readTaskPrompt(place.folder, false);
  const { agent = DEFAULT_AGENT } = flags;
  const cwd = resolve(flags.cwd ?? '.');
  checkWorkFolder(cwd);
  const inSandbox = { cwd, agent, folder: place.folder };
  const settled = await resolveTaskSandbox(sandboxFromFlags(flags), inSandbox, environment);
  if (flags.dryRun === true) {
    const asked = prompt ?? readTaskPrompt(place.folder, false);
    const { taskDryRun } = await import('./dry-run.ts');
    return taskDryRun(
      { ...inSandbox, ...settled, flags: taskFlags(agent, flags.agentFlag ?? []), prompt: asked },
      environment,
    );
  }
  if (!canStart(flags, environment, settled.sandbox)) return EXIT_CODES.configuration;
  if (flags.task === undefined) process.stderr.write(`task: ${place.task}\n`);
  makeFolder(place.folder);
  const folder = realpathSync(place.folder);
  if (flags.dependsOn !== undefined) writeDependencies(folder, dependsOn);
  // A loop that runs is refused in a moment, and must not be given another task before that.
  if (prompt !== null && !isLooping(folder, environment.root)) {
    if (flags.replacePrompt === true) removeEntry(taskFile.prompt(folder));
    keepPrompt(folder, prompt);
  }
  const request = requestOf({ ...place, folder }, flags, {
    // Read from TASK.md, so that an edit counts, and so that a resume means the same.
    prompt: null,
    dependsOn,
    isResumed: false,
    ...settled,
  });
  const turned = { environment, release, self };
  return hostedTask('task', turned, (options) => runTask(request, options));
}

export async function taskResumeCommand(
  flags: TaskRunFlags,
  release: string,
  self: TaskOptions['self'],
): Promise<number> {
  const environment = readEnvironment();
  const place = placeOf(flags, environment, { makesTask: false });
  if (isMissing(place.folder)) throw wrong(`task directory not found: ${place.folder}`);
  const folder = realpathSync(place.folder);
  if (isMissing(taskFile.prompt(folder))) throw wrong(`TASK.md not found in task directory ${folder}`);
  process.stderr.write(`Resuming task: ${place.task}\n`);
  const last = lastLoop(environment.root, folder);
  const { project: _project, task: _task, root: _root, maxRestarts, ...changes } = flags;
  const isChanged = Object.keys(changes).length > 0;
  const answers = answersOf(flags, last);
  const change = { prompt: null, dependsOn: dependenciesOf(place, undefined), isResumed: true, ...answers };
  const limited = { ...flags, maxRestarts: maxRestarts ?? restartsAfter(last) };
  const request = requestOf({ ...place, folder }, limited, change, last?.request);
  const turned = { environment, release, self };
  if (last?.ending === null && !isChanged) {
    const goOn = { maxRestarts: maxRestarts ?? null };
    return hostedTask('task', turned, (options) => resumeTask({ id: last.id, folder }, goOn, options));
  }
  checkWorkFolder(request.cwd);
  const settled = await resolvedAgain(last?.request.sandbox, request, environment);
  if (flags.answer !== undefined) await post(request, 'USER', flags.answer.trim(), undefined, busOptions(request));
  return hostedTask('task', turned, (options) => runTask({ ...request, ...settled }, options));
}

/** A task that stopped to wait, or was stopped, goes on as often as it was allowed to. */
function restartsAfter(last: LastLoop | null): number {
  const isCutShort = last?.ending?.kind === 'waiting' || last?.ending?.kind === 'stopped';
  return isCutShort ? (last?.maxRestarts ?? RESUMED_RESTARTS) : RESUMED_RESTARTS;
}

/** Each run begins without a memory: it is told everything that was answered before, too. */
function answersOf({ answer }: TaskRunFlags, last: LastLoop | null): Pick<TaskRequest, 'answers'> {
  const before = last?.request.answers ?? [];
  if (answer === undefined) return before.length === 0 ? {} : { answers: before };
  if (answer.trim() === '') throw wrong('--answer is empty');
  const question = last?.ending?.kind === 'waiting' ? last.ending.reason : null;
  return { answers: [...before, { question, answer: answer.trim() }] };
}

/** TASK.md is the task: two tasks in one folder would be mixed up by the next resume. */
function refuseOtherPrompt({ folder, task }: TaskPlace, prompt: string): void {
  const path = taskFile.prompt(folder);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (readTaskPrompt(folder, false) === prompt) return;
  throw wrong(
    `task ${task} already has a prompt: ${path}`,
    'To replace it, add --replace-prompt. To continue with it, leave out --prompt.',
  );
}

/** Whatever else keeps us from it is told as it is. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return true;
  }
}

/** As it was, wherever the agent works now; where nobody remembers, as a new task would have it. */
function resolvedAgain(
  kept: SandboxRequest | undefined,
  request: TaskRequest,
  environment: Environment,
): Promise<ResolvedSandbox> {
  return kept === undefined
    ? resolveTaskSandbox(null, request, environment)
    : keepTaskSandbox(kept, request, environment);
}

/** An agent that cannot be started is told before a folder is made for its task. */
function canStart(
  { agent = DEFAULT_AGENT, agentFlag = [], cwd = '.' }: TaskRunFlags,
  { variables }: Environment,
  { kind }: SandboxRequest,
): boolean {
  const asksNobody = taskFlags(agent, agentFlag).some((flag) => /bypassPermissions|skip-permissions/.test(flag));
  // In a sandbox it is told that it is in one.
  if (asksNobody && kind === 'none') refuseForRoot(agent, process.getuid?.() === 0, variables);
  if (findProgram(agent, variables.PATH, resolve(cwd)) !== null) return true;
  const hint = agent.includes(' ')
    ? 'A flag for the agent is given by --agent-flag.'
    : 'Install it, or name another with --agent. To see what is installed: ralph agents';
  const instead = whyNoProgram(agent, variables.PATH, resolve(cwd));
  const reason = instead === null ? `agent command not found: ${agent}` : `agent command cannot be run: ${instead}`;
  process.stderr.write(`Fatal error: ${reason}\nhint: ${hint}\n`);
  return false;
}

/** The project and the task that are meant, by the flags or by where we are. */
export function placeOf(
  flags: Pick<TaskRunFlags, 'project' | 'task' | 'root'>,
  { variables }: Environment,
  { makesTask }: { readonly makesTask: boolean },
): TaskPlace {
  const { root, project, task } = scopeOf(flags, variables, process.cwd());
  if (project === null) throw wrong('--project is required', 'For example: --project my-project');
  // A new task each time, unless one is named: that of the run that we are in is not meant.
  const meant = makesTask ? (flags.task ?? newTaskId(new Date())) : task;
  if (meant === null) throw wrong('--task is required', `To see them: ralph task list --project ${project}`);
  return taskPlace(root, project, meant);
}

/** What the flags leave open is as it was the last time. */
function requestOf(
  { folder, project, task }: TaskPlace,
  flags: TaskRunFlags,
  given: Pick<TaskRequest, 'prompt' | 'dependsOn' | 'isResumed' | 'answers' | 'sandbox' | 'noSandbox'>,
  last: Partial<TaskRequest> = {},
): TaskRequest {
  const before = { ...TASK_DEFAULTS, agent: DEFAULT_AGENT, idleTimeoutMs: null, totalTimeoutMs: null, ...last };
  const agent = flags.agent ?? before.agent;
  const isSameAgent = flags.agent === undefined && flags.agentFlag === undefined;
  return {
    ...given,
    kind: 'task',
    folder,
    project,
    task,
    bus: taskFile.bus(folder),
    agent,
    flags: (isSameAgent ? last.flags : undefined) ?? taskFlags(agent, flags.agentFlag ?? []),
    cwd: flags.cwd === undefined && last.cwd !== undefined ? last.cwd : resolve(flags.cwd ?? '.'),
    parentRunId: null,
    previousRunId: null,
    runId: null,
    maxRestarts: flags.maxRestarts ?? before.maxRestarts,
    restartDelayMs: flags.restartDelay ?? before.restartDelayMs,
    waitTimeoutMs: flags.childWaitTimeout || before.waitTimeoutMs,
    pollIntervalMs: flags.childPollInterval || before.pollIntervalMs,
    // 0 is none.
    idleTimeoutMs: flags.timeout === undefined ? before.idleTimeoutMs : flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout === undefined ? before.totalTimeoutMs : flags.totalTimeout || null,
    dependencyPollMs: flags.dependencyPollInterval || before.dependencyPollMs,
    graceMs: flags.grace ?? before.graceMs,
  };
}

/** Read once: a pipe has nothing for whoever reads it again. What is empty is a mistake, not TASK.md. */
export async function givenPrompt({
  prompt,
  promptFile,
}: Pick<TaskRunFlags, 'prompt' | 'promptFile'>): Promise<string | null> {
  if (prompt !== undefined && promptFile !== undefined) throw wrong('cannot specify both --prompt and --prompt-file');
  const text = promptFile === undefined ? prompt : await readPrompt(promptFile);
  if (text?.trim() === '') throw wrong(`the prompt is empty${promptFile === undefined ? '' : `: ${promptFile}`}`);
  return text?.trim() ?? null;
}

async function readPrompt(file: string): Promise<string> {
  const { cancel, release } = handleCancel(() => undefined);
  try {
    return STDIN.has(file) ? await readToEnd(process.stdin, 'stdin', cancel) : await readOnce(file, cancel);
  } catch (error) {
    if (cancel.aborted) throw new RalphError('STOPPED', 'stopped before the prompt was read', { exitCode: 130 });
    if (error instanceof RalphError) throw error;
    throw wrong(`cannot read prompt file ${file}: ${reasonOf(error)}`);
  } finally {
    release();
  }
}

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Those that are given are kept for later starts; without any, those that were kept hold. */
function dependenciesOf({ root, project, task, folder }: TaskPlace, given: readonly string[] | undefined): string[] {
  const dependsOn = given === undefined ? readDependencies(folder) : normaliseDependencies(task, given);
  checkNoCycle(root, project, task, dependsOn);
  checkAreThere(root, project, dependsOn);
  return dependsOn;
}

function resumeOf({ project, task }: Pick<TaskRequest, 'project' | 'task'>): string {
  return `ralph task resume --project ${project} --task ${task}`;
}

export function wrong(message: string, hint?: string): RalphError {
  return new RalphError('TASK', message, { ...(hint === undefined ? {} : { hint }), exitCode: 2 });
}
