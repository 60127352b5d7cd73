/** Compares a receipt with what running its checks again has shown. Pure. */
import { hasPassed } from '../check.ts';
import { namesOf } from './names-of.ts';
import type { CleanRun, ProofRun, ProvedTree } from './proof.ts';
import {
  placeWords,
  type ReceiptCheck,
  type ReceiptPredicate,
  type ReceiptRun,
  receiptChecks,
  receiptRun,
} from './receipt.ts';
import { resultWords } from './receipt-text.ts';

/**
 * `red`: the same result, but not a pass. `excused`: likewise, for a check that the receipt does not count while others
 * passed. `unknown`: it could not be compared here.
 */
export interface ComparedRow {
  readonly what: string;
  readonly receipt: string;
  readonly here: string;
  readonly is: 'same' | 'different' | 'red' | 'excused' | 'unknown';
  /** The end of what it printed here, if it did not pass. */
  readonly output?: string;
  /** The digests of the output. They are not compared, because times differ in every run. */
  readonly logs?: { readonly receipt: string | null; readonly here: string | null };
}

/** The results of running the checks again in a clean checkout. */
export interface Reproduced extends CleanRun {
  readonly at: ProvedTree;
  /** Null if the start is not known here. `again`: the checks with the pinned files of the start, if some changed. */
  readonly pinned: {
    readonly changed: readonly string[];
    readonly again: CleanRun | null;
    /** Files of the start that differ from what the receipt says. */
    readonly unlike?: readonly string[];
  } | null;
}

export const isReproduced = (rows: readonly ComparedRow[]): boolean =>
  rows.every(({ is }) => is === 'same' || is === 'excused' || is === 'unknown');

export function compareReceipt(claimed: ReceiptPredicate, here: Reproduced): ComparedRow[] {
  return [treeRow(claimed, here), ...runRows(claimed, here, '', mayFail(claimed)), ...pinnedRows(claimed, here)];
}

/** For each check: may it fail? If none counted, none may: otherwise nothing would have to pass. */
function mayFail({ checks }: ReceiptPredicate): boolean[] {
  const counts = checks.some(({ isExcused }) => !isExcused);
  return checks.map(({ isExcused }) => counts && isExcused);
}

function treeRow({ at }: ReceiptPredicate, { at: found }: Reproduced): ComparedRow {
  const isSame = at.tree === null || at.tree === found.tree;
  const what = `files of ${placeWords(at)}`;
  const here = `tree ${found.tree.slice(0, 7)}`;
  // A commit identifies its files, even if the receipt does not name the tree.
  return {
    what,
    receipt: at.tree === null ? here : `tree ${at.tree.slice(0, 7)}`,
    here,
    is: isSame ? 'same' : 'different',
  };
}

type Runs = { readonly setup: ReceiptRun | null; readonly checks: readonly ReceiptCheck[] };

/** `note`: which of the two runs it is. */
function runRows(claimed: Runs, here: CleanRun, note: string, excused: readonly boolean[]): ComparedRow[] {
  const setup = here.setup === null ? null : receiptRun(here.setup);
  const isSetUp = here.setup === null || hasPassed(here.setup);
  const checks = receiptChecks(here.checks, []);
  return [
    ...(claimed.setup === null && (setup === null || isSetUp)
      ? []
      : [{ ...setupRow(claimed.setup, setup, note), ...outputOf(here.setup) }]),
    ...claimed.checks.map((check, index) => ({
      ...checkRow(check, checks[index] ?? null, note, excused[index] === true),
      ...outputOf(here.checks[index]),
    })),
    // Checks that the receipt does not mention: it does not claim that they pass.
    ...checks.slice(claimed.checks.length).map((check) => {
      return {
        what: `${note}${check.command}`,
        receipt: 'not run',
        here: resultWords(check),
        is: 'different' as const,
      };
    }),
  ];
}

const outputOf = (run: ProofRun | null | undefined) =>
  run == null || hasPassed(run) || run.output === '' ? {} : { output: run.output };

/** A setup that the receipt does not mention was given by the person who verifies it. */
function setupRow(claimed: ReceiptRun | null, here: ReceiptRun | null, note: string): ComparedRow {
  const isSame = claimed === null || here === null ? here === null : isSameRun(claimed, here);
  const what = `${note}${(here ?? claimed)?.command ?? ''}`;
  return { what, ...wordsOf(claimed, here), is: isSame ? 'same' : 'different' };
}

function checkRow(claimed: ReceiptCheck, here: ReceiptCheck | null, note: string, isExcused: boolean): ComparedRow {
  const what = `${note}${claimed.command}`;
  if (here === null) return { what, receipt: resultWords(claimed), here: 'not run', is: 'different' };
  const row = { what, ...wordsOf(claimed, here), logs: { receipt: hashOf(claimed), here: hashOf(here) } };
  if (here.isFlaky && !claimed.isFlaky) return { ...row, here: 'flaky: failed, then passed', is: 'different' };
  if (!isSameRun(claimed, here) || !hasSameTests(claimed, here)) return { ...row, is: 'different' };
  return { ...row, is: here.outcome === 'passed' ? 'same' : isExcused ? 'excused' : 'red' };
}

const isSameRun = (one: ReceiptRun, other: ReceiptRun): boolean =>
  one.outcome === other.outcome && one.exitCode === other.exitCode;

/** A receipt without test counts was made where none could be counted. */
function hasSameTests({ tests: one }: ReceiptCheck, { tests: other }: ReceiptCheck): boolean {
  if (one === null) return true;
  return other !== null && (['passed', 'failed', 'skipped'] as const).every((key) => one[key] === other[key]);
}

function wordsOf(claimed: ReceiptRun | null, here: ReceiptRun | null) {
  const words = (run: ReceiptRun | null): string => (run === null ? 'none' : resultWords(run));
  return { receipt: words(claimed), here: words(here) };
}

const hashOf = ({ log }: ReceiptRun): string | null => log?.sha256 ?? null;

function pinnedRows(predicate: ReceiptPredicate, here: Reproduced): ComparedRow[] {
  const { isProved, pinned, base, pins, terms } = predicate;
  if (!isProved) return [];
  const claimed = pinned?.changed ?? [];
  const allowed = terms?.allowEdit ?? [];
  const freed = allowed.length === 0 ? '' : `, apart from what was freed: ${namesOf(allowed)}`;
  const row = { what: 'pinned files', receipt: changedWords(claimed) + freed };
  if (here.pinned === null) {
    const why = base?.commit == null ? 'the loop began with uncommitted files' : 'the start of the loop is not here';
    return [{ ...row, here: why, is: 'unknown' }];
  }
  const { changed, again, unlike = [] } = here.pinned;
  const isSame = changed.length === claimed.length && changed.every((path) => claimed.includes(path));
  const compared: ComparedRow = { ...row, here: changedWords(changed) + freed, is: isSame ? 'same' : 'different' };
  // If the receipt has no run with the pinned files, this one must give the same results as the one without them.
  const runs = again === null ? [] : runRows(pinned ?? passing(here), again, 'with pinned files: ', mayFail(predicate));
  const start: ComparedRow = {
    what: 'pinned files at the start',
    receipt: `${Object.keys({ ...pins.files, ...pins.settings }).length} files`,
    here: `different: ${namesOf(unlike)}`,
    is: 'different',
  };
  return [compared, ...(unlike.length === 0 ? [] : [start]), ...runs];
}

/** What to expect if the receipt has no such run: the results without the pinned files, with any number of tests. */
function passing({ setup, checks }: CleanRun): Runs {
  const uncounted = receiptChecks(checks, []).map((check) => ({ ...check, tests: null }));
  return { setup: setup === null ? null : receiptRun(setup), checks: uncounted };
}

const changedWords = (changed: readonly string[]): string =>
  changed.length === 0 ? 'none changed' : `changed: ${namesOf(changed)}`;
