/** What a loop did, iteration by iteration: one fold of its journal for every loop kind. Pure. */
import { codeOfOutcome, describeOutcome, hasPassed } from '../core/check.ts';
import { defined } from '../core/defined.ts';
import type { Ending } from '../core/ending.ts';
import type { Asked, LoopMachine } from '../core/machine.ts';
import { describeFailure } from '../core/outcome.ts';
import { PIVOT } from '../core/progress/progress.ts';
import { drivenMs, type Published, type Recorded, type Result } from '../core/record.ts';
import { type Judged, judged, REVIEW } from '../core/review/review.ts';
import type { ProofSummary, StepSummary } from '../core/rules.ts';
import type { Duration, Instant } from '../core/time.ts';
import { isWork, type Outcome, outcomeOf } from './iteration-outcome.ts';
import { NOTHING_SPENT, type Spent, spentIn, spentTogether } from './spent.ts';

export interface Timeline {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  /** The agent's command; null where the journal does not tell. */
  readonly agent: string | null;
  /** The first line of what the agent was asked; null where the journal does not tell. */
  readonly task: string | null;
  readonly startedAt: Instant;
  /** When the last record was made. */
  readonly at: Instant;
  readonly iterations: readonly Iteration[];
  readonly totals: Times & Spent;
  /** Null for a loop that is not over, or was continued since. */
  readonly ending: Ending | null;
}

export interface Iteration extends Times, Spent {
  readonly number: number;
  readonly startedAt: Instant;
  /** Null where it is not over. */
  readonly endedAt: Instant | null;
  /** How often the agent was started for the work. */
  readonly tries: number;
  /** The agent that did it, where it is not the loop's own. */
  readonly fallback?: string;
  /** It was stuck, and its agent was asked for a different plan. */
  readonly isPivot?: true;
  /** What came of the runs that reviewed its work, in their order; absent for none. */
  readonly reviews?: readonly ReviewRow[];
  readonly outcome: Outcome;
  readonly checks: readonly CheckRow[];
  /** Of its claim, in a clean checkout; null where none was made. */
  readonly proof: ProofRow | null;
  /** In how many files its work tree differs from the one before; null where that was not kept. */
  readonly filesChanged: number | null;
  /** The commit that it made; null for none. */
  readonly commit: string | null;
  /** What its agent has committed itself; null for nothing, and where that is not known. */
  readonly agentCommits: CommitRange | null;
  readonly published: readonly Pick<Published, 'task' | 'status' | 'detail'>[];
  /** Why runs of the agent came to nothing, in their order. */
  readonly faults: readonly string[];
}

/** `from`: where HEAD stood; null where there was no commit yet. */
export interface CommitRange {
  readonly from: string | null;
  readonly to: string;
}

/** Only while a supervisor drove the loop: not the time in which it stood still. */
export interface Times {
  readonly workedMs: Duration;
  readonly agentMs: Duration;
  readonly checksMs: Duration;
  /** Back-off, pauses and the rest between two iterations. */
  readonly waitedMs: Duration;
}

export interface CheckRow {
  /** Its command; its log's name where the journal does not tell. */
  readonly label: string;
  readonly passed: boolean;
  /** `exit 1`, `timed out after 5m` */
  readonly how: string;
  /** Null for a check that is no command. */
  readonly exitCode: number | null;
  readonly durationMs: Duration;
  readonly log: string;
  /** The SHA-256 of the log; null where there is none. */
  readonly digest: string | null;
}

export interface ProofRow extends ProofSummary {
  readonly durationMs: Duration;
}

/** A record with what was known when it was made. */
export interface Moment {
  readonly iteration: number;
  readonly key: string;
  readonly at: Instant;
  readonly result: Result;
  /** How long it took, with a supervisor. */
  readonly ms: Duration;
  readonly doing: 'agent' | 'checks' | 'wait' | 'other';
  readonly asked: Asked;
  /** Of a step of the loop kind's own. */
  readonly summary: StepSummary | null;
  /** Where HEAD stood before it, as far as the records before tell; null for no commit, undefined where it is not known. */
  readonly headBefore: string | null | undefined;
}

type KindMachine = Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>;

/** `machine`: of the loop's kind, which knows what its records mean. */
export function timelineOf(records: readonly Recorded[], machine: KindMachine): Timeline {
  const [first] = records;
  if (first?.result.kind !== 'created') throw new Error('a journal without a first record has no timeline');
  const { id, loopKind, cwd } = first.result;
  const moments = momentsOf(records, machine);
  const last = moments.at(-1);
  const ending = last?.result.kind === 'ended' ? last.result.ending : null;
  const iterations = grouped(moments)
    .filter(hasBegun)
    .map((group, index, groups) => iterationOf(group, index + 1 === groups.length ? { ending } : null, loopKind));
  // The last inputs of all may be those that ended the loop, such as a prompt that is gone.
  const asked = moments.map((moment) => moment.asked);
  return {
    id,
    loopKind,
    cwd,
    agent: nameOf(asked.findLast(({ agent }) => agent !== null)?.agent ?? null),
    task: firstLine(asked.findLast(({ task }) => task !== null)?.task ?? null),
    startedAt: first.at,
    at: last?.at ?? first.at,
    iterations,
    // Also of what came before the first iteration, and between two.
    totals: { ...timesOf(moments), ...iterations.reduce(spentTogether, NOTHING_SPENT) },
    ending,
  };
}

/** An iteration that has none of these was never more than a look at the inputs. */
const BEGINS: ReadonlySet<Result['kind']> = new Set(['started', 'unstartable', 'ran', 'checked', 'published']);

export function hasBegun(records: readonly Pick<Recorded, 'result'>[]): boolean {
  return records.some(({ result }) => BEGINS.has(result.kind) && !isBaseline(result));
}

/** The wait for a person's answer. */
const ASKS = /^\d+\/ask\//;

/** That a supervisor left took no time, and nothing came of it. */
function momentsOf(all: readonly Recorded[], machine: KindMachine): Moment[] {
  const records = all.filter(({ result }) => result.kind !== 'left');
  const created = records[0]?.result;
  const options = created?.kind === 'created' ? created.options : null;
  let asked = machine.asked(options, null);
  let iteration = 1;
  let head = created?.kind === 'created' ? created.base?.commit : undefined;
  return records.slice(1).map((record, index) => {
    const { key, at, result } = record;
    const before = records[index];
    if (result.kind === 'inputs' && result.inputs !== undefined) asked = machine.asked(options, result.inputs);
    const summary = result.kind === 'stepped' ? machine.stepSummary(result.what, result.gave) : null;
    // An ending, and what takes it back, belong to the iteration that they come upon.
    iteration = Number.parseInt(key, 10) || iteration;
    // In a pause, and before a loop is continued, it stands still.
    const isAfterPause = before?.result.kind === 'waited' && before.result.command === 'pause';
    const isStill = result.kind === 'continued' || isAfterPause || ASKS.test(key);
    const ms = isStill ? 0 : drivenMs(record, before?.at ?? at);
    const headBefore = head;
    head = headAfter(result) ?? head;
    const doing = doingOf(result, before?.result, summary);
    return { iteration, key, at, result, ms, doing, asked, summary, headBefore };
  });
}

/** Where HEAD stood; undefined where the record does not tell. */
export function headAfter(result: Result): string | undefined {
  if (isCommit(result)) return result.detail;
  const tree = result.kind === 'started' || result.kind === 'ran' ? result.tree : undefined;
  return tree?.commit == null ? undefined : tree.head;
}

function doingOf({ kind }: Result, before: Result | undefined, summary: StepSummary | null): Moment['doing'] {
  if (kind === 'checked' || summary?.isChecking === true) return 'checks';
  if (kind === 'waited') return 'wait';
  const isCutOff = before?.kind === 'started' && (kind === 'interrupted' || kind === 'ended');
  return kind === 'started' || kind === 'ran' || isCutOff ? 'agent' : 'other';
}

function grouped(moments: readonly Moment[]): Moment[][] {
  const groups: Moment[][] = [];
  for (const moment of moments) {
    const group = groups.at(-1);
    if (group?.[0]?.iteration === moment.iteration) group.push(moment);
    else groups.push([moment]);
  }
  return groups;
}

/** `newest`: for the last iteration, how the loop ended; null for one that others followed. */
function iterationOf(
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

/** Undefined for the loop's own agent. */
function lastStarted(group: readonly Moment[]): string | undefined {
  const last = group.findLast(({ key, result }) => result.kind === 'started' && isWork(key))?.result;
  return last?.kind === 'started' ? last.fallback : undefined;
}

const isBaseline = (result: Result): boolean => result.kind === 'checked' && result.isBaseline === true;

const isReview = (key: string): boolean => key.includes(`/${REVIEW}/`);

const isPivotRun = ({ key, result }: Moment): boolean => result.kind === 'ran' && key.includes(`/${PIVOT}/`);

export interface ReviewRow {
  /** The agent that reviewed; null where the journal does not tell. */
  readonly by: string | null;
  readonly is: Judged['is'];
  /** The findings, or why there is no verdict; empty for an approval. */
  readonly words: string;
}

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

/** Of all tries: what an agent that was cut off has written is a change, too. Not known if one of them was not compared. */
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

function timesOf(moments: readonly Moment[]): Times {
  const sum = (doing?: Moment['doing']): Duration =>
    moments.reduce((ms, moment) => ms + (doing === undefined || moment.doing === doing ? moment.ms : 0), 0);
  return { workedMs: sum(), agentMs: sum('agent'), checksMs: sum('checks'), waitedMs: sum('wait') };
}

/** What an iteration left in the history: a commit of the loop's, or what was judged of its agent's. */
function commitOf(group: readonly Moment[]): string | null {
  const made = group.flatMap(({ result }) => (isCommit(result) ? result.detail : [])).at(-1);
  return made ?? judgedCommits(group)?.to ?? null;
}

/** Of a loop kind whose steps say where HEAD stood. */
function judgedCommits(group: readonly Moment[]): CommitRange | null {
  const from = group.findLast(({ summary }) => summary?.headBefore !== undefined)?.summary?.headBefore ?? null;
  const to = group.findLast(({ summary }) => summary?.headAfter !== undefined)?.summary?.headAfter ?? null;
  return to !== null && from !== to ? { from, to } : null;
}

/** HEAD is looked at with every snapshot of the work tree. */
function agentCommitsOf(group: readonly Moment[]): CommitRange | null {
  if (group.some(({ summary }) => summary?.headAfter !== undefined)) return judgedCommits(group);
  const runs = group.filter(({ key, result }) => result.kind === 'ran' && isWork(key));
  const from = runs[0]?.headBefore;
  const to = runs.flatMap(({ result }) => headAfter(result) ?? []).at(-1);
  return from === undefined || to === undefined || from === to ? null : { from, to };
}

function isCommit(result: Result): result is Result & { readonly kind: 'published' } {
  return result.kind === 'published' && result.task === 'commit' && result.status === 'done' && result.detail !== '';
}

const nameOf = (command: string | null): string | null => command?.slice(command.lastIndexOf('/') + 1) ?? null;

const firstLine = (text: string | null): string | null => text && (text.trim().split('\n', 1)[0]?.trim() ?? '');
