/**
 * The one judge of an iteration, asked twice: by the Stop hook while the agent can still mend it, and by the harness
 * afterwards on its own copy of what was there before.
 */

import { CAP_PREFIX, type Judging, judgeTransitions } from './allowed-changes.ts';
import { movedCriteria } from './criteria.ts';
import { unreachableStories } from './dependencies.ts';
import { integrityProblems } from './integrity.ts';
import { deletedStories, type Snapshot, snapshotOf } from './snapshot.ts';
import { readTasks, type Story, type TasksFile } from './tasks.ts';
import { changed } from './wording.ts';

export interface JudgeContext extends Judging {
  /** Without reviews checks 2 and 2.5 are left out. */
  readonly skipReview: boolean;
}

export type Verdict =
  | { readonly kind: 'legal'; readonly tasks: TasksFile; readonly changes: Changes }
  /** A review that judged nothing: it failed, nobody tampered. */
  | { readonly kind: 'no-verdict'; readonly tasks: TasksFile; readonly reason: string }
  /** All is in order but the notes of what passes: they were forgotten, nobody tampered. */
  | { readonly kind: 'undocumented'; readonly reason: string }
  /** A last review asked for changes, or approved unmarked; `approved` is the file as the rule wants it, marked. */
  | {
      readonly kind: 'at-cap';
      readonly story: string;
      readonly wasApproved: boolean;
      readonly approved: TasksFile;
      readonly changes: Changes;
      readonly reason: string;
    }
  | { readonly kind: 'illegal'; readonly check: 'tasks' | 'review'; readonly reason: string };

export interface Changes {
  readonly submitted: string | null;
  readonly approved: string | null;
  readonly isCapApproval: boolean;
  readonly sentBack: string | null;
  readonly added: readonly string[];
  /** How many reviews the file told of the story that was judged, before. */
  readonly countBefore: number;
}

/** What no iteration may change, whatever its mode. */
export type Frozen = Pick<TasksFile, 'verifyCommands'>;

/** So many problems are told at once: a reason is read by a model, and cut by Claude Code at 10,000 characters. */
const MOST_PROBLEMS = 10;

export function judgeIteration(before: TasksFile, afterText: string | null, context: JudgeContext): Verdict {
  return judgeAgainst(snapshotOf(before), afterText, { ...context, frozen: before });
}

type KnownContext = Omit<JudgeContext, 'mode'> & {
  readonly mode: JudgeContext['mode'] | null;
  readonly frozen?: Frozen | null;
};

/** `before` is null where nobody knows what was there: then check 2.5 cannot be made. */
export function judgeAgainst(
  before: Snapshot | null,
  afterText: string | null,
  context: KnownContext & { readonly shownPath?: string },
): Verdict {
  const read = readTasks(afterText, context.shownPath);
  if (read.isValid) return judgeTasks(before, read.tasks, context);
  const { undocumented, problems } = read;
  const wrong = illegal('tasks', [`Task list validation failed: ${told(problems)}`]);
  const isForgotten = undocumented !== undefined && judgeTasks(before, undocumented, context).kind !== 'illegal';
  return isForgotten ? { kind: 'undocumented', reason: wrong.reason } : wrong;
}

function judgeTasks(before: Snapshot | null, tasks: TasksFile, context: KnownContext): Verdict {
  const lost = [...(before === null ? [] : lostFrom(before, tasks, context)), ...thawed(context.frozen ?? null, tasks)];
  if (lost.length > 0) return illegal('tasks', [`Task list validation failed: ${told(lost)}`]);
  const legal = { kind: 'legal', tasks, changes: changesOf(before ?? new Map(), tasks) } as const;
  if (context.skipReview) return legal;

  const untrue = integrityProblems(tasks, context.reviewCap, before);
  const { mode } = context;
  if (before === null || mode === null) return untrue.length === 0 ? legal : illegal('review', [integrity(untrue)]);
  const { problems, noVerdict, atCap } = judgeTransitions(before, tasks, { ...context, mode });
  if (untrue.length > 0 || problems.length > 0)
    return illegal('review', [
      ...(untrue.length > 0 ? [integrity(untrue)] : []),
      ...(problems.length > 0 ? [transition(problems)] : []),
    ]);
  if (noVerdict !== null) return { kind: 'no-verdict', tasks, reason: transition([noVerdict]) };
  if (atCap !== null)
    return {
      kind: 'at-cap',
      story: atCap.story,
      wasApproved: atCap.wasApproved,
      approved: approvedAtCap(tasks, atCap.story),
      changes: legal.changes,
      reason: transition([atCap.reason]),
    };
  return legal;
}

export function isCapApproval({ reviewStatus, reviewFeedback }: Story): boolean {
  return reviewStatus === 'approved' && reviewFeedback.startsWith(CAP_PREFIX);
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

function changesOf(before: Snapshot, { userStories }: TasksFile): Changes {
  const became = (status: Story['reviewStatus']): Story | undefined =>
    userStories.find(({ id, reviewStatus }) => {
      const was = before.get(id);
      return was !== undefined && was.reviewStatus !== reviewStatus && reviewStatus === status;
    });
  const approved = became('approved');
  const sentBack = became('changes_requested');
  return {
    submitted: became('needs_review')?.id ?? null,
    approved: approved?.id ?? null,
    isCapApproval: approved !== undefined && isCapApproval(approved),
    sentBack: sentBack?.id ?? null,
    countBefore: before.get((approved ?? sentBack)?.id ?? '')?.reviewCount ?? 0,
    added: userStories.filter(({ id }) => !before.has(id)).map(({ id }) => id),
  };
}

/** Also without reviews: then nobody else would see what is not asked for any more. */
function lostFrom(before: Snapshot, tasks: TasksFile, { skipReview }: Pick<JudgeContext, 'skipReview'>): string[] {
  return [
    ...deletedStories(before, tasks),
    ...unreachableStories(before, tasks),
    // With reviews it depends on the mode.
    ...(skipReview ? movedCriteria(before, tasks, (id) => !before.has(id)).problems : []),
  ];
}

/** An author who strikes out a command strikes it out of its reviewer's run. */
function thawed(frozen: Frozen | null, { verifyCommands }: TasksFile): string[] {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed('verifyCommands', frozen.verifyCommands, verifyCommands)}. Put it back as it was.`,
  ];
}

function illegal(check: 'tasks' | 'review', reasons: readonly string[]): Extract<Verdict, { kind: 'illegal' }> {
  return { kind: 'illegal', check, reason: reasons.join('\n') };
}

function integrity(problems: readonly string[]): string {
  return `Review integrity check failed: ${told(problems)}`;
}

function transition(problems: readonly string[]): string {
  return `Transition validation failed: ${told(problems)}`;
}

function told(problems: readonly string[]): string {
  const rest = problems.length - MOST_PROBLEMS;
  const first = problems.slice(0, MOST_PROBLEMS).join('\n');
  return rest > 0 ? `${first}\n(and ${rest} more)` : first;
}
