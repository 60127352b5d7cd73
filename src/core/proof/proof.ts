/** A proof: the checks once more, in a clean checkout that no agent has touched, and whether that says the same. Pure. */
import { type AskedCheck, type Checked, type CheckSpec, describeOutcome } from '../check.ts';
import type { Duration } from '../time.ts';
import { type TestChanges, wordsOfChanges } from './compare-tests.ts';
import { namesOf } from './names-of.ts';
import type { TestCounts } from './test-case.ts';

/** What a loop that proves its work was asked. */
export type ProofTerms = {
  /** The command that makes a fresh clone ready; null to find it by the files of the project. */
  readonly setup: string | null;
  /** Files that git ignores and the checks need, in the form of `.gitignore`. */
  readonly include: readonly string[];
  /** More files that decide about the checks, as git's pathspecs. */
  readonly pins: readonly string[];
  /** Those that the agent may change all the same. */
  readonly allowEdit: readonly string[];
  /** A check that is red and then green on the same tree counts as passed. */
  readonly acceptFlaky: boolean;
};

/** What is checked out: a commit of the project, or a snapshot of its work tree. */
export interface ProvedTree {
  /** The commit that holds it: in the project, or among the loop's snapshots. */
  readonly at: string;
  readonly tree: string;
  /** The commit of the project whose files these are; null where there is none. */
  readonly commit: string | null;
}

/** A check as it is asked for; where its log goes, the proof says. */
export type AskedProofCheck = Pick<CheckSpec, 'kind' | 'given' | 'keepChars' | 'keeps' | 'timeoutMs'> & {
  /** What people and the agent know it by. */
  readonly command: string;
  /** It must have failed before the work began. */
  readonly isWitness?: true;
  /** It was red before the work began, and does not count. */
  readonly isExcused?: true;
  /** It failed before on the files that git knows, as they are now: it has to pass several times. */
  readonly isSuspect?: true;
};

export interface BaseAsked {
  readonly terms: ProofTerms;
  readonly checks: readonly AskedProofCheck[];
  /** What is proved will be commits. */
  readonly commits?: boolean;
}

export interface ClaimAsked extends BaseAsked {
  /** `commands`: of the checks by then. A person may have changed the settings since. */
  readonly base: Pick<BaseProof, 'at' | 'tests' | 'head'> & {
    readonly commands: readonly string[];
    /** Those whose report of tests could not be read by then, either; absent for none. */
    readonly unread?: readonly string[];
  };
  /** The loop commits its work: that commit is what counts. */
  readonly isCommitted: boolean;
  readonly iteration: number;
  /** The commit that holds what the agent left; null where that was not kept. */
  readonly snapshot: string | null;
}

/** A command that ran in a clean checkout. */
export type ProofRun = Pick<Checked, 'outcome' | 'durationMs' | 'log' | 'digest' | 'output' | 'truncated'> & {
  readonly command: string;
};

export interface ProvedCheck extends ProofRun {
  /** Absent where its runner reports nothing that we can read. */
  readonly tests?: TestCounts;
  /** What is wrong with a report of its tests, as it goes on after `its report of tests`; absent for nothing. */
  readonly unread?: string;
  /** It failed first, and passed the second time; or the other way round. */
  readonly isFlaky?: true;
  /** The time that it failed. */
  readonly failed?: Omit<ProofRun, 'command'>;
  /** What was asked, for who runs it again. Absent for a command. */
  readonly check?: AskedCheck;
  readonly timeoutMs?: Duration;
  readonly isWitness?: true;
  readonly isExcused?: true;
}

/** One clean checkout: what was run in it. */
export interface CleanRun {
  /** Null where the project needs none. */
  readonly setup: ProofRun | null;
  /** Empty where the setup has failed. */
  readonly checks: readonly ProvedCheck[];
}

/** The tree that the loop began with. */
export interface BaseProof extends CleanRun {
  readonly at: ProvedTree;
  /** The commit of the project by then; absent where there was none. */
  readonly head?: string;
  /** The digest of the file in the loop's folder that names its tests. */
  readonly tests: string;
  /** Files with tests that git ignores, so that no checkout has them; absent for none. */
  readonly ignored?: readonly string[];
  /** Of checks that pass in the work tree; absent for none. */
  readonly lacking?: readonly LackingTests[];
}

/** Tests that run in the work tree, and in a clean checkout are missing or skipped. */
export interface LackingTests extends Pick<TestChanges, 'missing' | 'skipped'> {
  readonly command: string;
}

/** `impossible`: there can be no clean checkout, and why. */
export type BaseGave = BaseProof | { readonly impossible: string; readonly hint?: string };

export interface Proof extends CleanRun {
  /** Null where none could be checked out. */
  readonly at: ProvedTree | null;
  /** The same with the files that decide about the checks as they were at the start; null where these are unchanged. */
  readonly pinned: (CleanRun & { readonly changed: readonly string[] }) | null;
  /** What was asked of it; absent where it came to nothing, and in the first loops that had proofs. */
  readonly terms?: ProofTerms;
  /** Why it does not hold; empty where it does. */
  readonly findings: readonly ProofFinding[];
}

export type ProofFinding =
  /** No clean checkout could be made. */
  | { readonly is: 'impossible'; readonly reason: string }
  /** Its files are those with which the loop began. */
  | { readonly is: 'unchanged' }
  /** Links that are new, or lead elsewhere now: out of the project, where a clone has nothing. */
  | { readonly is: 'links'; readonly paths: readonly string[] }
  | ({ readonly is: 'setup' } & ProofRun & Uncommitted)
  | ({ readonly is: 'red' } & ProofRun & Uncommitted & ChangedPins)
  /** `unreported`: its tests could be counted at the start, and cannot be now. */
  | ({
      readonly is: 'unreported';
      readonly command: string;
      readonly log: string;
      readonly unread?: string;
    } & ChangedPins)
  /** What it said when it failed is not there in the first loops that had proofs. `isExcused`: it may fail, but not so. */
  | ({ readonly is: 'flaky'; readonly isExcused?: true } & Pick<ProofRun, 'command' | 'log'> & Partial<ProofRun>)
  | ({ readonly is: 'tests'; readonly command: string; readonly log: string } & TestChanges & Uncommitted & ChangedPins)
  /** It fails, or its setup does, once these files are what they were, and the new ones, `without`, are gone. */
  | ({ readonly is: 'pinned'; readonly changed: readonly string[]; readonly without?: readonly string[] } & ProofRun);

interface ChangedPins {
  /** Its tests are gone, skipped or unreported, and these files that decide about them were changed; absent for none. */
  readonly changed?: readonly string[];
}

interface Uncommitted {
  /** Files of the work tree that the commit does not hold, or not as they are there; absent for none. */
  readonly uncommitted?: readonly string[];
}

/** The steps of a loop that proves its work. */
export type ProofSteps = {
  /** The checks, in a clean checkout of what the loop begins with. */
  readonly 'prove-base': { readonly given: BaseAsked; readonly gave: BaseGave };
  /** The same for what the agent calls done. */
  readonly prove: { readonly given: ClaimAsked; readonly gave: Proof };
};

export const holds = ({ findings }: Pick<Proof, 'findings'>): boolean => findings.length === 0;

/** `51affc0`, or for what is no commit of the project's `the work tree`. */
export const treeWords = (at: ProvedTree | null): string => at?.commit?.slice(0, 7) ?? 'the work tree';

/** What is wrong, as it goes on after the name of the check. */
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

/** The check that a finding is about; null where it is about none. */
export const commandOfFinding = (finding: ProofFinding): string | null =>
  'command' in finding ? finding.command : null;

/** How much less than counted tests a check that is a command rests on; null where its tests were counted. */
export function uncountedWords({
  check,
  tests,
  unread,
}: Pick<ProvedCheck, 'check' | 'tests' | 'unread'>): string | null {
  // Another kind has its own words for what it found.
  if (check !== undefined) return null;
  if (unread !== undefined) return `exit code only: its report of tests ${unread}`;
  if (tests === undefined) return 'exit code only';
  return tests.passed + tests.failed + tests.skipped === 0 ? '0 tests' : null;
}
