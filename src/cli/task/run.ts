/** `ralph task run` and `ralph task resume`: a task's loop in a terminal. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { withModel } from '../../agents/installed.ts';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { defined } from '../../core/defined.ts';
import { canContinue, EXIT_CODES } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import type { OnBlocked } from '../../core/rules.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { orProblem } from '../../engine/loop-plan.ts';
import { type ReviewSpec, reviewTerms, whyNoReview } from '../../engine/reviewer.ts';
import { taskFlags } from '../../loops/tasks/agent-environment.ts';
import { dependenciesOf, writeDependencies } from '../../loops/tasks/folder/dependencies.ts';
import { isStoppedForGood, readTaskPrompt } from '../../loops/tasks/folder/signals.ts';
import type { ScopeFlags, TaskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { checkWorkFolder, makeFolder, taskFile } from '../../loops/tasks/folder/task-folder.ts';
import { keepPrompt } from '../../loops/tasks/jobs/job-spec.ts';
import { resumeTask, runTask, type TaskOptions } from '../../loops/tasks/loop.ts';
import { post } from '../../loops/tasks/post.ts';
import { NEW_TASK, type TaskRequest } from '../../loops/tasks/rules.ts';
import { isLooping, type LastLoop, lastLoop } from '../../loops/tasks/runs/liveness.ts';
import { type ResolvedSandbox, resolveTaskSandbox, taskPaths } from '../../loops/tasks/sandbox.ts';
import { realPath } from '../../process/files.ts';
import { readOnce, readToEnd } from '../../process/read-once.ts';
import { type SandboxFlags, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { removeEntry } from '../../state/held-folder.ts';
import { TERM_NAMES, type TermFlags, termOptions } from '../arguments.ts';
import { type ReviewFlags, reviewFrom } from '../run/review-flags.ts';
import type { OutputFlags } from '../terminal/live-output.ts';
import { handleCancel } from '../terminal/signals.ts';
import { hostedTask } from './console.ts';
import { isRefused } from './preflight.ts';
import { placeOf, usage } from './terminal.ts';

/** Durations in milliseconds; 0 for an idle or total timeout is none. */
export interface TaskRunFlags extends OutputFlags, SandboxFlags, ScopeFlags, TermFlags, ReviewFlags {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly agent?: string;
  readonly agentFlag?: readonly string[];
  readonly model?: string;
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
  readonly detach?: boolean;
  readonly onBlocked?: OnBlocked;
}

/** So often a resumed task is started again whose attempts were used up, unless told otherwise. */
const RESUMED_RESTARTS = 3;

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Which program this is. */
export type Program = Pick<TaskOptions, 'self'>;

export async function taskRunCommand(flags: TaskRunFlags, program: Program): Promise<number> {
  const environment = readEnvironment();
  const place = placeOf(flags, environment, true);
  const prompt = await givenPrompt(flags);
  if (flags.detach === true && flags.dryRun !== true) {
    const { promptFile: file } = flags;
    const { detach } = await import('../terminal/detach.ts');
    return detach(file === undefined || prompt === null ? undefined : { text: prompt, file });
  }
  if (prompt === null && flags.replacePrompt === true) {
    throw usage('--replace-prompt replaces nothing by itself', 'Give --prompt or --prompt-file, too.');
  }
  if (prompt !== null && flags.replacePrompt !== true) refuseOtherPrompt(place, prompt);
  if (isStoppedForGood(place.folder)) {
    const hint = `To continue, run: ralph task resume --project ${place.project} --task ${place.task}`;
    throw usage(`task ${place.task} was stopped with --no-restart`, hint);
  }
  // A new task cannot have a TASK.md yet.
  if (prompt === null && flags.task === undefined) {
    const hint = 'Give --prompt or --prompt-file, or name a task that has a TASK.md with --task.';
    throw usage('TASK.md not found and no prompt provided', hint);
  }
  const dependsOn = dependenciesOf(place, flags.dependsOn);
  if (prompt === null && !existsSync(taskFile.done(place.folder))) readTaskPrompt(place.folder, false);
  const { agent = DEFAULT_AGENT } = flags;
  const cwd = resolve(flags.cwd ?? '.');
  checkWorkFolder(cwd);
  const agentFlags = agentFlagsOf(agent, flags);
  const { review } = reviewFrom(flags);
  const unreviewable = review === undefined ? null : whyNoReview(cwd, resolve(place.folder));
  if (unreviewable !== null) throw unreviewable;
  // All of them are looked at, as the agent itself is, and the sandbox is for them, too.
  const fallbacks = [...(flags.fallback ?? []), ...(review === undefined ? [] : [review])];
  const asked = { cwd, agent, folder: place.folder, flags: agentFlags, fallbacks };
  const wanted = sandboxFromFlags(flags);
  const resolved = await orProblem(resolveTaskSandbox(wanted, asked, environment));
  const noSandbox = resolved instanceof RalphError ? resolved : null;
  if (flags.dryRun === true) {
    if (resolved instanceof RalphError) throw resolved;
    const terms = reviewOf(review, { agent, flags: agentFlags, sandbox: resolved.sandbox });
    await showDryRun(
      { ...asked, ...resolved, ...terms, agents: [agent, ...fallbacks.map((other) => other.agent)] },
      prompt ?? readTaskPrompt(place.folder, false),
      environment,
    );
    return 0;
  }
  const sandbox = resolved instanceof RalphError ? wanted : resolved.sandbox;
  const looked = { ...asked, sandbox, fallbacks: flags.fallback ?? [], reviewer: review?.agent };
  if (isRefused(looked, environment, noSandbox)) return EXIT_CODES.configuration;
  if (resolved instanceof RalphError) throw resolved;
  if (flags.task === undefined) process.stderr.write(`task: ${place.task}\n`);
  makeFolder(place.folder);
  const folder = realPath(place.folder);
  if (flags.dependsOn !== undefined) writeDependencies(folder, dependsOn);
  // A loop that runs is refused in a moment, and must not be given another task before that.
  if (prompt !== null && !isLooping(folder, environment.root)) {
    if (flags.replacePrompt === true) removeEntry(taskFile.prompt(folder));
    keepPrompt(folder, prompt);
  }
  const { sandbox: had } = resolved;
  const terms = reviewOf(review, { agent, flags: agentFlags, sandbox: had });
  const request = requestOf({ ...place, folder }, flags, { dependsOn, isResumed: false, ...resolved, ...terms });
  return hostedTask('task', { environment, ...program }, flags, (options) =>
    runTask(request, { ...options, ...termOptions(flags) }),
  );
}

export async function taskResumeCommand(flags: TaskRunFlags, program: Program): Promise<number> {
  if (flags.detach === true) return (await import('../terminal/detach.ts')).detach();
  const environment = readEnvironment();
  const hosting = { environment, ...program };
  const place = placeOf(flags, environment, false);
  if (isMissing(place.folder)) throw usage(`task directory not found: ${place.folder}`);
  const folder = realPath(place.folder);
  if (isMissing(taskFile.prompt(folder))) throw usage(`TASK.md not found in task directory ${folder}`);
  process.stderr.write(`Resuming task: ${place.task}\n`);
  const last = lastLoop(environment.root, folder);
  const { project: _project, task: _task, root: _root, quiet: _quiet, json: _json, maxRestarts, ...changes } = flags;
  const terms = termOptions(flags);
  // What it waits for can be answered; other changes need a loop of their own.
  const { answer, ...others } = changes;
  const isAnswer = answer !== undefined && last?.question != null;
  const isChanged = Object.keys(isAnswer ? others : changes).some((name) => !TERM_NAMES.has(name));
  const answers = newAnswers(flags, last);
  const change = {
    dependsOn: dependenciesOf(place),
    isResumed: true,
    ...answersOf(answers, last),
    ...memoryOf(folder, last, environment),
  };
  // A task that stopped to wait, or was stopped, goes on as often as it was allowed to.
  const isCutShort = last?.ending?.kind === 'waiting' || last?.ending?.kind === 'stopped';
  const limited = { ...flags, maxRestarts: maxRestarts ?? (isCutShort ? last.maxRestarts : RESUMED_RESTARTS) };
  const request = requestOf({ ...place, folder }, limited, change, last?.request);
  const kept = last?.request.sandbox;
  const reviewers = request.review === undefined ? [] : [{ agent: request.review.by.command, model: null }];
  const fallbacks = [...(flags.fallback ?? []), ...reviewers];
  const own = { fallbacks: flags.fallback ?? [], reviewer: request.review?.by.command };
  const looked = { ...request, sandbox: kept ?? null, ...own };
  if (isRefused(looked, environment, null)) return EXIT_CODES.configuration;
  const isUnbroken =
    last !== null && (last.ending === null || (last.ending.kind === 'stopped' && canContinue(last.ending)));
  if (isUnbroken && !isChanged) {
    return hostedTask('task', hosting, flags, (options) =>
      resumeTask(last.id, folder, { ...options, ...terms, ...defined({ maxRestarts, answer: answer?.trim() }) }),
    );
  }
  checkWorkFolder(request.cwd);
  // As it was, wherever the agent works now; where that is not known, as a new task would have it.
  const resolved = await resolveTaskSandbox(kept ?? null, { ...request, fallbacks }, environment, kept !== undefined);
  for (const answer of answers) await post(request, 'USER', answer);
  return hostedTask('task', hosting, flags, (options) =>
    runTask({ ...request, ...resolved }, { ...options, ...terms }),
  );
}

/** Each run begins without a memory: it is told everything that was answered before, too. */
function answersOf(given: readonly string[], last: LastLoop | null): Pick<TaskRequest, 'answers'> {
  const question = last?.ending?.kind === 'waiting' ? last.ending.reason : (last?.question ?? null);
  const answers = [...(last?.request.answers ?? []), ...given.map((answer) => ({ question, answer }))];
  return answers.length === 0 ? {} : { answers };
}

/** The same files are not reviewed again for the same task; another TASK.md is another task. */
function memoryOf(folder: string, last: LastLoop | null, { mask }: Environment): Pick<TaskRequest, 'reviewed'> {
  if (last === null || last.prompt !== mask(readTaskPrompt(folder, false))) return {};
  const { verdicts, findings } = last.reviews;
  return verdicts.length === 0 && findings === null ? {} : { reviewed: { verdicts, findings } };
}

/** By `ralph answer` or `ralph tell` while no loop was there to hear it, and now. */
function newAnswers({ answer }: TaskRunFlags, last: LastLoop | null): string[] {
  if (answer?.trim() === '') throw usage('--answer is empty');
  const kept = last?.ending === null ? [] : (last?.unheard ?? []);
  return [...kept.map(({ text }) => text), ...(answer === undefined ? [] : [answer.trim()])];
}

/** Read once: a pipe gives nothing a second time. What is empty is a mistake, not TASK.md. */
export async function givenPrompt({ prompt, promptFile }: TaskRunFlags): Promise<string | null> {
  if (prompt !== undefined && promptFile !== undefined) throw usage('cannot specify both --prompt and --prompt-file');
  const text = promptFile === undefined ? prompt : await readPrompt(promptFile);
  if (text?.trim() === '') throw usage(`the prompt is empty${promptFile === undefined ? '' : `: ${promptFile}`}`);
  return text?.trim() ?? null;
}

async function readPrompt(file: string): Promise<string> {
  const { cancel, release } = handleCancel(() => undefined);
  try {
    return STDIN.has(file) ? await readToEnd(process.stdin, 'stdin', cancel) : await readOnce(file, cancel);
  } catch (error) {
    if (cancel.aborted) throw new RalphError('STOPPED', 'stopped before the prompt was read', { exitCode: 130 });
    if (error instanceof RalphError) throw error;
    throw usage(`cannot read prompt file ${file}: ${reasonOf(error)}`);
  } finally {
    release();
  }
}

/** TASK.md is the task: two tasks in one folder would be mixed up by the next resume. */
function refuseOtherPrompt({ folder, task }: TaskPlace, prompt: string): void {
  const path = taskFile.prompt(folder);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined || readTaskPrompt(folder, false) === prompt) return;
  const hint = 'To replace it, add --replace-prompt. To continue with it, leave out --prompt.';
  throw usage(`task ${task} already has a prompt: ${path}`, hint);
}

function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

type StartedTask = Pick<TaskRequest, 'agent' | 'flags' | 'cwd' | 'folder' | 'review'> &
  ResolvedSandbox & { readonly agents: readonly string[] };

/** What would be started, and in which sandbox; nothing is started and nothing is written. */
async function showDryRun(
  task: StartedTask,
  prompt: string,
  { root, mask, variables: env }: Environment,
): Promise<void> {
  const { commandLines, reviewerLines, sandboxLines } = await import('../terminal/dry-run-lines.ts');
  const { agent: command, flags, cwd, folder, sandbox, noSandbox, agents, review } = task;
  const wantsStdin = sandbox.kind !== 'docker';
  const options = { prompt, cwd, env, wantsStdin, isEnclosed: sandbox.kind !== 'none' };
  const place = { cwd, env, stateRoot: root.path, agents };
  const lines = [
    `Task folder: ${folder}\nWork tree: ${cwd}`,
    ...commandLines({ command, flags, mode: 'stream' }, options),
    ...(review === undefined ? [] : reviewerLines(review.by, options)),
    ...(await sandboxLines(sandbox, place, taskPaths(folder))),
    ...(noSandbox === undefined ? [] : [`No sandbox: ${noSandbox}`]),
    `\nTask:\n${prompt}`,
    '\nDry run: nothing was started.',
  ];
  for (const line of lines) process.stdout.write(`${mask(line)}\n`);
}

/** What the agent is started with: the flags given for it, and those of every task. */
export function agentFlagsOf(agent: string, { agentFlag = [], model }: TaskRunFlags): readonly string[] {
  const hint = 'Give the flag itself: --agent-flag=…';
  return taskFlags(agent, model === undefined ? agentFlag : withModel(agent, agentFlag, model, hint));
}

/** It works unattended, as the task's own agent does. */
function reviewOf(
  review: ReviewSpec | undefined,
  { agent: command, flags, sandbox }: Pick<TaskRequest, 'agent' | 'flags'> & Pick<ResolvedSandbox, 'sandbox'>,
): Pick<TaskRequest, 'review'> {
  if (review === undefined) return {};
  const flagsOf = (other: string): string[] => taskFlags(other, []);
  return { review: reviewTerms(review, { own: { command, flags }, flagsOf, isEnclosed: sandbox.kind !== 'none' }) };
}

/** What the flags leave open is as it was the last time. */
function requestOf(
  { folder, project, task }: TaskPlace,
  flags: TaskRunFlags,
  given: Pick<TaskRequest, 'dependsOn' | 'isResumed' | 'answers' | 'sandbox' | 'noSandbox' | 'review' | 'reviewed'>,
  last: Partial<TaskRequest> = {},
): TaskRequest {
  const before = { ...NEW_TASK, agent: DEFAULT_AGENT, ...last };
  const agent = flags.agent ?? before.agent;
  const isSameAgent = [flags.agent, flags.agentFlag, flags.model].every((flag) => flag === undefined);
  const whose = { folder, project, task, bus: taskFile.bus(folder) };
  return {
    ...NEW_TASK,
    ...defined({ review: last.review }),
    ...given,
    ...whose,
    agent,
    flags: (isSameAgent ? last.flags : undefined) ?? agentFlagsOf(agent, flags),
    // Read from TASK.md, so that an edit counts, and so that a resume means the same.
    prompt: null,
    cwd: flags.cwd === undefined && last.cwd !== undefined ? last.cwd : resolve(flags.cwd ?? '.'),
    maxRestarts: flags.maxRestarts ?? before.maxRestarts,
    restartDelayMs: flags.restartDelay ?? before.restartDelayMs,
    waitTimeoutMs: flags.childWaitTimeout || before.waitTimeoutMs,
    pollIntervalMs: flags.childPollInterval || before.pollIntervalMs,
    // 0 is none.
    idleTimeoutMs: flags.timeout === undefined ? before.idleTimeoutMs : flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout === undefined ? before.totalTimeoutMs : flags.totalTimeout || null,
    dependencyPollMs: flags.dependencyPollInterval || before.dependencyPollMs,
    graceMs: flags.grace ?? before.graceMs,
    ...defined({ onBlocked: flags.onBlocked ?? before.onBlocked }),
  };
}
