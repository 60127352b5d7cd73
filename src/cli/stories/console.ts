/** Shows a stories loop on the console: the agent on stdout, `[ralph] …` about the loop on stderr. */

import { type Checked, describeOutcome, hasPassed } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import type { Recorded } from '../../core/record.ts';
import type { SteppedOf } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { storiesClosing } from '../../loops/stories/closing.ts';
import type { SurveyedStory } from '../../loops/stories/commands/survey.ts';
import { estimateBudget } from '../../loops/stories/list/mode.ts';
import type { TasksFile } from '../../loops/stories/list/tasks.ts';
import type { StoriesRequest } from '../../loops/stories/request.ts';
import type { Gave, PutBack, StoriesSteps } from '../../loops/stories/step-payloads.ts';
import { EMPTY_REPLIES, STUCK_WARNING, type StoriesData, withoutCommit } from '../../loops/stories/story-state.ts';
import { commandsOf, isBeforeEnd } from '../../loops/stories/verify-rules.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { leftBy, openConsole } from '../open-console.ts';
import { inOneCell } from '../task/table.ts';
import type { LoopConsole, TerminalOptions } from '../terminal.ts';
import { clockTime, outcomeLines } from '../words.ts';
import { isCounted, storyTable } from './status.ts';

export interface StoriesConsole extends LoopConsole<StoriesData> {
  begins(tasks: TasksFile, request: StoriesRequest): void;
}

type State = LoopState<StoriesData>;

/** `surveyed` looks at the list when the loop was left. */
export function storiesConsole(options: TerminalOptions, surveyed: () => readonly SurveyedStory[]): StoriesConsole {
  const { mask, color } = options;
  const { say, report, ready, formatWith, showProgress, close } = openConsole(options, ralphLines);
  let last: State | null = null;
  let isDoneTold = false;

  return {
    show(event) {
      if (event.type === 'progress') {
        showProgress(event.event);
        return;
      }
      const before = last;
      last = event.state;
      if (event.type === 'record') {
        for (const line of resultLines(event.record, event.state, before)) report(line);
        if (!isDone(event.state)) return;
        for (const line of doneLines(event.state)) report(line);
        isDoneTold = true;
      } else if (event.action.do === 'start') {
        formatWith(eventFormatter({ ...DEFAULT_FORMAT, mask, color }));
        say('');
        report(iterationLine(event.state));
      } else if (event.action.do === 'check') report(verifyingLine(event.action.check, event.state));
    },
    tell: report,
    begins(tasks, request) {
      report(`Estimated budget: ${estimateBudget(tasks, request)}`);
      report(verifyPlan(tasks, request));
    },
    ready,
    close(driven, state, work) {
      const stories = surveyed();
      const ending =
        driven.kind === 'stopped' ? ['Stopped. The loop is unfinished.'] : endingLines(driven.ending, last, isDoneTold);
      const counts = { complete: stories.filter(isCounted).length, total: stories.length };
      const closing = storiesClosing(state, leftBy(driven), work, counts, clockTime);
      // The table shows what the reviews cost, and which approvals want a human's eye.
      close(state, [...storyTable(stories), ...ending], closing);
    },
  };
}

/** Later lines may be an agent's words: they never stand where a line of the loop's own begins. */
function ralphLines(say: (line: string) => void): (text: string) => void {
  return (text) => {
    const [first = '', ...more] = printable(text).split('\n');
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`[ralph] ${line}`.trimEnd());
  };
}

/** What a loop will do about `verifyCommands`, for its start and for `--dry-run`. */
export function verifyPlan({ verifyCommands = [] }: TasksFile, { ralphDir, verify }: StoriesRequest): string {
  const commands = verifyCommands.filter((command) => command.trim() !== '').join(', ');
  if (commands === '')
    return `WARNING: ${ralphDir}/tasks.json has no verifyCommands: ralph runs no checks of its own, the agents' word is all there is`;
  return verify === false
    ? `WARNING: --no-verify: ralph does not run verifyCommands (${commands}), the agents' word is all there is`
    : `Before a story counts, ralph runs: ${commands}`;
}

function iterationLine({ iteration, data: { request, running } }: State): string {
  const what = running === null ? '' : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}

function verifyingLine({ command, index }: { command: string; index: number }, { data }: State): string {
  const stories = data.verifying?.stories.join(', ') ?? '';
  return `Verifying ${isBeforeEnd(data, index) ? 'once more before the end' : stories}: ${command}`;
}

function checkedLines(checked: Checked, { data }: State): string[] {
  const commands = commandsOf(data);
  const command = commands[checked.index % commands.length] ?? '';
  const took = formatDuration(checked.durationMs);
  const line = hasPassed(checked)
    ? `✓ ${command} (${took})`
    : `✗ ${command}: ${describeOutcome(checked.outcome)} (${took}), log ${checked.log}`;
  return [line, ...(checked.refused ?? []).map((text) => `Sandbox: ${text}`)];
}

function isDone({ phase }: State): boolean {
  return phase.at === 'end' && phase.ending.kind === 'done';
}

/** The seed's own words, and what stands behind them. */
function doneLines({ data }: State): string[] {
  const { promised, verified, request } = data;
  const said =
    promised?.kind === 'complete'
      ? 'All stories complete and verified!'
      : 'All stories verified complete via tasks.json (no promise tag).';
  const commands = commandsOf(data);
  if (commands.length > 0 && verified !== null) return [said, `Verified by ralph's own run of: ${commands.join(', ')}`];
  const unverified =
    request.verify === false
      ? 'verifyCommands were not run by ralph (--no-verify)'
      : 'No verifyCommands: ralph ran no checks of its own';
  return [said, unverified];
}

function resultLines({ result }: Recorded, state: State, before: State | null): string[] {
  switch (result.kind) {
    case 'checked':
      return checkedLines(result, state);
    case 'ran':
      return outcomeLines(result.outcome);
    case 'waited':
      if (result.command === 'resume') return ['Resumed'];
      return result.command === 'pause'
        ? [`Paused before iteration ${state.iteration + 1}; to go on: ralph stories resume`]
        : [];
    case 'inputs':
      return result.inputs === undefined ? [] : inputLines(state, before);
    case 'stepped':
      // Only the steps of this loop kind are in its records.
      return stepLines(result as SteppedOf<StoriesSteps>, state, before?.data ?? state.data);
    default:
      return [];
  }
}

/** A step that found the loop's own copies changed has nothing to show but the ending. */
function stepLines(step: SteppedOf<StoriesSteps>, state: State, before: StoriesData): string[] {
  if (step.gave === null || 'spoilt' in step.gave) return [];
  const isPromptBack = state.phase.at === 'step' && state.phase.what === 'prompt-back';
  switch (step.what) {
    case 'judge':
      return [...stuckLines(state), ...(isPromptBack ? [] : judgedLines(state))];
    case 'prompt-back':
      return [...promptLines(step.gave, state), ...judgedLines(state)];
    case 'put-back':
      return putBackLines(step.gave, before);
    case 'send-back':
      return sentBackLines(step.gave, before);
    case 'approve':
      return approvedLines(step.gave, state);
    case 'mark':
      return [];
  }
}

/** A prompt that was edited before a resume cannot be told from one that the run that was cut off has written. */
function inputLines({ data: { inputs, request } }: State, before: State | null): string[] {
  const began = before?.data.running?.prompt;
  const isChanged = began !== undefined && began !== inputs?.promptCopy;
  return [
    ...(isChanged
      ? [`WARNING: ${request.ralphDir}/prompt.md was changed since the last run began; the next one follows it`]
      : []),
    ...(inputs?.inPause ?? []).map((what) => `During the pause: ${what}`),
  ];
}

/** A person may have done that, and an agent would steer its reviewer by it. */
function promptLines({ kept, commit, problem }: PutBack, { data: { request } }: State): string[] {
  const what = `WARNING: ${request.ralphDir}/prompt.md was changed during this iteration; it is put back.`;
  return [
    `${what} Edit it between two loops, or in a pause.`,
    ...kept.map((path) => `The agent's version is kept in ${path}`),
    ...commitLines(commit, problem),
  ];
}

/** Waiting does not cure it; what stands in the way is in the log or in progress.txt. */
function stuckLines({ data: { ran, emptyInARow, stuckCount, request } }: State): string[] {
  if (ran?.outcome.kind !== 'worked' || emptyInARow > 0 || stuckCount < STUCK_WARNING) return [];
  return [
    `WARNING: ${withoutCommit(stuckCount)}: look into ${request.ralphDir}/progress.txt and ${request.ralphDir}/logs/`,
  ];
}

function judgedLines(state: State): string[] {
  const { judged, ran, promised, note, emptyInARow } = state.data;
  if (judged === null || ran?.outcome.kind !== 'worked') return [];
  if (emptyInARow > 0) {
    if (state.phase.at === 'end') return [];
    return [`Empty response — retrying iteration ${state.iteration} (attempt ${emptyInARow + 1})`];
  }
  const { verdict } = judged;
  const promise = promised?.kind === 'complete' ? ['Completion signal detected. Verifying tasks.json...'] : [];
  // Whether it is done is told where the loop ends.
  if (isDone(state)) return promise;
  const unkept = promise.length > 0 && verdict.kind !== 'at-cap' && !(verdict.kind === 'legal' && verdict.isComplete);
  const warning = unkept ? ['WARNING: Promise tag found but tasks.json verification failed.'] : [];
  return [...promise, ...warning, ...verdictLines(state, note)];
}

function verdictLines({ data }: State, note: string | null): string[] {
  const { judged, pending } = data;
  if (pending?.why === 'tampered') return [`TAMPERED: ${note ?? ''}`];
  if (note !== null) return [`Iteration failed: ${note}`];
  const verdict = judged?.verdict;
  if (verdict?.kind !== 'legal') return [];
  return [
    ...(verdict.submitted === null ? [] : [`Story ${verdict.submitted}: submitted for review`]),
    ...(verdict.approved === null
      ? []
      : [`Story ${verdict.approved}: ${verdict.isCapApproval ? 'auto-approved at cap' : 'approved'}`]),
    ...(verdict.sentBack === null ? [] : [`Story ${verdict.sentBack}: changes requested`]),
  ];
}

function putBackLines({ kept, commit, problem }: PutBack, { pending, note }: StoriesData): string[] {
  const isBetween = pending?.why === 'between';
  return [
    ...(isBetween ? [`TAMPERED: ${note ?? ''}`] : []),
    pending?.why === 'interrupted'
      ? 'The last run was cut off; tasks.json is put back as it was before it'
      : 'tasks.json is put back as it was',
    ...kept.map((path) => `${isBetween ? 'What was written' : "The agent's version"} is kept in ${path}`),
    ...commitLines(commit, problem),
  ];
}

function commitLines(commit: string | null, problem: string | null): string[] {
  return [
    ...(commit === null ? [] : [`Committed ${commit.slice(0, 12)}`]),
    ...(problem === null ? [] : [`WARNING: it could not be committed: ${problem}`]),
  ];
}

function sentBackLines({ problem }: Gave<'send-back'>, data: StoriesData): string[] {
  const { verifying, request, promised } = data;
  const stories = verifying?.stories.join(', ') ?? '';
  const what = request.skipReview
    ? `Story ${stories}: does not pass, verifyCommands failed`
    : `Story ${stories}: the approval does not count, verifyCommands failed; changes requested`;
  return [
    ...(promised?.kind === 'complete' ? ['WARNING: Promise tag found but verifyCommands failed.'] : []),
    what,
    ...commitLines(null, problem),
  ];
}

function approvedLines({ problem }: PutBack, { data }: State): string[] {
  const verdict = data.judged?.verdict;
  const atCap = verdict?.kind === 'at-cap' ? verdict : null;
  const which = `at the review cap (${data.request.reviewCap})`;
  const what =
    atCap?.wasApproved === true
      ? `approved with feedback ${which}; marked`
      : `changes requested ${which}; auto-approved`;
  const cap = `Story ${atCap?.story ?? ''}: ${what}, see its reviewFeedback`;
  return [cap, ...commitLines(null, problem)];
}

function endingLines(ending: Ending, last: State | null, isDoneTold: boolean): string[] {
  switch (ending.kind) {
    case 'done':
      // Usually told with the record before; a loop that was killed right then is told of when it is resumed.
      return isDoneTold || last === null ? [] : doneLines(last);
    case 'iteration-limit':
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case 'kept-failing':
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case 'infrastructure':
      return [`ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? '. Aborting.' : ''}`];
    case 'blocked':
      return [`BLOCKED: ${ending.reason}`];
    case 'decision':
      return [`DECISION NEEDED: ${ending.reason}`];
    case 'stuck':
    case 'tampered':
    case 'unpublished':
      return [`ERROR: ${ending.reason}`];
    case 'configuration':
      return [`ERROR: ${ending.reason}`, ...(ending.hint === undefined ? [] : [`hint: ${ending.hint}`])];
    case 'auth':
      return [`ERROR: ${ending.reason}`, 'hint: log the agent in, or give it a valid key'];
    case 'usage-limit': {
      const lifted = ending.resetAt === null ? '' : `; it is lifted at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`];
    }
    case 'stopped':
    case 'waiting':
      return ['Stopped for good.'];
  }
}
