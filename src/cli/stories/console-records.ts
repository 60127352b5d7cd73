/** What the console of `ralph stories` says about each record: verdicts, warnings, what was restored. */
import type { Recorded } from '../../core/record.ts';
import type { SteppedOf } from '../../core/rules.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import { rejectedBy } from '../../loops/stories/proof.ts';
import type { Gave, StoriesData, StoriesSteps } from '../../loops/stories/state.ts';
import { commandsOf, STUCK_WARNING, withoutCommit } from '../../loops/stories/state.ts';
import type { Paint } from '../../views/paint.ts';
import { checkLine, failureLines } from '../../views/verdict-lines.ts';
import { baseProofLines, proofLines } from '../terminal/proof-lines.ts';
import { isOutOfBudget, OUT_OF_BUDGET, outcomeLines } from '../terminal/words.ts';
import { isDone, type State } from './console-ending.ts';

export function verdictsOf(
  { result }: Recorded,
  { cwd, data }: State,
  { mask, paint, width }: { readonly mask: Mask; readonly paint: Paint; readonly width: number },
): string[] {
  if (result.kind === 'stepped') return proofVerdicts(result as SteppedOf<StoriesSteps>, { cwd, mask, paint, width });
  if (result.kind !== 'checked') return [];
  const commands = commandsOf(data).map(mask);
  return [checkLine(result, commands, paint, width), ...failureLines(result, cwd, { mask, paint, width })];
}

function proofVerdicts(step: SteppedOf<StoriesSteps>, look: Parameters<typeof proofLines>[2]): string[] {
  if (step.what === 'prove-base') return baseProofLines(step.gave, look);
  return step.what === 'prove' ? proofLines(step.gave, 'approval', look) : [];
}

function unprovedLines({ data }: State, before: State | null): string[] {
  const isNew = data.unproved !== null && before !== null && before.data.unproved === null;
  return isNew ? [`WARNING: the work will not be proved: ${data.unproved}`] : [];
}

export function resultLines({ result }: Recorded, state: State, before: State | null): string[] {
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

/** If a step found the loop's own copies changed, only the ending is shown. */
function stepLines(step: SteppedOf<StoriesSteps>, state: State, before: StoriesData): string[] {
  if (step.gave === null || 'spoilt' in step.gave) return [];
  const { pending, promised, note, request, verifying } = before;
  switch (step.what) {
    case 'judge': {
      const isPromptBack = state.phase.at === 'step' && state.phase.what === 'prompt-back';
      return [...stuckLines(state), ...(isPromptBack ? [] : judgedLines(state))];
    }
    case 'prompt-back':
      // After a run that only looked, there is usually nothing to restore.
      if (before.running === null && step.gave.kept.length === 0) return [];
      // A person may have made the change; but an agent could steer its reviewer by such a change.
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
    // The result of a proof is shown with the verdicts.
    case 'mark':
    case 'prove-base':
    case 'prove':
      return [];
  }
}

/** Warns of a changed prompt, because it is not known whether a person or the run that was cut off changed it. */
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

/** Waiting does not help when a loop is stuck; the reason is in the log or in progress.txt. */
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
    // If the loop is done, its end says so.
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
