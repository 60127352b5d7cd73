/** Makes the receipt of a finished loop of any kind by folding its records. Pure. */
import { RalphError } from '../core/error.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import { isEmpty, otherChecksOfStart } from '../core/proof/claims.ts';
import { type BaseProof, holds, type Proof } from '../core/proof/proof.ts';
import {
  type Criterion,
  type GitTree,
  type Receipt,
  type ReceiptCheck,
  type ReceiptCost,
  type ReceiptLoop,
  type ReceiptPins,
  type ReceiptReview,
  receiptChecks,
  receiptCriteria,
  receiptOf,
  receiptPinned,
  receiptRun,
} from '../core/proof/receipt.ts';
import type { Created, Recorded } from '../core/record.ts';
import { isFields } from '../core/text/json.ts';
import type { Instant } from '../core/time.ts';
import type { CheckRow } from './timeline/iteration.ts';
import type { Spent } from './timeline/spent.ts';
import { type Timeline, timelineOf } from './timeline/timeline.ts';

/** What a receipt needs that is not in the records. */
export interface ReceiptPlace {
  /** The name of the repository. */
  readonly project: string;
  /** The directory of the loop, relative to the top of the repository. */
  readonly folder: string;
  /** The blobs of the files that were pinned when the loop began. */
  readonly pinned: ReceiptPins['files'];
  /** Null if the task is the only criterion. */
  readonly criteria: readonly Criterion[] | null;
}

export interface LoopProof {
  readonly base: BaseProof;
  readonly proof: Proof;
}

/** The proof of the last claim; null if it was not proved. Every loop kind with these steps means the same by them. */
export function loopProof(records: readonly Recorded[]): LoopProof | null {
  const gaveOf = (what: string): unknown =>
    records.findLast(({ result }) => result.kind === 'stepped' && result.what === what)?.result;
  const [base, proof] = [gaveOf('prove-base'), gaveOf('prove')].map((result) =>
    isFields(result) ? result.gave : null,
  );
  return isBase(base) && isProof(proof) && holds(proof) ? { base, proof } : null;
}

/** A journal can be edited, so its form is checked; what ralph wrote has these types. */
const isRun = (gave: unknown): gave is BaseProof | Proof =>
  isFields(gave) && isFields(gave.at) && Array.isArray(gave.checks);
const isBase = (gave: unknown): gave is BaseProof => isRun(gave) && typeof Reflect.get(gave, 'tests') === 'string';
const isProof = (gave: unknown): gave is Proof => isRun(gave) && Array.isArray(Reflect.get(gave, 'findings'));

export function loopReceipt(
  records: readonly Recorded[],
  machine: Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>,
  { project, folder, pinned, criteria }: ReceiptPlace,
): Receipt {
  const timeline = timelineOf(records, machine);
  const created = createdIn(records);
  const loop = loopOf(timeline, created);
  const settings = settingsOf(created);
  const review = reviewOf(timeline);
  const wanted = criteria ?? [{ id: null, text: loop.task ?? 'the task', acceptanceCriteria: [] }];
  const proved = loopProof(records);
  if (proved === null) {
    const base = created.base?.commit == null ? null : { commit: created.base.commit, tree: null };
    const checks = lastOfEach(timeline.iterations.at(-1)?.checks ?? []).map(workTreeCheck);
    const none = { setup: null, pinned: null, review, terms: null };
    const at = committedTree(timeline, records);
    return receiptOf(project, {
      loop,
      isProved: false,
      folder,
      base,
      at,
      criteria: receiptCriteria(wanted, checks),
      checks,
      ...none,
      pins: { files: {}, settings },
    });
  }
  const { base, proof } = proved;
  const before = otherChecksOfStart(base, proof);
  const { setup: _setup, ...terms } = proof.terms ?? NO_TERMS;
  const checks = receiptChecks(proof.checks, base.checks);
  return receiptOf(project, {
    loop,
    isProved: !isEmpty(proof),
    folder,
    base: { commit: base.at.commit, tree: base.at.tree },
    at: { commit: proof.at?.commit ?? null, tree: proof.at?.tree ?? null },
    setup: proof.setup === null ? null : receiptRun(proof.setup),
    criteria: receiptCriteria(wanted, checks),
    checks,
    ...(before === null ? {} : { checksAtStart: before }),
    pinned: receiptPinned(proof.pinned, base.checks),
    review,
    terms,
    pins: { files: pinned, settings },
  });
}

const NO_TERMS = { setup: null, include: [], pins: [], allowEdit: [], acceptFlaky: false };

function reviewOf({ iterations }: Timeline): ReceiptReview | null {
  const last = iterations.flatMap(({ reviews = [] }) => reviews).at(-1);
  return last === undefined ? null : { by: last.by, verdict: last.is };
}

function createdIn([first]: readonly Recorded[]): Created {
  if (first?.result.kind !== 'created') throw new Error('a journal without a first record has no receipt');
  return first.result;
}

function loopOf(timeline: Timeline, { release }: Created): ReceiptLoop {
  const { id, loopKind: kind, task, agent, startedAt, at, iterations, totals } = timeline;
  return {
    id,
    kind,
    release,
    task,
    startedAt: dateOf(startedAt),
    endedAt: dateOf(at),
    iterations: iterations.length,
    agent,
    models: totals.models,
    cost: costOf(totals),
  };
}

const dateOf = (at: Instant): string => new Date(at).toISOString();

function costOf({ costUsd: usd, runs, runsWithoutCost, estimatedRuns }: Spent): ReceiptCost {
  const told = runs - runsWithoutCost;
  const isComplete = usd !== null && runsWithoutCost === 0;
  if (usd === null) return { usd, source: 'unknown', isComplete };
  if (estimatedRuns === 0) return { usd, source: 'reported', isComplete };
  return { usd, source: estimatedRuns < told ? 'both' : 'estimated', isComplete };
}

/** An absolute path is a file of the user's own: it is named without the home folder. */
function settingsOf({ base }: Created): ReceiptPins['settings'] {
  const short = (path: string): string => (path.startsWith('/') ? `…/${path.split('/').slice(-2).join('/')}` : path);
  return Object.fromEntries(Object.entries(base?.pins ?? {}).map(([path, hash]) => [short(path), hash]));
}

/** Keeps the last run of each check: an iteration can run one more than once. */
function lastOfEach(rows: readonly CheckRow[]): CheckRow[] {
  return rows.filter(({ label }, index) => !rows.slice(index + 1).some((later) => later.label === label));
}

/** A check that failed although the loop is done was excused. */
function workTreeCheck({ label, passed, how, exitCode, digest }: CheckRow): ReceiptCheck {
  return {
    command: label,
    outcome: passed ? 'passed' : 'failed',
    how,
    exitCode: passed ? (exitCode ?? 0) : exitCode,
    log: digest === null ? null : { sha256: digest },
    check: null,
    timeoutMs: null,
    tests: null,
    atStart: null,
    isWitness: false,
    isFlaky: false,
    isExcused: !passed,
  };
}

/** The commit of the last iteration, or else the tree that its agent left. */
function committedTree({ iterations }: Timeline, records: readonly Recorded[]): GitTree {
  const commit = iterations.at(-1)?.commit ?? null;
  if (commit !== null) return { commit, tree: null };
  const trees = records.flatMap(({ result }) =>
    result.kind === 'ran' && result.tree?.commit != null ? [result.tree] : [],
  );
  const tree = trees.at(-1)?.tree ?? null;
  if (tree !== null) return { commit: null, tree };
  throw new RalphError(
    'NO_TREE',
    'its records name no commit and no files: there is nothing that a receipt could be of',
    {
      hint: 'Work in a git repository.',
    },
  );
}
