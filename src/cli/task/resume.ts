/** `ralph task resume`: continues a task, in its last loop or in a new one. */
import { statSync } from 'node:fs';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { defined } from '../../core/defined.ts';
import { canContinue, EXIT_CODES } from '../../core/ending.ts';
import { dependenciesOf } from '../../loops/tasks/folder/dependencies.ts';
import { readTaskPrompt } from '../../loops/tasks/folder/signals.ts';
import { checkWorkFolder, taskFile } from '../../loops/tasks/folder/task-folder.ts';
import { resumeTask, runTask } from '../../loops/tasks/loop.ts';
import { post } from '../../loops/tasks/post.ts';
import type { TaskRequest } from '../../loops/tasks/request.ts';
import { type LastLoop, lastLoop } from '../../loops/tasks/runs/liveness.ts';
import { resolveTaskSandbox } from '../../loops/tasks/sandbox.ts';
import { realPath } from '../../process/files.ts';
import { TERM_NAMES, termOptions } from '../program/flags/terms.ts';
import { hostedTask } from './console.ts';
import { isRefused } from './preflight.ts';
import { type Program, requestOf, type TaskRunFlags } from './request.ts';
import { placeOf, usage } from './terminal.ts';

/** The attempts of a resumed task that had used up its own, unless a flag says otherwise. */
const RESUMED_RESTARTS = 3;

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
  // The loop can take an answer to its question; other changes need a new loop.
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
  // A task that stopped to wait, or was stopped, keeps its number of attempts.
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
  // The sandbox is as it was, wherever the agent works now; if that is not known, as for a new task.
  const resolved = await resolveTaskSandbox(kept ?? null, { ...request, fallbacks }, environment, kept !== undefined);
  for (const answer of answers) await post(request, 'USER', answer);
  return hostedTask('task', hosting, flags, (options) =>
    runTask({ ...request, ...resolved }, { ...options, ...terms }),
  );
}

/** Each run starts without a memory, so it also gets all earlier answers. */
function answersOf(given: readonly string[], last: LastLoop | null): Pick<TaskRequest, 'answers'> {
  const question = last?.ending?.kind === 'waiting' ? last.ending.reason : (last?.question ?? null);
  const answers = [...(last?.request.answers ?? []), ...given.map((answer) => ({ question, answer }))];
  return answers.length === 0 ? {} : { answers };
}

/** The same files are not reviewed again for the same task. A changed TASK.md is another task. */
function memoryOf(folder: string, last: LastLoop | null, { mask }: Environment): Pick<TaskRequest, 'reviewed'> {
  if (last === null || last.prompt !== mask(readTaskPrompt(folder, false))) return {};
  const { verdicts, findings } = last.reviews;
  return verdicts.length === 0 && findings === null ? {} : { reviewed: { verdicts, findings } };
}

/** Answers from `ralph answer` or `ralph tell` while no loop was running, and the one that is given now. */
function newAnswers({ answer }: TaskRunFlags, last: LastLoop | null): string[] {
  if (answer?.trim() === '') throw usage('--answer is empty');
  const kept = last?.ending === null ? [] : (last?.unheard ?? []);
  return [...kept.map(({ text }) => text), ...(answer === undefined ? [] : [answer.trim()])];
}

function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}
