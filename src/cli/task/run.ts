/** `ralph task run`: a task's loop in a terminal. */
import { existsSync, lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_AGENT } from '../../agents/index.ts';
import { readEnvironment } from '../../config/environment.ts';
import { EXIT_CODES } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { orProblem } from '../../engine/loop-plan.ts';
import { whyNoReview } from '../../engine/reviewer.ts';
import { resumeCommand } from '../../loops/tasks/closing.ts';
import { dependenciesOf, writeDependencies } from '../../loops/tasks/folder/dependencies.ts';
import { isStoppedForGood, readTaskPrompt } from '../../loops/tasks/folder/signals.ts';
import type { TaskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { checkWorkFolder, makeFolder, taskFile } from '../../loops/tasks/folder/task-folder.ts';
import { keepPrompt } from '../../loops/tasks/jobs/job-spec.ts';
import { runTask } from '../../loops/tasks/loop.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { resolveTaskSandbox } from '../../loops/tasks/sandbox.ts';
import { realPath } from '../../process/files.ts';
import { sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { removeEntry } from '../../state/held-folder.ts';
import { reviewFrom } from '../program/flags/review.ts';
import { termOptions } from '../program/flags/terms.ts';
import { hostedTask } from './console.ts';
import { showDryRun } from './dry-run.ts';
import { isRefused } from './preflight.ts';
import { givenPrompt } from './prompt.ts';
import { agentFlagsOf, type Program, requestOf, reviewOf, type TaskRunFlags } from './request.ts';
import { placeOf, usage } from './terminal.ts';

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
    const hint = `To continue, run: ${resumeCommand(place)}`;
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
  // All of them are checked like the agent itself, and the sandbox is for them, too.
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
  // If a loop is running, this one is refused in a moment, and must not change the task before that.
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

/** TASK.md is the task: the next resume would mix up two tasks in one folder. */
function refuseOtherPrompt({ folder, task }: TaskPlace, prompt: string): void {
  const path = taskFile.prompt(folder);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined || readTaskPrompt(folder, false) === prompt) return;
  const hint = 'To replace it, add --replace-prompt. To continue with it, leave out --prompt.';
  throw usage(`task ${task} already has a prompt: ${path}`, hint);
}
