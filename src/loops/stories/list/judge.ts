/** The judge of an iteration: for the Stop hook, while the agent can fix it, and for the harness, on its own copy. */
import { linesOf } from '../../../core/text/lines-of.ts';
import { MARKER_NAME } from './active-file.ts';
import type { AtCap, JudgeContext, Transitions } from './allowed-changes.ts';
import { CAP_PREFIX, isCapApproval, judgeTransitions, movedCriteria } from './allowed-changes.ts';
import { isComplete } from './mode.ts';
import type { Snapshot, Story, StoryBefore, TasksFile } from './tasks.ts';
import { changed, cut, newlyPassing, quoted, readTasks, snapshotOf } from './tasks.ts';

export type Verdict =
  | { readonly kind: 'legal'; readonly tasks: TasksFile; readonly changes: Changes }
  /** `no-verdict`: a review that judged nothing. `undocumented`: only the notes of what passes are missing. */
  | { readonly kind: 'no-verdict' | 'undocumented' | 'illegal'; readonly reason: string }
  /** A last review asked for changes, or approved unmarked; `approved` is the file as the rule wants it, marked. */
  | (AtCap & { readonly kind: 'at-cap'; readonly approved: TasksFile; readonly changes: Changes });

export type Changes = ReturnType<typeof changesOf>;

export function judgeIteration(before: TasksFile, afterText: string | null, context: JudgeContext): Verdict {
  return judgeAgainst(snapshotOf(before), afterText, { ...context, frozen: before });
}

interface KnownContext extends Omit<JudgeContext, 'mode'> {
  readonly mode: JudgeContext['mode'] | null;
  /** What no iteration may change; null where it is not known. */
  readonly frozen?: Pick<TasksFile, 'verifyCommands'> | null;
  readonly shownPath?: string;
}

/** `before` is null where it is not known: then check 2.5 cannot be made. */
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
    // Check 1 wants a word on what was done, and the reviewer need not have written one.
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
    /** How many reviews the file told of the story that was judged, before. */
    countBefore: before.get((approved ?? sentBack)?.id ?? '')?.reviewCount ?? 0,
    isComplete: isComplete(tasks, { skipReview }),
    passed: newlyPassing(before, tasks),
  };
}

/** Check 2 of an iteration: whatever happened, `passes` and the review fields of every story agree. */
export function integrityProblems(after: TasksFile, reviewCap: number, before: Snapshot | null): string[] {
  return after.userStories.flatMap(({ id, passes, reviewStatus, reviewCount, reviewFeedback }) => {
    const isApproved = reviewStatus === 'approved';
    // A count from before the iteration is no corruption, nor is the review after it: the cap may have been lowered.
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

/** So many are told at once: a reason is read by a model, and cut by Claude Code at 10,000 characters. */
const MOST_SHOWN = 10;

function failed(check: string, problems: readonly string[]): string {
  if (problems.length === 0) return '';
  const rest = problems.length - MOST_SHOWN;
  return `${check} failed: ${problems.slice(0, MOST_SHOWN).join('\n')}${rest > 0 ? `\n(and ${rest} more)` : ''}`;
}

/** What no iteration may lose, whatever its mode: a story, the chance of a story to be done, what it asks for. */
function lostFrom(before: Snapshot, tasks: TasksFile, { skipReview }: KnownContext): string[] {
  const here = new Set(tasks.userStories.map(({ id }) => id));
  const rule =
    'Stories may be added, split and reordered, never removed: restore it under its id (a split story keeps its id for the first part).';
  const gone = [...before.keys()].filter((id) => !here.has(id));
  const deleted = gone.map((id) => `Story ${cut(id)} was deleted. ${rule}`);
  // With reviews it depends on the mode whether criteria may move.
  const criteria = skipReview ? movedCriteria(before, before, tasks).problems : [];
  return [...deleted, ...unreachableStories(before, tasks), ...criteria];
}

/** An author who strikes out a command strikes it out of its reviewer's run. */
function thawed(frozen: KnownContext['frozen'] = null, { verifyCommands }: TasksFile): string[] {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed('verifyCommands', frozen.verifyCommands, verifyCommands)}. Restore it as it was.`,
  ];
}

/** Stories whose turn can never come: those that could be reached before, and new ones. */
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

/** Those that wait for one that is not there, or for each other. */
function neverReady(stories: ReadonlyMap<string, StoryBefore>): ReadonlySet<string> {
  const waitingFor = new Map<string, Set<string>>();
  const waiters = new Map<string, string[]>();
  for (const [id, { passes, reviewStatus, dependsOn = [] }] of stories) {
    // What is begun goes on, whatever it waited for.
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

/** Check 3: what `git status` lists must be committed. Outside of a repository it lists nothing: no agent is held. */
export function uncommitted(status: string, ralphDir: string): string[] {
  // The marker is ours and comes and goes. Before its path stand two letters and a blank.
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
