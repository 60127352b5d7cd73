/** Folds the moments of one iteration into what views show of it. Pure. */
import { codeOfOutcome, describeOutcome, hasPassed } from '../../core/check.ts';
import { defined } from '../../core/defined.ts';
import type { Ending } from '../../core/ending.ts';
import { describeFailure } from '../../core/outcome.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { Published } from '../../core/record.ts';
import { type Judged, judged, REVIEW } from '../../core/review/review.ts';
import type { ProofSummary } from '../../core/rules.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { isWork, type Outcome, outcomeOf } from './iteration-outcome.ts';
import { headAfter, isBaseline, isCommit, type Moment } from './moments.ts';
import { type Spent, spentIn } from './spent.ts';

export interface Iteration extends Times, Spent {
  readonly number: number;
  readonly startedAt: Instant;
  /** Null if it is not over. */
  readonly endedAt: Instant | null;
  /** How often the agent was started for the work. */
  readonly tries: number;
  /** The agent that did the work, if it was not the loop's own. */
  readonly fallback?: string;
  /** It was stuck, and its agent was asked for a different plan. */
  readonly isPivot?: true;
  /** The reviews of its work, in order; absent if there were none. */
  readonly reviews?: readonly ReviewRow[];
  readonly outcome: Outcome;
  readonly checks: readonly CheckRow[];
  /** The proof of its claim, in a clean checkout; null if there was none. */
  readonly proof: ProofRow | null;
  /** How many files differ from the work tree before it; null if that is not known. */
  readonly filesChanged: number | null;
  /** The commit that it made; null if there is none. */
  readonly commit: string | null;
  /** What its agent committed itself; null if it committed nothing, or if that is not known. */
  readonly agentCommits: CommitRange | null;
  readonly published: readonly Pick<Published, 'task' | 'status' | 'detail'>[];
  /** Why runs of the agent failed, in order. */
  readonly faults: readonly string[];
}

/** `from`: the HEAD before; null if there was no commit yet. */
export interface CommitRange {
  readonly from: string | null;
  readonly to: string;
}

/** Only the time in which a supervisor drove the loop, without the time in which it was paused. */
export interface Times {
  readonly workedMs: Duration;
  readonly agentMs: Duration;
  readonly checksMs: Duration;
  /** Back-off, waiting for a service, and the delay between two iterations. */
  readonly waitedMs: Duration;
}

export interface CheckRow {
  /** Its command, or the name of its log if the journal does not say. */
  readonly label: string;
  readonly passed: boolean;
  /** `exit 1`, `timed out after 5m` */
  readonly how: string;
  /** Null for a check that is not a command. */
  readonly exitCode: number | null;
  readonly durationMs: Duration;
  readonly log: string;
  /** The SHA-256 of the log; null if there is none. */
  readonly digest: string | null;
}

export interface ProofRow extends ProofSummary {
  readonly durationMs: Duration;
}

export interface ReviewRow {
  /** The agent that reviewed; null if the journal does not say. */
  readonly by: string | null;
  readonly is: Judged['is'];
  /** The findings, or why there is no verdict; empty for an approval. */
  readonly words: string;
}

/** `newest`: for the last iteration, how the loop ended; null for an earlier iteration. */
export function iterationOf(
  group: readonly Moment[],
  newest: { readonly ending: Ending | null } | null,
  loopKind: string,
): Iteration {
  const [begin] = group;
  const isOver = newest === null || newest.ending !== null || group.at(-1)?.key.endsWith('/wait') === true;
  const lastWork = group.findLast(({ doing, result }) => doing !== 'wait' && result.kind !== 'continued');
  return {
    number: begin?.iteration ?? 0,
    startedAt: (begin?.at ?? 0) - (begin?.ms ?? 0),
    endedAt: isOver ? (lastWork?.at ?? null) : null,
    tries: group.filter(({ key, result }) => result.kind === 'started' && isWork(key)).length,
    ...defined({ fallback: lastStarted(group) }),
    ...(group.some(isPivotRun) ? { isPivot: true as const } : {}),
    ...defined({ reviews: reviewRows(group) }),
    outcome: outcomeOf(group, { isOver, ending: newest?.ending ?? null, loopKind }),
    checks: group.flatMap(checkRow),
    proof: group.flatMap(proofRow).at(-1) ?? null,
    filesChanged: filesChangedIn(group),
    commit: commitOf(group),
    agentCommits: agentCommitsOf(group),
    published: group.flatMap(({ result }) => (result.kind === 'published' ? [publishedRow(result)] : [])),
    faults: group.flatMap(faultIn),
    ...timesOf(group),
    ...spentIn(group.map(({ result }) => result)),
  };
}

/** The fallback that was started last; undefined for the loop's own agent. */
function lastStarted(group: readonly Moment[]): string | undefined {
  const last = group.findLast(({ key, result }) => result.kind === 'started' && isWork(key))?.result;
  return last?.kind === 'started' ? last.fallback : undefined;
}

const isReview = (key: string): boolean => key.includes(`/${REVIEW}/`);

const isPivotRun = ({ key, result }: Moment): boolean => result.kind === 'ran' && key.includes(`/${PIVOT}/`);

const runOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));

function reviewRows(group: readonly Moment[]): readonly ReviewRow[] | undefined {
  const rows = group.flatMap(({ key, result }): ReviewRow[] => {
    if (result.kind !== 'ran' || !isReview(key)) return [];
    const start = group.findLast((one) => one.result.kind === 'started' && runOf(one.key) === runOf(key))?.result;
    const before = start?.kind === 'started' && start.tree?.commit != null ? (start.tree.tree ?? null) : null;
    const { is, words } = judged(result, before);
    return [{ by: result.agent ?? null, is, words }];
  });
  return rows.length === 0 ? undefined : rows;
}

function checkRow({ result, asked }: Moment): CheckRow[] {
  if (result.kind !== 'checked' || isBaseline(result)) return [];
  const { index, outcome, log, durationMs, digest = null } = result;
  const { checks = [] } = asked;
  const label = checks[index % Math.max(1, checks.length)] ?? log.slice(log.lastIndexOf('/') + 1);
  const [passed, how, exitCode] = [hasPassed(result), describeOutcome(outcome), codeOfOutcome(outcome)];
  return [{ label, passed, how, exitCode, durationMs, log, digest }];
}

const proofRow = ({ summary, ms }: Moment): ProofRow[] =>
  summary?.proof === undefined ? [] : [{ ...summary.proof, durationMs: ms }];

/** The sum of all tries, because an agent that was cut off changes files, too. Null if one try was not compared. */
function filesChangedIn(group: readonly Moment[]): number | null {
  const counts = group.flatMap(({ key, result }) =>
    result.kind === 'ran' && !isReview(key) && result.tree?.commit != null ? (result.tree.changed ?? []) : [],
  );
  const tries = group.filter(({ key, result }) => result.kind === 'started' && isWork(key)).length;
  return counts.length === 0 || counts.length < tries ? null : counts.reduce((sum, count) => sum + count, 0);
}

const publishedRow = ({ task, status, detail }: Published) => ({ task, status, detail });

function faultIn({ result }: Moment): string[] {
  if (result.kind === 'unstartable') return [result.reason];
  if (result.kind !== 'ran' || result.outcome.kind === 'worked') return [];
  const { kind } = result.outcome;
  return [kind === 'failed' ? describeFailure(result) : `${kind}: ${describeFailure(result)}`];
}

export function timesOf(moments: readonly Moment[]): Times {
  const sum = (doing?: Moment['doing']): Duration =>
    moments.reduce((ms, moment) => ms + (doing === undefined || moment.doing === doing ? moment.ms : 0), 0);
  return { workedMs: sum(), agentMs: sum('agent'), checksMs: sum('checks'), waitedMs: sum('wait') };
}

/** The loop's own commit, or else the last one of the agent's that was judged. */
function commitOf(group: readonly Moment[]): string | null {
  const made = group.flatMap(({ result }) => (isCommit(result) ? result.detail : [])).at(-1);
  return made ?? judgedCommits(group)?.to ?? null;
}

/** For loop kinds whose steps record HEAD. */
function judgedCommits(group: readonly Moment[]): CommitRange | null {
  const from = group.findLast(({ summary }) => summary?.headBefore !== undefined)?.summary?.headBefore ?? null;
  const to = group.findLast(({ summary }) => summary?.headAfter !== undefined)?.summary?.headAfter ?? null;
  return to !== null && from !== to ? { from, to } : null;
}

/** Every snapshot of the work tree records HEAD. */
function agentCommitsOf(group: readonly Moment[]): CommitRange | null {
  if (group.some(({ summary }) => summary?.headAfter !== undefined)) return judgedCommits(group);
  const runs = group.filter(({ key, result }) => result.kind === 'ran' && isWork(key));
  const from = runs[0]?.headBefore;
  const to = runs.flatMap(({ result }) => headAfter(result) ?? []).at(-1);
  return from === undefined || to === undefined || from === to ? null : { from, to };
}
