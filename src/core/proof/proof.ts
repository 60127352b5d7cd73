/** A proof: the checks again, in a clean checkout that no agent touched, and whether the result is the same. Pure. */
import { type AskedCheck, type Checked, type CheckSpec, describeOutcome } from '../check.ts';
import type { Duration } from '../time.ts';
import { type TestChanges, wordsOfChanges } from './compare-tests.ts';
import { namesOf } from './names-of.ts';
import type { TestCounts } from './test-case.ts';

/** The options of a loop that proves its work. */
export type ProofTerms = {
  /** The command that makes a fresh clone ready; null to detect it from the files of the project. */
  readonly setup: string | null;
  /** Files that git ignores but the checks need, as patterns like those of `.gitignore`. */
  readonly include: readonly string[];
  /** More files that decide about the checks, as git's pathspecs. */
  readonly pins: readonly string[];
  /** Those that the agent may change nevertheless. */
  readonly allowEdit: readonly string[];
  /** A check that fails and then passes on the same tree counts as passed. */
  readonly acceptFlaky: boolean;
};

/** What is checked out: a commit of the project, or a snapshot of its work tree. */
export interface ProvedTree {
  /** The commit that contains it: in the project, or among the loop's snapshots. */
  readonly at: string;
  readonly tree: string;
  /** The project's commit with these files; null if there is none. */
  readonly commit: string | null;
}

/** A check to be proved; the proof decides where its log goes. */
export type AskedProofCheck = Pick<CheckSpec, 'kind' | 'given' | 'keepChars' | 'keeps' | 'timeoutMs'> & {
  /** What people and the agent call it. */
  readonly command: string;
  /** It must have failed before the work began. */
  readonly isWitness?: true;
  /** It failed before the work began, so it does not count. */
  readonly isExcused?: true;
  /** It has failed before on the same files in git, so it has to pass several times. */
  readonly isSuspect?: true;
};

export interface BaseAsked {
  readonly terms: ProofTerms;
  readonly checks: readonly AskedProofCheck[];
  /** The loop will prove commits. */
  readonly commits?: boolean;
}

export interface ClaimAsked extends BaseAsked {
  /** `commands`: those of the checks at the start. A person may have changed the settings since. */
  readonly base: Pick<BaseProof, 'at' | 'tests' | 'head'> & {
    readonly commands: readonly string[];
    /** Those whose test report could not be read at the start either; absent for none. */
    readonly unread?: readonly string[];
  };
  /** The loop commits its work, so that commit is proved. */
  readonly isCommitted: boolean;
  readonly iteration: number;
  /** The snapshot of what the agent left; null if there is none. */
  readonly snapshot: string | null;
}

/** A command that ran in a clean checkout. */
export type ProofRun = Pick<Checked, 'outcome' | 'durationMs' | 'log' | 'digest' | 'output' | 'truncated'> & {
  readonly command: string;
};

export interface ProvedCheck extends ProofRun {
  /** Absent if its runner reports nothing that we can read. */
  readonly tests?: TestCounts;
  /** What is wrong with its test report, to follow the words `its report of tests`; absent if nothing is. */
  readonly unread?: string;
  /** It failed first and passed the second time, or the other way round. */
  readonly isFlaky?: true;
  /** The run that failed. */
  readonly failed?: Omit<ProofRun, 'command'>;
  /** What was asked for, so that it can be run again. Absent for a command. */
  readonly check?: AskedCheck;
  readonly timeoutMs?: Duration;
  readonly isWitness?: true;
  readonly isExcused?: true;
}

/** What was run in one clean checkout. */
export interface CleanRun {
  /** Null if the project needs none. */
  readonly setup: ProofRun | null;
  /** Empty if the setup failed. */
  readonly checks: readonly ProvedCheck[];
}

/** The proof of the tree that the loop began with. */
export interface BaseProof extends CleanRun {
  readonly at: ProvedTree;
  /** The project's commit at the time; absent if there was none. */
  readonly head?: string;
  /** The digest of the file in the loop's folder that lists its tests. */
  readonly tests: string;
  /** Files with tests that git ignores, so that a checkout lacks them; absent for none. */
  readonly ignored?: readonly string[];
  /** For checks that pass in the work tree; absent for none. */
  readonly lacking?: readonly LackingTests[];
}

/** Tests that run in the work tree, but are missing or skipped in a clean checkout. */
export interface LackingTests extends Pick<TestChanges, 'missing' | 'skipped'> {
  readonly command: string;
}

/** `impossible`: why no clean checkout can be made. */
export type BaseGave = BaseProof | { readonly impossible: string; readonly hint?: string };

export interface Proof extends CleanRun {
  /** Null if nothing could be checked out. */
  readonly at: ProvedTree | null;
  /** The same with the files that decide about the checks as they were at the start; null if these are unchanged. */
  readonly pinned: (CleanRun & { readonly changed: readonly string[] }) | null;
  /** The terms of the proof; absent if it was impossible, and in the first loops that had proofs. */
  readonly terms?: ProofTerms;
  /** Why it does not hold; empty if it does. */
  readonly findings: readonly ProofFinding[];
}

export type ProofFinding =
  /** No clean checkout could be made. */
  | { readonly is: 'impossible'; readonly reason: string }
  /** The files are the same as when the loop began. */
  | { readonly is: 'unchanged' }
  /** New or changed links that lead out of the project, where a clone has nothing. */
  | { readonly is: 'links'; readonly paths: readonly string[] }
  | ({ readonly is: 'setup' } & ProofRun & Uncommitted)
  | ({ readonly is: 'red' } & ProofRun & Uncommitted & ChangedPins)
  /** `unreported`: its tests were counted at the start and cannot be counted now. */
  | ({
      readonly is: 'unreported';
      readonly command: string;
      readonly log: string;
      readonly unread?: string;
    } & ChangedPins)
  /** The failed run is absent in the first loops that had proofs. `isExcused`: it may fail, but not be flaky. */
  | ({ readonly is: 'flaky'; readonly isExcused?: true } & Pick<ProofRun, 'command' | 'log'> & Partial<ProofRun>)
  | ({ readonly is: 'tests'; readonly command: string; readonly log: string } & TestChanges & Uncommitted & ChangedPins)
  /** It fails, or its setup does, with these files as at the start and without the new ones (`without`). */
  | ({ readonly is: 'pinned'; readonly changed: readonly string[]; readonly without?: readonly string[] } & ProofRun);

interface ChangedPins {
  /** Its tests are gone, skipped or unreported, and these files that control them were changed; absent for none. */
  readonly changed?: readonly string[];
}

interface Uncommitted {
  /** Files of the work tree that the commit lacks, or has with other content; absent for none. */
  readonly uncommitted?: readonly string[];
}

/** The steps of a loop that proves its work. */
export type ProofSteps = {
  /** The checks, in a clean checkout of what the loop begins with. */
  readonly 'prove-base': { readonly given: BaseAsked; readonly gave: BaseGave };
  /** The checks, in a clean checkout of what the agent says is done. */
  readonly prove: { readonly given: ClaimAsked; readonly gave: Proof };
};

export const holds = ({ findings }: Pick<Proof, 'findings'>): boolean => findings.length === 0;

/** `51affc0`; `the work tree` if it is not a commit of the project. */
export const treeWords = (at: ProvedTree | null): string => at?.commit?.slice(0, 7) ?? 'the work tree';

/** What is wrong, to follow the name of the check. */
export function wordsOfFinding(finding: ProofFinding, at: ProvedTree | null): string {
  const where = at?.commit == null ? 'in a clean checkout' : `in a clean checkout of ${treeWords(at)}`;
  switch (finding.is) {
    case 'impossible':
      return `no clean checkout could be made: ${finding.reason}`;
    case 'unchanged':
      return 'nothing has changed since the loop began';
    case 'links':
      return `links that point outside the project: ${namesOf(finding.paths)}`;
    case 'setup':
      return `${describeOutcome(finding.outcome)} ${where}${wordsOfUncommitted(finding)}`;
    case 'red':
      return `${describeOutcome(finding.outcome)} ${where}${wordsOfUncommitted(finding)}${wordsOfChanged(finding)}`;
    case 'flaky':
      if (finding.isExcused === true)
        return `tests that passed at the start did not${wordsOfFailure(finding)}, and then did on the same files, ${where}: it is flaky`;
      return `it failed${wordsOfFailure(finding)} and then passed on the same files, ${where}: it is flaky`;
    case 'unreported':
      if (finding.unread !== undefined) return `its report of tests ${finding.unread}${wordsOfChanged(finding)}`;
      return `no report of its tests, although there was one at the start${wordsOfChanged(finding)}`;
    case 'tests':
      return `${wordsOfChanges(finding)}${wordsOfUncommitted(finding)}${wordsOfChanged(finding)}`;
    case 'pinned': {
      const [were, versions] = finding.changed.length === 1 ? ['was', 'version'] : ['were', 'versions'];
      const { changed, without = [] } = finding;
      const how = `${without.length === 0 ? '' : `, without ${namesOf(without)}`} (${describeOutcome(finding.outcome)})`;
      if (changed.length === 0) return `it fails with the tests from the start alone${how}`;
      return `${namesOf(changed)} ${were} changed; with the ${versions} from the start it fails${how}`;
    }
  }
}

const wordsOfFailure = ({ outcome }: Partial<ProofRun>): string =>
  outcome === undefined ? '' : ` (${describeOutcome(outcome)})`;

function wordsOfChanged({ changed = [] }: ChangedPins): string {
  return changed.length === 0 ? '' : `; changed since the start: ${namesOf(changed)}`;
}

function wordsOfUncommitted({ uncommitted = [] }: Uncommitted): string {
  return uncommitted.length === 0 ? '' : `; not in the commit: ${namesOf(uncommitted)}`;
}

/** The command that a finding is about, or null. */
export const commandOfFinding = (finding: ProofFinding): string | null =>
  'command' in finding ? finding.command : null;

/** Why a command's result says less than counted tests would; null if its tests were counted. */
export function uncountedWords({
  check,
  tests,
  unread,
}: Pick<ProvedCheck, 'check' | 'tests' | 'unread'>): string | null {
  // Other kinds of check describe their results themselves.
  if (check !== undefined) return null;
  if (unread !== undefined) return `exit code only: its report of tests ${unread}`;
  if (tests === undefined) return 'exit code only';
  return tests.passed + tests.failed + tests.skipped === 0 ? '0 tests' : null;
}
