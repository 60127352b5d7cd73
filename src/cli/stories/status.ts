/** `ralph stories status` and `check`: the stories, the loop and what is left; what the Stop hook would say now. */
import { join, resolve } from 'node:path';
import { describeOutcome } from '../../core/check.ts';
import { describeLeft } from '../../core/closing/closing-summary.ts';
import { canContinue, type Ending } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { startedIterations } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { wantedOf } from '../../engine/control.ts';
import { continueCommand } from '../../loops/stories/closing.ts';
import { copiesIn } from '../../loops/stories/files/copies.ts';
import { awaitsAnswer, DECIDE_FILE } from '../../loops/stories/files/messages.ts';
import { type KnownLoop, knownLoop, livingMarker, markerIn } from '../../loops/stories/find-loop.ts';
import { verifyCommandsIn, waitingReason } from '../../loops/stories/inputs.ts';
import type { ReadMarker } from '../../loops/stories/list/active-file.ts';
import { DEFAULT_REVIEW_CAP, isLeftBehind, MARKER_NAME } from '../../loops/stories/list/active-file.ts';
import { isCapApproval } from '../../loops/stories/list/allowed-changes.ts';
import { judgeAgainst, uncommitted, unreachableStories } from '../../loops/stories/list/judge.ts';
import { chooseMode, estimateBudget, isComplete } from '../../loops/stories/list/mode.ts';
import { newlyPassing, readTasks, snapshotOf, type TasksFile } from '../../loops/stories/list/tasks.ts';
import type { CommandProject } from '../../loops/stories/project.ts';
import { readPlain } from '../../process/files.ts';
import { lockHolder } from '../../state/lock.ts';
import { type StateRoot, workTreeLock } from '../../state/paths.ts';
import { printable } from '../../stream/printable.ts';
import { inOneCell, tableLines } from '../terminal/table.ts';
import { type CommandFlags, listedProjectOf, type ReadOnlyTree, withReadOnlyTree } from './project.ts';
import type { Program } from './run.ts';

export async function statusCommand({ json = false, ...flags }: CommandFlags): Promise<number> {
  const survey = surveyStories(listedProjectOf(flags));
  const text = json ? JSON.stringify(survey, null, 2) : statusLines(survey).map(printable).join('\n');
  process.stdout.write(`${text}\n`);
  return survey.problem === null ? 0 : 1;
}

export function statusLines(survey: Survey): string[] {
  const { project, stories, problem, verify, loop } = survey;
  const loopLine = loop === null ? 'Loop: none yet' : `Loop: ${loopWords(loop)}`;
  if (problem !== null) return [problem, loopLine];
  const complete = `Stories: ${stories.filter(isCounted).length}/${stories.length} complete`;
  const head = linesOf(!!project && `Project: ${inOneCell(project)}`, ...storyTable(stories), '');
  return [...head, complete, leftLine(survey), verifyLine(verify), loopLine];
}

function leftLine({ stories, isComplete, next, budget, verify }: Survey): string {
  if (isComplete) return 'All stories are complete.';
  if (next !== null)
    return next.waits === null ? `Next: ${next.mode} ${next.story}; ${budget}` : `Next: nothing, because ${next.waits}`;
  const waiting = stories.filter(({ state }) => state === 'unverified').map(({ id }) => id);
  if (waiting.length > 0) return `Next: the loop's own verdict on ${waiting.join(', ')}`;
  const red = verify.last?.red.map(({ command }) => command).join(', ') ?? '';
  return `Not done: every story is approved, but ${red} failed. To verify again, run: ralph stories run`;
}

function verifyLine({ commands, isOn, last }: Survey['verify']): string {
  if (commands.length === 0) return 'Verify: nothing, tasks.json has no verifyCommands';
  if (!isOn) return `Verify: not run by the last loop (--no-verify): ${commands.join(', ')}`;
  if (last === null) return `Verify: not run yet: ${commands.join(', ')}`;
  if (last.red.length === 0) return `Verify: passed in iteration ${last.iteration}: ${last.commands.join(', ')}`;
  const failed = last.red.map(({ command, outcome, log }) => `${command} (${describeOutcome(outcome)}, log ${log})`);
  return `Verify: failed in iteration ${last.iteration}: ${failed.join(', ')}`;
}

export function isCounted({ state }: SurveyedStory): boolean {
  return state === 'approved' || state === 'passes';
}

export function storyTable(stories: readonly SurveyedStory[]): string[] {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, state, reviewCount, isCapApproval }) => [
    id,
    state === 'unverified' ? 'approved, not verified' : state,
    `${reviewCount}${isCapApproval ? ' (cap)' : ''}`,
    title,
  ]);
  return tableLines(['STORY', 'STATE', 'REVIEWS', 'TITLE'], rows);
}

function loopWords(loop: NonNullable<Survey['loop']>): string {
  const { id, state, pid, iteration, ending, started, continueWith } = loop;
  if (id === null) return `${MARKER_NAME} says that one runs here, with another state folder or another program`;
  const at = iteration === null ? '' : `, iteration ${iteration}`;
  const goOn = continueWith === null ? '' : `; to continue, run: ${continueWith}`;
  const words = {
    running: `running (pid ${pid}${at})`,
    pausing: `pausing after this iteration (pid ${pid}${at})`,
    paused: `paused (pid ${pid}${at})${goOn}`,
    interrupted: `interrupted${at}${goOn}`,
    ended: `${ending === null ? 'ended' : endingWords(ending, started ?? iteration ?? 0)}${goOn}`,
  };
  return words[state];
}

function endingWords(ending: Ending, started: number): string {
  const { outcome } = describeLeft(ending, started);
  const words = `${outcome.charAt(0).toLowerCase()}${outcome.slice(1)}`;
  return 'reason' in ending && ending.reason !== undefined ? `${words} (${inOneCell(ending.reason)})` : words;
}

export type Survey = ReturnType<typeof surveyStories>;
export type SurveyedStory = Survey['stories'][number];

/** The state of a stories loop, for people and programs: the list, the loop, what is left to do. */
export function surveyStories(project: CommandProject) {
  const { cwd, ralphDir, folder, environment } = project;
  const known = knownLoop(environment.root, cwd);
  const skipReview = markerIn(cwd)?.skipReview ?? known?.request?.skipReview ?? false;
  const text = readPlain(join(folder, 'tasks.json'));
  const read = readTasks(text, `${ralphDir}/tasks.json`);
  const { tasks } = read.isValid ? read : { tasks: null };
  const unverified = unverifiedIn(known, tasks);
  const last = known?.state?.data.verified ?? null;
  const isRed = last !== null && last.red.length > 0;
  const isPassed = tasks !== null && isComplete(tasks, { skipReview });
  const open = isPassed ? null : tasks;
  return {
    project: tasks?.project ?? null,
    stories: (tasks?.userStories ?? []).map((one) => ({
      id: one.id,
      title: one.title,
      // `unverified`: an agent wrote that it passes, but the loop has not judged or verified that yet.
      state: unverified.includes(one.id) ? 'unverified' : (one.reviewStatus ?? (one.passes ? 'passes' : 'open')),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one),
    })),
    problem: read.isValid ? null : (read.problems[0] ?? ''),
    isComplete: isPassed && !isRed && unverified.length === 0,
    next: open && nextIn(open, skipReview, project, known?.status.ending ?? null),
    budget: open && estimateBudget(open, { skipReview }),
    verify: { commands: verifyCommandsIn(text), isOn: known?.request?.verify !== false, last },
    loop: loopIn(cwd, known, environment.root),
  };
}

function nextIn(tasks: TasksFile, skipReview: boolean, project: CommandProject, ending: Ending | null) {
  const { mode, story } = chooseMode(tasks, { skipReview });
  const { ralphDir } = project;
  const waits = story === null ? waitingReason(tasks, ralphDir) : null;
  const asked = `${ralphDir}/${DECIDE_FILE} waits for your answer`;
  return { mode, story: story?.id ?? null, waits: awaitsAnswer(project, ending) ? asked : waits };
}

/** The stories that pass in the list now, but did not when the current, unjudged iteration began. */
function unverifiedIn(known: KnownLoop | null, tasks: TasksFile | null): readonly string[] {
  const running = known?.status.ending === null ? known.state?.data.running : null;
  if (known === null || running == null || tasks === null) return [];
  try {
    const before = readTasks(copiesIn(known.folder).text(running.tasks));
    return before.isValid ? newlyPassing(snapshotOf(before.tasks), tasks) : [];
  } catch (error) {
    if (error instanceof RalphError && error.code === 'COPY_CHANGED') return [];
    throw error;
  }
}

/** `id` and `pid` are null if only the marker shows the loop: one of another program, or with another state folder. */
function loopIn(cwd: string, known: KnownLoop | null, root: StateRoot) {
  const isMarked = livingMarker(cwd) !== null;
  if (known === null && !isMarked) return null;
  if (known === null || (known.status.ending !== null && isMarked)) {
    const state = 'running' as const;
    return { id: null, state, pid: null, iteration: null, ending: null, started: null, continueWith: null };
  }
  const { status, state: folded } = known;
  const { id, ending } = status;
  const holder = ending === null ? lockHolder(workTreeLock(root, cwd)) : null;
  // A loop of another kind may be at work here now.
  const pid = holder?.purpose === `loop ${id}` ? holder.pid : null;
  const isTold = wantedOf(known.folder) === 'pause';
  const turning = isTold ? (known.isPaused ? 'paused' : 'pausing') : 'running';
  const state = ending !== null ? 'ended' : pid === null ? 'interrupted' : turning;
  const mayGoOn = ending === null || (canContinue(ending) && ending.kind !== 'tampered');
  const resume = folded === null ? 'ralph stories resume' : continueCommand(folded, ending);
  const iteration = folded?.iteration ?? null;
  const started = folded === null ? null : startedIterations(folded);
  return { id, state, pid, iteration, ending, started, continueWith: mayGoOn ? resume : null } as const;
}

export async function checkCommand(flags: CommandFlags, { self }: Program): Promise<number> {
  const project = listedProjectOf(flags);
  const { cwd, environment } = project;
  const marker = markerIn(cwd);
  const idle = whyIdle(marker);
  const acting = idle === null ? marker : null;
  const last = knownLoop(environment.root, cwd)?.request;
  const ralphDir = acting?.ralphDir ?? project.ralphDir;
  const mode = acting?.iterationMode ?? null;
  const text = readPlain(resolve(cwd, ralphDir, 'tasks.json'));
  const verdict = judgeAgainst(acting?.preIterationSnapshot ?? null, text, {
    mode,
    story: acting?.story ?? null,
    reviewCap: acting?.reviewCap ?? last?.reviewCap ?? DEFAULT_REVIEW_CAP,
    skipReview: acting?.skipReview ?? last?.skipReview ?? false,
    frozen: acting?.frozen ?? null,
    shownPath: `${ralphDir}/tasks.json`,
  });
  // While an iteration runs, the hook rejects only what that iteration changed.
  const unreachable = verdict.kind === 'legal' && acting === null ? unreachableStories(new Map(), verdict.tasks) : [];
  const wrong = verdict.kind === 'legal' ? unreachable.join('\n') : verdict.reason;
  const open = await withReadOnlyTree(project, self, (look) => uncommittedIn(look, ralphDir));
  const reasons = linesOf(wrong !== '' && wrong, ...open);
  const by = mode === null ? `${idle ?? 'no iteration is running'}, so transitions were not checked` : `mode ${mode}`;
  if (reasons.length > 0) {
    process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
    const what = acting === null ? 'Not in order' : 'The Stop hook would not let the agent stop';
    process.stderr.write(`[ralph] ${what} (${by}).\n`);
    return 1;
  }
  process.stdout.write(`[ralph] All checks passed (${by}).\n`);
  const commands = last?.verify === false ? '' : printable(verifyCommandsIn(text).join(', '));
  if (commands !== '')
    process.stdout.write(`[ralph] Not run here: ${commands}. The loop runs them before a story counts.\n`);
  return 0;
}

async function uncommittedIn(look: ReadOnlyTree, ralphDir: string): Promise<string[]> {
  if ('problem' in look) return [`git was not asked what is uncommitted: ${look.problem}`];
  // Looking into a submodule would obey the settings of that repository.
  const { stdout } = await look.tree.git(['status', '--porcelain', '--ignore-submodules=dirty']);
  return uncommitted(stdout, ralphDir);
}

/** Why the hook does nothing; null if it acts. */
function whyIdle(marker: ReadMarker | null): string | null {
  if (marker === null) return 'no iteration is running';
  if (marker.isPaused) return 'the loop is paused';
  return isLeftBehind(marker) ? `${MARKER_NAME} was left by process ${marker.pid}, which is gone` : null;
}
