/** Shows a stories loop on the console: the agent on stdout, `[ralph] …` about the loop on stderr. */

import { costText } from '../../core/budget/usage.ts';
import type { CheckSpec } from '../../core/check.ts';
import { endingDetails } from '../../core/closing/closing-summary.ts';
import { canContinue, type Ending } from '../../core/ending.ts';
import type { Finding } from '../../core/finding.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import { provedWords } from '../../core/proof/claims.ts';
import type { Recorded } from '../../core/record.ts';
import type { SteppedOf } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { LoopEvent } from '../../engine/drive.ts';
import { storiesClosing } from '../../loops/stories/closing.ts';
import { rejectedBy } from '../../loops/stories/proof.ts';
import { storiesMachine } from '../../loops/stories/rules.ts';
import type { Gave, StoriesData, StoriesSteps } from '../../loops/stories/state.ts';
import {
  commandsOf,
  costOf,
  EMPTY_REPLIES,
  STUCK_WARNING,
  setAside,
  withoutCommit,
} from '../../loops/stories/state.ts';
import { commandAt } from '../../loops/stories/transitions.ts';
import type { ShowFindings } from '../../preflight/before-loop.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { type Paint, painter } from '../../views/paint.ts';
import { checkLine, failureLines } from '../../views/verdict-lines.ts';
import { baseProofLines, proofLines } from '../run/proof-lines.ts';
import { inOneCell } from '../task/table.ts';
import { preflightLines } from '../terminal/finding-lines.ts';
import type { StatusWords } from '../terminal/live-status.ts';
import { leftBy, openConsole } from '../terminal/open-console.ts';
import { pivotLines } from '../terminal/pivot-lines.ts';
import { clockTime, isOutOfBudget, OUT_OF_BUDGET, outcomeLines } from '../terminal/words.ts';
import type { LoopConsole, TerminalOptions } from '../terminal.ts';
import { isCounted, type SurveyedStory, storyTable } from './status.ts';

type State = LoopState<StoriesData>;

const ALLOWING = 'allow what the guard blocked in ralph/allowed-commands.txt';

export function storiesConsole(
  options: TerminalOptions,
  surveyed: () => readonly SurveyedStory[],
): LoopConsole<StoriesData> & { readonly found: ShowFindings } {
  const { mask, color } = options;
  const paint = painter(options.stderrColor);
  const { say, width, frame, report, ready, formatWith, showProgress, runEnded, close, live } = openConsole(
    options,
    ALLOWING,
    ralphLines,
  );
  let last: State | null = null;
  let isDoneTold = false;
  /** For right above the first iteration. */
  const ahead: Finding[] = [];
  const showFindings = (findings: readonly Finding[]): void => {
    for (const line of preflightLines(findings, { paint, mask, width: width() - PREFIX.length }))
      say(`${PREFIX}${line}`);
  };

  const showPivot = (event: LoopEvent<StoriesData>): boolean => {
    const lines = pivotLines(event, { paint, mask, width: width() - PREFIX.length });
    for (const line of lines ?? []) say(`${PREFIX}${line}`);
    return lines !== null;
  };

  return {
    show(event) {
      if (event.type === 'progress') return showProgress(event.event, event.run.purpose === 'work');
      const before = last;
      last = event.state;
      if (event.type === 'record') {
        if (event.record.result.kind === 'ran') runEnded();
        showPivot(event);
        for (const line of verdictsOf(event.record, event.state, { mask, paint, width: width() }))
          say(`${PREFIX}${line}`);
        for (const line of resultLines(event.record, event.state, before)) report(line);
        for (const id of newlySetAside(before, event.state)) report(setAsideLine(id, event.state));
        if (!isDone(event.state)) return;
        for (const line of doneLines(event.state)) report(line);
        isDoneTold = true;
      } else if (event.action.do === 'start') {
        formatWith(eventFormatter({ ...DEFAULT_FORMAT, mask, color }));
        if (ahead.length > 0) showFindings(ahead.splice(0));
        if (showPivot(event)) return;
        frame('');
        frame(iterationLine(event.state), report);
      } else if (event.action.do === 'check') frame(verifyingLine(event.action.check, event.state), report);
      else if (event.action.do === 'step' && event.action.what === 'prove')
        frame(`Proving in a clean checkout: ${commandsOf(event.state.data).join(', ')}`, report);
    },
    tell: report,
    found(findings, goesOn) {
      if (goesOn) ahead.push(...findings);
      else showFindings(findings);
    },
    ready,
    live,
    words: STATUS_WORDS,
    close(driven, state, work) {
      const stories = surveyed();
      const counts = { complete: stories.filter(isCounted).length, total: stories.length };
      const closing = storiesClosing(state, leftBy(driven), work, counts, clockTime);
      // Usually told with the record before; a loop that was killed right then is told of when it is resumed.
      const done = isDoneTold || last === null ? [] : doneLines(last);
      const unfinished = ['Stopped. The loop is unfinished.'];
      const ending = driven.kind === 'stopped' ? unfinished : endingLines(driven.ending, done);
      // The table shows what the reviews cost, and which approvals want a human's eye.
      close(storiesMachine, state, [...storyTable(stories), ...ending], closing);
    },
  };
}

function newlySetAside(before: State | null, { data, terms }: State): string[] {
  const known = before === null ? [] : setAside(before.data, before.terms);
  return setAside(data, terms).filter((id) => !known.includes(id));
}

function setAsideLine(id: string, { data, usage }: State): string {
  const cost = costText(costOf(data, id), { isEstimated: usage.estimatedRuns !== undefined });
  return `WARNING: story ${inOneCell(id)} has cost ${cost} and is set aside (--max-cost-per-story)`;
}

const STATUS_WORDS: StatusWords<StoriesData> = {
  limit: ({ request }) => request.maxIterations,
  run: (purpose, { running }) => (purpose === PIVOT ? undefined : running?.mode),
  steps: {
    mark: 'choosing the story',
    judge: 'judging the iteration',
    'prompt-back': 'restoring prompt.md',
    'put-back': 'restoring tasks.json',
    approve: 'approving the story',
    'send-back': 'sending the story back',
    tell: 'passing a question on',
    'prove-base': 'clean checkout',
    prove: 'proof',
  } satisfies Record<keyof StoriesSteps, string>,
};

const PREFIX = '[ralph] ';

function verdictsOf(
  { result }: Recorded,
  { cwd, data }: State,
  { mask, paint, width: whole }: { readonly mask: Mask; readonly paint: Paint; readonly width: number },
): string[] {
  const width = whole - PREFIX.length;
  if (result.kind === 'stepped') return proofVerdicts(result as SteppedOf<StoriesSteps>, { cwd, mask, paint, width });
  if (result.kind !== 'checked') return [];
  const commands = commandsOf(data).map(mask);
  return [checkLine(result, commands, paint, width), ...failureLines(result, cwd, { mask, paint, width })];
}

function proofVerdicts(step: SteppedOf<StoriesSteps>, look: Parameters<typeof proofLines>[2]): string[] {
  if (step.what === 'prove-base') return baseProofLines(step.gave, look);
  return step.what === 'prove' ? proofLines(step.gave, 'approval', look) : [];
}

/** Later lines may be an agent's words: they never stand where a line of the loop's own begins. */
function ralphLines(say: (line: string) => void): (text: string) => void {
  return (text) => {
    const [first = '', ...more] = printable(text).split('\n');
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`${PREFIX}${line}`.trimEnd());
  };
}

function iterationLine({ iteration, data: { request, running } }: State): string {
  const what = running === null ? '' : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}

function verifyingLine({ index, isBaseline }: CheckSpec, { data }: State): string {
  if (isBaseline === true) return `It failed in a clean checkout. In the work tree: ${commandAt(data, index)}`;
  const stories = data.verifying?.stories.join(', ') ?? '';
  const isBeforeEnd = index >= commandsOf(data).length;
  return `Verifying ${isBeforeEnd ? 'once more before the end' : stories}: ${commandAt(data, index)}`;
}

function isDone({ phase }: State): boolean {
  return phase.at === 'end' && phase.ending.kind === 'done';
}

function doneLines({ data }: State): string[] {
  const { promised, verified, request } = data;
  const unsaid = 'All stories verified complete via tasks.json (no promise tag).';
  const said = promised?.kind === 'complete' ? 'All stories complete and verified!' : unsaid;
  const commands = commandsOf(data);
  const proved = data.proof.last === null ? [] : [capitalized(provedWords(data.proof.last))];
  if (commands.length > 0 && verified !== null)
    return [said, `Verified by ralph's own run of: ${commands.join(', ')}`, ...proved];
  const without = 'No verifyCommands: ralph ran no checks of its own';
  return [said, request.verify ? without : 'verifyCommands were not run by ralph (--no-verify)'];
}

const capitalized = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

function unprovedLines({ data }: State, before: State | null): string[] {
  const isNew = data.unproved !== null && before !== null && before.data.unproved === null;
  return isNew ? [`WARNING: the work will not be proved: ${data.unproved}`] : [];
}

function resultLines({ result }: Recorded, state: State, before: State | null): string[] {
  switch (result.kind) {
    case 'checked':
      return [...(result.refused ?? []).map((text) => `Sandbox: ${text}`), ...unprovedLines(state, before)];
    case 'ran':
      return isOutOfBudget(result, state) ? [OUT_OF_BUDGET] : outcomeLines(result.outcome);
    case 'waited':
      return linesOf(
        result.command === 'resume' && 'Resumed',
        result.command === 'pause' &&
          `Paused before iteration ${state.iteration + 1}; to continue, run: ralph stories resume`,
      );
    case 'inputs':
      return result.inputs === undefined ? [] : inputLines(state, before);
    case 'stepped':
      return [
        ...unprovedLines(state, before),
        ...stepLines(result as SteppedOf<StoriesSteps>, state, before?.data ?? state.data),
      ];
    default:
      return [];
  }
}

/** A step that found the loop's own copies changed has nothing to show but the ending. */
function stepLines(step: SteppedOf<StoriesSteps>, state: State, before: StoriesData): string[] {
  if (step.gave === null || 'spoilt' in step.gave) return [];
  const { pending, promised, note, request, verifying } = before;
  switch (step.what) {
    case 'judge': {
      const isPromptBack = state.phase.at === 'step' && state.phase.what === 'prompt-back';
      return [...stuckLines(state), ...(isPromptBack ? [] : judgedLines(state))];
    }
    case 'prompt-back':
      // After a run that only looked there is nothing to put back, as a rule.
      if (before.running === null && step.gave.kept.length === 0) return [];
      // A person may have done that, and an agent would steer its reviewer by it.
      return [
        `WARNING: ${request.ralphDir}/prompt.md was changed during this iteration; ralph has restored it. Edit it between loops, or while the loop is paused.`,
        ...keptLines(step.gave, "The agent's version"),
        ...(before.running === null ? [] : judgedLines(state)),
      ];
    case 'put-back':
      return linesOf(
        pending?.why === 'between' && `TAMPERED: ${note ?? ''}`,
        pending?.why === 'interrupted' && 'The last run was cut off; tasks.json is restored as it was before that run',
        pending?.why !== 'interrupted' && 'tasks.json is restored',
        ...keptLines(step.gave, pending?.why === 'between' ? 'What was written' : "The agent's version"),
      );
    case 'send-back': {
      const failed = `${rejectedBy(before) === null ? 'verifyCommands' : 'the proof'} failed`;
      const sentBack = `the approval does not count, ${failed}; changes requested`;
      const what = request.skipReview ? `does not pass, ${failed}` : sentBack;
      return linesOf(
        promised?.kind === 'complete' && `WARNING: Promise tag found but ${failed}.`,
        `Story ${verifying?.stories.join(', ') ?? ''}: ${what}`,
        uncommittedLine(step.gave),
      );
    }
    case 'approve':
      return linesOf(capLine(state), uncommittedLine(step.gave));
    // What a proof came to is shown with the verdicts.
    case 'mark':
    case 'prove-base':
    case 'prove':
      return [];
  }
}

/** A prompt that was edited before a resume cannot be told from one that the run that was cut off has written. */
function inputLines({ data: { inputs, request } }: State, before: State | null): string[] {
  const began = before?.data.running?.prompt;
  const isChanged = began !== undefined && began !== inputs?.promptCopy;
  return linesOf(
    isChanged && `WARNING: ${request.ralphDir}/prompt.md was changed since the last run began; the next one follows it`,
    ...(inputs?.inPause ?? []).map((what) => `During the pause: ${what}`),
  );
}

function keptLines(gave: Gave<'put-back'>, what: string): string[] {
  return linesOf(
    ...gave.kept.map((path) => `${what} is kept in ${path}`),
    gave.commit !== null && `Committed ${gave.commit.slice(0, 12)}`,
    uncommittedLine(gave),
  );
}

function uncommittedLine({ problem }: Pick<Gave<'put-back'>, 'problem'>): string | null {
  return problem === null ? null : `WARNING: it could not be committed: ${problem}`;
}

/** Waiting does not cure it; what stands in the way is in the log or in progress.txt. */
function stuckLines({ data: { ran, emptyInARow, stuckCount, request } }: State): string[] {
  const isStuck = ran?.outcome.kind === 'worked' && emptyInARow === 0 && stuckCount >= STUCK_WARNING;
  const where = `${request.ralphDir}/progress.txt and ${request.ralphDir}/logs/`;
  return isStuck ? [`WARNING: ${withoutCommit(stuckCount)}: look into ${where}`] : [];
}

function judgedLines(state: State): string[] {
  const { judged, ran, promised, emptyInARow } = state.data;
  if (judged === null || ran?.outcome.kind !== 'worked') return [];
  const again = `Empty response — retrying iteration ${state.iteration} (attempt ${emptyInARow + 1})`;
  if (emptyInARow > 0) return state.phase.at === 'end' ? [] : [again];
  const { verdict } = judged;
  const isPromised = promised?.kind === 'complete';
  const isKept = verdict.kind === 'at-cap' || (verdict.kind === 'legal' && verdict.isComplete);
  return linesOf(
    isPromised && 'Completion signal detected. Verifying tasks.json...',
    isPromised && !isKept && !isDone(state) && 'WARNING: Promise tag found but tasks.json verification failed.',
    // The end of the loop says whether it is done.
    ...(isDone(state) ? [] : verdictLines(state)),
  );
}

function verdictLines({ data: { judged, pending, note } }: State): string[] {
  if (pending?.why === 'tampered') return [`TAMPERED: ${note ?? ''}`];
  if (note !== null) return [`Iteration failed: ${note}`];
  if (judged?.verdict.kind !== 'legal') return [];
  const { submitted, approved, isCapApproval, sentBack } = judged.verdict;
  return linesOf(
    submitted !== null && `Story ${submitted}: submitted for review`,
    approved !== null && `Story ${approved}: ${isCapApproval ? 'auto-approved at cap' : 'approved'}`,
    sentBack !== null && `Story ${sentBack}: changes requested`,
  );
}

function capLine({ data: { judged, request } }: State): string {
  const atCap = judged?.verdict.kind === 'at-cap' ? judged.verdict : null;
  const said = atCap?.wasApproved ? 'approved with feedback' : 'changes requested';
  const done = atCap?.wasApproved ? 'marked' : 'auto-approved';
  return `Story ${atCap?.story ?? ''}: ${said} at the review cap (${request.reviewCap}); ${done}, see its reviewFeedback`;
}

function endingLines(ending: Ending, done: string[]): string[] {
  switch (ending.kind) {
    case 'done':
      return done;
    case 'iteration-limit':
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case 'kept-failing':
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case 'blocked':
      return [`BLOCKED: ${ending.reason}`];
    case 'decision':
      return [`DECISION NEEDED: ${ending.reason}`];
    case 'auth':
      return [`ERROR: ${ending.reason}`, 'hint: log the agent in, or give it a valid key'];
    case 'usage-limit': {
      const lifted = ending.resetAt === null ? '' : `; it resets at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`];
    }
    case 'budget':
      return endingDetails(ending, clockTime);
    case 'stopped':
    case 'waiting':
      return canContinue(ending) ? [] : ['Stopped for good.'];
    default: {
      const what = `ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? '. Aborting.' : ''}`;
      return linesOf(what, 'hint' in ending && `hint: ${ending.hint}`);
    }
  }
}
