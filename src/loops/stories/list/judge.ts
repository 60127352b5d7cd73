/** Judges an iteration: for the Stop hook, while the agent can still fix it, and for the harness, by its own copies. */
import { linesOf } from '../../../core/text/lines-of.ts';
import { MARKER_NAME } from './active-file.ts';
import type { AtCap, JudgeContext, Transitions } from './allowed-changes.ts';
import { CAP_PREFIX, isCapApproval, judgeTransitions, movedCriteria } from './allowed-changes.ts';
import { isComplete } from './mode.ts';
import type { Snapshot, Story, StoryBefore, TasksFile } from './tasks.ts';
import { changed, cut, newlyPassing, quoted, readTasks, snapshotOf } from './tasks.ts';

export type Verdict =
  | { readonly kind: 'legal'; readonly tasks: TasksFile; readonly changes: Changes }
  /** `no-verdict`: a review judged nothing. `undocumented`: the only problem is that passing stories lack notes. */
  | { readonly kind: 'no-verdict' | 'undocumented' | 'illegal'; readonly reason: string }
  /** See `AtCap`. `approved`: the list as the rule wants it, with the story approved and its feedback marked. */
  | (AtCap & { readonly kind: 'at-cap'; readonly approved: TasksFile; readonly changes: Changes });

export type Changes = ReturnType<typeof changesOf>;

export function judgeIteration(before: TasksFile, afterText: string | null, context: JudgeContext): Verdict {
  return judgeAgainst(snapshotOf(before), afterText, { ...context, frozen: before });
}

interface KnownContext extends Omit<JudgeContext, 'mode'> {
  readonly mode: JudgeContext['mode'] | null;
  /** What no iteration may change; null if it is not known. */
  readonly frozen?: Pick<TasksFile, 'verifyCommands'> | null;
  readonly shownPath?: string;
}

/** `before` is null if it is not known: check 2.5 is then impossible. */
export function judgeAgainst(before: Snapshot | null, afterText: string | null, context: KnownContext): Verdict {
  const read = readTasks(afterText, context.shownPath);
  if (read.isValid) return judgeTasks(before, read.tasks, context);
  const { undocumented, problems } = read;
  const isForgotten = undocumented !== undefined && judgeTasks(before, undocumented, context).kind !== 'illegal';
  return { kind: isForgotten ? 'undocumented' : 'illegal', reason: failed('Task list validation', problems) };
}

function judgeTasks(before: Snapshot | null, tasks: TasksFile, context: KnownContext): Verdict {
  const lost = [...(before === null ? [] : lostFrom(before, tasks, context)), ...thawed(context.frozen, tasks)];
  if (lost.length > 0) return { kind: 'illegal', reason: failed('Task list validation', lost) };
  const changes = changesOf(before ?? new Map(), tasks, context);
  if (context.skipReview) return { kind: 'legal', tasks, changes };

  const untrue = integrityProblems(tasks, context.reviewCap, before);
  const { mode } = context;
  const { problems, noVerdict, atCap }: Transitions =
    before === null || mode === null ? { problems: [] } : judgeTransitions(before, tasks, { ...context, mode });
  const reasons = [failed('Review integrity check', untrue), failed('Transition validation', problems)].filter(Boolean);
  if (reasons.length > 0) return { kind: 'illegal', reason: reasons.join('\n') };
  if (noVerdict !== undefined) return { kind: 'no-verdict', reason: failed('Transition validation', [noVerdict]) };
  if (atCap === undefined) return { kind: 'legal', tasks, changes };
  const approved = approvedAtCap(tasks, atCap.story);
  return { kind: 'at-cap', ...atCap, approved, changes, reason: failed('Transition validation', [atCap.reason]) };
}

function approvedAtCap(tasks: TasksFile, id: string): TasksFile {
  const approve = (story: Story): Story => ({
    ...story,
    passes: true,
    reviewStatus: 'approved',
    reviewFeedback: `${CAP_PREFIX} ${story.reviewFeedback}`,
    // Check 1 requires notes on a passing story, and the reviewer may not have written any.
    notes: story.notes?.trim() ? story.notes : 'Approved at the review cap; see reviewFeedback.',
  });
  return { ...tasks, userStories: tasks.userStories.map((story) => (story.id === id ? approve(story) : story)) };
}

function changesOf(before: Snapshot, tasks: TasksFile, { skipReview }: Pick<JudgeContext, 'skipReview'>) {
  const became = (status: Story['reviewStatus']): Story | undefined =>
    tasks.userStories.find(({ id, reviewStatus }) => {
      const was = before.get(id);
      return was !== undefined && was.reviewStatus !== reviewStatus && reviewStatus === status;
    });
  const approved = became('approved');
  const sentBack = became('changes_requested');
  return {
    submitted: became('needs_review')?.id ?? null,
    approved: approved?.id ?? null,
    sentBack: sentBack?.id ?? null,
    isCapApproval: approved !== undefined && isCapApproval(approved),
    /** The `reviewCount` of the judged story before this iteration. */
    countBefore: before.get((approved ?? sentBack)?.id ?? '')?.reviewCount ?? 0,
    isComplete: isComplete(tasks, { skipReview }),
    passed: newlyPassing(before, tasks),
  };
}

/** Check 2 of an iteration: `passes` and the review fields of every story agree, whatever happened. */
export function integrityProblems(after: TasksFile, reviewCap: number, before: Snapshot | null): string[] {
  return after.userStories.flatMap(({ id, passes, reviewStatus, reviewCount, reviewFeedback }) => {
    const isApproved = reviewStatus === 'approved';
    // A count that was already above the cap, plus this review, is not corruption: the cap may have been lowered.
    const mostReviews = Math.max(reviewCap, before?.get(id)?.reviewCount ?? 0) + 1;
    return linesOf(
      passes &&
        !isApproved &&
        `has passes=true but reviewStatus is ${quoted(reviewStatus ?? 'null')}, not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
      !passes && isApproved && "has reviewStatus='approved' but passes=false. These fields must be in sync.",
      reviewStatus === 'changes_requested' &&
        reviewFeedback.trim() === '' &&
        "has reviewStatus='changes_requested' but empty reviewFeedback. Review must explain what needs fixing.",
      reviewCount > mostReviews &&
        `has reviewCount=${reviewCount} which exceeds reviewCap+1 (${reviewCap + 1}). Possible corruption.`,
    ).map((what) => `Story ${cut(id)} ${what}`);
  });
}

/** How many problems are reported at once: a model reads the reason, and Claude Code cuts it at 10,000 characters. */
const MOST_SHOWN = 10;

function failed(check: string, problems: readonly string[]): string {
  if (problems.length === 0) return '';
  const rest = problems.length - MOST_SHOWN;
  return `${check} failed: ${problems.slice(0, MOST_SHOWN).join('\n')}${rest > 0 ? `\n(and ${rest} more)` : ''}`;
}

/** What no iteration may lose, whatever its mode: a story, its chance to be done, its acceptance criteria. */
function lostFrom(before: Snapshot, tasks: TasksFile, { skipReview }: KnownContext): string[] {
  const here = new Set(tasks.userStories.map(({ id }) => id));
  const rule =
    'Stories may be added, split and reordered, never removed: restore it under its id (a split story keeps its id for the first part).';
  const gone = [...before.keys()].filter((id) => !here.has(id));
  const deleted = gone.map((id) => `Story ${cut(id)} was deleted. ${rule}`);
  // With reviews, the mode decides whether criteria may move (see `judgeTransitions`).
  const criteria = skipReview ? movedCriteria(before, before, tasks).problems : [];
  return [...deleted, ...unreachableStories(before, tasks), ...criteria];
}

/** `verifyCommands` must not change: a command that the author removes would not run in the review either. */
function thawed(frozen: KnownContext['frozen'] = null, { verifyCommands }: TasksFile): string[] {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed('verifyCommands', frozen.verifyCommands, verifyCommands)}. Restore it as it was.`,
  ];
}

/** Stories that can never become ready now, and either could before or are new. */
export function unreachableStories(before: Snapshot, { userStories }: TasksFile): string[] {
  if (userStories.every(({ dependsOn = [] }) => dependsOn.length === 0)) return [];
  const after = new Map(userStories.map((story) => [story.id, story]));
  const [were, are] = [neverReady(before), neverReady(after)];
  return userStories
    .filter(({ id }) => are.has(id) && !(before.has(id) && (were.has(id) || before.get(id)?.dependsOn === undefined)))
    .map(({ id, dependsOn = [] }) => {
      const blame = dependsOn.filter((one) => are.has(one) || !after.has(one));
      return `Story ${cut(id)} can never be done: its dependsOn names ${blame.map(quoted).join(', ')}, which is not in the list or waits for it in turn. Let it depend on stories that can be done.`;
    });
}

/** The stories that depend on one that does not exist, or on each other. */
function neverReady(stories: ReadonlyMap<string, StoryBefore>): ReadonlySet<string> {
  const waitingFor = new Map<string, Set<string>>();
  const waiters = new Map<string, string[]>();
  for (const [id, { passes, reviewStatus, dependsOn = [] }] of stories) {
    // A story that has been begun no longer depends on others.
    const others = new Set(passes || reviewStatus !== null ? [] : dependsOn);
    waitingFor.set(id, others);
    for (const other of others) waiters.set(other, [...(waiters.get(other) ?? []), id]);
  }
  const ready = [...waitingFor.keys()].filter((id) => waitingFor.get(id)?.size === 0);
  for (const id of ready) {
    waitingFor.delete(id);
    for (const waiter of waiters.get(id) ?? []) {
      const others = waitingFor.get(waiter);
      if (others?.delete(id) && others.size === 0) ready.push(waiter);
    }
  }
  return new Set(waitingFor.keys());
}

/** Check 3: everything that `git status` lists must be committed. Outside a repository, it lists nothing. */
export function uncommitted(status: string, ralphDir: string): string[] {
  // The marker belongs to the harness. Each line begins with a two-letter status and a blank.
  const isMarker = (line: string): boolean => line === `?? ${MARKER_NAME}` || line.endsWith(`/${MARKER_NAME}`);
  const lines = status.split('\n').filter((line) => line !== '' && !isMarker(line));
  const message = linesOf(
    'You have uncommitted changes. Before stopping, you must:',
    `1. Update ${ralphDir}/progress.txt with what was accomplished and what was learned`,
    '2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/',
    '3. Commit ALL changes including progress.txt and tasks.json updates',
    'Uncommitted:',
    ...lines.slice(0, MOST_SHOWN),
    lines.length > MOST_SHOWN && '…',
  );
  return lines.length === 0 ? [] : [message.join('\n')];
}
