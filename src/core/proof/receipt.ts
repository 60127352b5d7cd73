/**
 * A receipt: what was checked of a loop's work, at which commit, and with what result. It is an in-toto statement, so
 * that others can read, sign and verify it. Pure.
 */
import { type AskedCheck, type CheckOutcome, codeOfOutcome, describeOutcome } from '../check.ts';
import type { Duration } from '../time.ts';
import type { Proof, ProofRun, ProofTerms, ProvedCheck } from './proof.ts';
import type { TestCounts } from './test-case.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** Our own type; a URN, because no host stands for it. */
export const RECEIPT_TYPE = 'urn:ralph-harness:receipt:v1';

export interface Receipt {
  readonly _type: typeof STATEMENT_TYPE;
  /** Exactly one: what was checked. */
  readonly subject: readonly { readonly name: string; readonly digest: GitDigest }[];
  readonly predicateType: typeof RECEIPT_TYPE;
  readonly predicate: ReceiptPredicate;
}

/** The commit; if nothing was committed, the tree of its files. */
export type GitDigest = { readonly gitCommit: string } | { readonly gitTree: string };

export interface ReceiptPredicate {
  readonly loop: ReceiptLoop;
  /** The checks ran in a clean checkout, under the terms of a proof; otherwise in the agent's work tree. */
  readonly isProved: boolean;
  /** The folder of the checks in the repository; empty for its root. */
  readonly folder: string;
  /** What the loop began with; null if unknown. */
  readonly base: GitTree | null;
  readonly at: GitTree;
  readonly setup: ReceiptRun | null;
  /** What the work had to satisfy; absent in older receipts. */
  readonly criteria?: readonly ReceiptCriterion[] | undefined;
  readonly checks: readonly ReceiptCheck[];
  /** The checks when the loop began, if a person has let it take over others since; absent otherwise. */
  readonly checksAtStart?: readonly string[] | undefined;
  /** The same with the pinned files as at the start, and no new tests; null if there was no need. */
  readonly pinned: ReceiptPinned | null;
  /** The last review by another agent, or null. */
  readonly review: ReceiptReview | null;
  /** Null without a proof. */
  readonly terms: Omit<ProofTerms, 'setup'> | null;
  readonly pins: ReceiptPins;
}

export interface ReceiptLoop {
  readonly id: string;
  readonly kind: string;
  /** The release of ralph. */
  readonly release: string;
  /** The first line of the agent's task. */
  readonly task: string | null;
  /** In the format of RFC 3339. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly iterations: number;
  readonly agent: string | null;
  readonly models: readonly string[];
  readonly cost: ReceiptCost;
}

/** `isComplete`: the cost of every run is known. */
export interface ReceiptCost {
  readonly usd: number | null;
  readonly source: 'reported' | 'estimated' | 'both' | 'unknown';
  readonly isComplete: boolean;
}

export interface Criterion {
  /** The story's id; null for the task of a loop without stories. */
  readonly id: string | null;
  readonly text: string;
  readonly acceptanceCriteria: readonly string[];
}

export interface ReceiptCriterion extends Criterion {
  /** The commands of the checks that counted for it. */
  readonly checks: readonly string[];
}

/** `tree` is null if only the commit is known. */
export interface GitTree {
  readonly commit: string | null;
  readonly tree: string | null;
}

export interface ReceiptRun {
  readonly command: string;
  readonly outcome: CheckOutcome['is'];
  /** For people: `exit 1`, `2 of 12 tests failed`. */
  readonly how: string;
  /** Null for a check that is not a command, and for a command that was not seen to exit. */
  readonly exitCode: number | null;
  /** The digest of its whole output; null if that was not kept. */
  readonly log: { readonly sha256: string } | null;
}

export interface ReceiptCheck extends ReceiptRun {
  /** Null for a command. */
  readonly check: AskedCheck | null;
  readonly timeoutMs: Duration | null;
  /** Null if its runner reports nothing that can be read. */
  readonly tests: TestCounts | null;
  /** Its outcome before the work began; null if unknown. */
  readonly atStart: CheckOutcome['is'] | null;
  /** How many tests it had at the start, null if none were reported; absent if unknown, as in older receipts. */
  readonly testsAtStart?: TestCounts | null | undefined;
  readonly isWitness: boolean;
  readonly isFlaky: boolean;
  /** It failed before the work began, so it did not count. */
  readonly isExcused: boolean;
}

export interface ReceiptPinned {
  readonly changed: readonly string[];
  readonly setup: ReceiptRun | null;
  readonly checks: readonly ReceiptCheck[];
}

/** `by`: the agent; null if unknown. */
export interface ReceiptReview {
  readonly by: string | null;
  /** `none`: it gave no verdict, or one that does not count. */
  readonly verdict: 'approved' | 'rejected' | 'none';
}

export interface ReceiptPins {
  /** The tests, and what controls them, at the start: the blob of each path. */
  readonly files: Readonly<Record<string, string>>;
  /** The settings at the start: the SHA-256 of each file, or null if it did not exist. */
  readonly settings: Readonly<Record<string, string | null>>;
}

export function receiptOf(project: string, predicate: ReceiptPredicate): Receipt {
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: project, digest: digestOf(predicate.at) }],
    predicateType: RECEIPT_TYPE,
    predicate,
  };
}

/** The commit, if there is one. */
function digestOf({ commit, tree }: GitTree): GitDigest {
  if (commit !== null) return { gitCommit: commit };
  if (tree === null) throw new Error('a receipt is of a commit or of a tree');
  return { gitTree: tree };
}

/** Every check that counted has to pass for each criterion. */
export function receiptCriteria(criteria: readonly Criterion[], checks: readonly ReceiptCheck[]): ReceiptCriterion[] {
  const counted = checks.filter(({ isExcused }) => !isExcused).map(({ command }) => command);
  return criteria.map((criterion) => ({ ...criterion, checks: counted }));
}

/** `start`: the checks before the work began, in the same order. */
export function receiptChecks(checks: readonly ProvedCheck[], start: readonly StartRun[]): ReceiptCheck[] {
  return checks.map((check, index) => {
    const before = start[index]?.command === check.command ? start[index] : undefined;
    return {
      ...receiptRun(check),
      check: check.check ?? null,
      timeoutMs: check.timeoutMs ?? null,
      tests: check.tests ?? null,
      atStart: before?.outcome.is ?? null,
      ...(before === undefined ? {} : { testsAtStart: before.tests ?? null }),
      isWitness: check.isWitness === true,
      isFlaky: check.isFlaky === true,
      isExcused: check.isExcused === true,
    };
  });
}

type StartRun = ProofRun & Pick<ProvedCheck, 'tests'>;

export function receiptRun(run: ProvedCheck): ReceiptRun {
  const { command, outcome, digest } = run;
  const log = digest === undefined ? null : { sha256: digest };
  return { command, outcome: outcome.is, how: describeOutcome(outcome), exitCode: exitCodeOf(run), log };
}

/** A command that passed exited with 0, whatever its tests say. */
function exitCodeOf({ outcome, check }: ProvedCheck): number | null {
  if (outcome.is === 'timed-out' || outcome.is === 'unseen') return null;
  const isCommand = check === undefined || typeof check.given.command === 'string';
  return outcome.is === 'passed' && isCommand ? 0 : codeOfOutcome(outcome);
}

export function receiptPinned(pinned: Proof['pinned'], start: readonly StartRun[]): ReceiptPinned | null {
  if (pinned === null) return null;
  const { changed, setup, checks } = pinned;
  return { changed, setup: setup === null ? null : receiptRun(setup), checks: receiptChecks(checks, start) };
}

/** `51affc0`, or `the tree 1c2d3e4` if there is no commit. */
export const placeWords = ({ commit, tree }: GitTree): string =>
  commit === null ? `the tree ${(tree ?? '').slice(0, 7)}` : commit.slice(0, 7);
