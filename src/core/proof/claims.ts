/** How a loop of any kind acts on its proofs: whether it can begin, and what follows if a claim does not hold. Pure. */
import { plural } from '../budget/usage.ts';
import { type CheckOutcome, codeOfOutcome, describeOutcome, hasPassed } from '../check.ts';
import { CHECKED_IN_TREE } from '../closing/closing-summary.ts';
import { defined } from '../defined.ts';
import type { Ending } from '../ending.ts';
import type { StepSummary } from '../rules.ts';
import { linesOf } from '../text/lines-of.ts';
import { quoteWords } from '../text/quote-word.ts';
import { namesOf } from './names-of.ts';
import {
  type BaseGave,
  type BaseProof,
  type ClaimAsked,
  type CleanRun,
  commandOfFinding,
  holds,
  type LackingTests,
  type Proof,
  type ProofFinding,
  type ProvedCheck,
  treeWords,
  uncountedWords,
  wordsOfFinding,
} from './proof.ts';

export interface Proofs {
  /** The proof of the tree that the loop began with; null if not made yet. */
  readonly base: BaseProof | null;
  /** The proof of the last claim; null if there is none. */
  readonly last: Proof | null;
  /** How many claims in a row fail with the tests of the start and the files that control them. */
  readonly tampered: number;
  /** The checks that have ever failed, anywhere. */
  readonly everRed: readonly string[];
}

export const NO_PROOFS: Proofs = { base: null, last: null, tampered: 0, everRed: [] };

export function withEverRed<State extends Proofs>(proofs: State, commands: readonly string[]): State {
  return { ...proofs, everRed: [...new Set([...proofs.everRed, ...commands])] };
}

export function withBaseProof<State extends Proofs>(proofs: State, base: BaseProof): State {
  return { ...withEverRed(proofs, redIn(base)), base };
}

const redIn = ({ checks }: Pick<CleanRun, 'checks'>): string[] =>
  checks.filter((check) => !hasPassed(check) || check.isFlaky === true).map(({ command }) => command);

/** A check that never failed says little about the work. Without a proof, nothing is known about it. */
export function neverRedWords({ base, everRed }: Proofs, checks: readonly string[]): string[] {
  const never = base === null ? [] : checks.filter((command) => !everRed.includes(command));
  return never.length === 0 ? [] : [`Never red, not even before the work began: ${never.join(', ')}.`];
}

/** The start of the loop, which a claim is compared with. */
export function beganWith({ base }: Proofs): ClaimAsked['base'] {
  if (base === null) throw new Error('a claim is proved before the tree that the loop began with');
  const { at, tests, head, checks } = base;
  const unread = checks.filter((check) => check.unread !== undefined).map(({ command }) => command);
  const commands = checks.map(({ command }) => command);
  return { at, tests, commands, ...defined({ head, unread: unread.length === 0 ? undefined : unread }) };
}

/** What is known of a check before the first iteration. */
export interface KnownCheck {
  readonly isWitness: boolean;
  /** Its outcome in the work tree; null if unknown, or if it does not count. */
  readonly inTree: CheckOutcome | null;
}

/** Why the loop cannot begin; null if it can. */
export function problemOfBase(gave: BaseGave, known: (index: number, command: string) => KnownCheck): Ending | null {
  if ('impossible' in gave) return configuration(`no clean checkout can be made: ${gave.impossible}`, WITHOUT);
  const { setup, checks } = gave;
  if (setup !== null && !hasPassed(setup)) {
    const how = `${describeOutcome(setup.outcome)}, see ${setup.log}`;
    return configuration(`the setup "${setup.command}" fails in a clean checkout (${how})`, SETUP_HINT);
  }
  for (const [index, check] of checks.entries()) {
    const { command, outcome, log } = check;
    const { isWitness, inTree } = known(index, command);
    // If the check runs other tests, the ignored ones may not be meant to run; they are only named in the output.
    if (gave.ignored !== undefined && uncountedWords(check) === '0 tests') {
      const lacks = `which lacks tests that git ignores: ${namesOf(gave.ignored)}`;
      return configuration(`"${command}" runs no test in a clean checkout, ${lacks}`, PLACE_HINT);
    }
    const passes = outcome.is === 'passed';
    if (passes && isWitness) {
      const what = `the witness "${command}" passes before any work is done, so it proves nothing`;
      return configuration(what, 'Choose a check that fails until the work is done, or remove "witness".');
    }
    const lacks = gave.lacking?.find((one) => one.command === command);
    if (lacks !== undefined)
      return configuration(`"${command}" passes in the work tree, but ${lackingWords(lacks)}`, PLACE_HINT);
    // Only the test report says so, and none was requested in the work tree: the first test may have yet to be written.
    const isByReport = check.check === undefined && codeOfOutcome(outcome) === null;
    if (passes || isByReport || inTree === null) continue;
    const how = `${describeOutcome(outcome)}, see ${log}`;
    if (inTree.is === 'passed')
      return configuration(`"${command}" passes in the work tree, but not in a clean checkout (${how})`, PLACE_HINT);
    if (outcome.is !== 'unrunnable' || inTree.is === 'unrunnable') continue;
    const there = `in the work tree it can: ${describeOutcome(inTree)}`;
    return configuration(`"${command}" cannot be run in a clean checkout (${how}); ${there}`, PLACE_HINT);
  }
  return null;
}

/** `in a clean checkout 1 test of it is missing: a` */
function lackingWords({ missing, skipped }: LackingTests): string {
  const words = (names: readonly string[], how: string): string | false =>
    names.length > 0 &&
    `${plural(names.length, 'test')} of it ${names.length === 1 ? 'is' : 'are'} ${how}: ${namesOf(names)}`;
  return `in a clean checkout ${linesOf(words(missing, 'missing'), words(skipped, 'skipped')).join('; ')}`;
}

/** The index of the next check that failed in the clean checkout, or null. */
export function nextRed({ checks }: CleanRun, from: number): number | null {
  const index = checks.findIndex((check, at) => at >= from && !hasPassed(check));
  return index < 0 ? null : index;
}

const configuration = (reason: string, hint: string): Ending => ({ kind: 'configuration', reason, hint });

const WITHOUT = 'Run without --prove.';
const SETUP_HINT = 'Set proof.setup in .ralph/settings.json to what makes a fresh clone ready, or run with --no-prove.';
const PLACE_HINT =
  'Does it need a file that git ignores, or a step after cloning? Name such files in .worktreeinclude or proof.include, the step in proof.setup. Does it need a variable such as GOFLAGS or NODE_OPTIONS, or not CI=true? Set it in the command. Or run with --no-prove.';

/** Three in a row are not an accident. */
const MOST_TAMPERED = 3;

export function afterClaim<State extends Proofs>(before: State, proof: Proof): State {
  const tampered = proof.findings.some(isTampering) ? before.tampered + 1 : 0;
  const red = [...redIn(proof), ...(proof.pinned === null ? [] : redIn(proof.pinned))];
  return { ...withEverRed(before, red), last: proof, tampered };
}

/** The claim depends on changed files that decide about the checks. New ones alone are honest work, such as a test. */
const isTampering = (finding: ProofFinding): boolean => pinsOf(finding).length > 0;

const pinsOf = (finding: ProofFinding): readonly string[] => ('changed' in finding ? (finding.changed ?? []) : []);

/** The ending of a loop with too many such claims; null for any other. */
export function whyTampered({ last, tampered }: Proofs): Ending | null {
  const found = last?.findings.find(isTampering);
  if (last === null || found === undefined || tampered < MOST_TAMPERED) return null;
  const reason = `${findingSentence(found, last)}. This happened ${MOST_TAMPERED} times in a row.`;
  return { kind: 'tampered', reason };
}

/** The files that kept the last claim from holding: a person can let the agent change or add them. */
export function changedPins({ last }: Proofs): readonly string[] {
  return last?.findings.flatMap(inTheWay).filter(isFirst) ?? [];
}

/** The changed files, or else the new ones without which the check fails. */
function inTheWay(finding: ProofFinding): readonly string[] {
  const changed = pinsOf(finding);
  return changed.length === 0 && finding.is === 'pinned' ? (finding.without ?? []) : changed;
}

const isFirst = (one: string, index: number, all: readonly string[]): boolean => all.indexOf(one) === index;

/** `"npm test": exit 1 in a clean checkout of 51affc0` */
export function findingSentence(finding: ProofFinding, { at }: Proof): string {
  const command = commandOfFinding(finding);
  return `${command === null ? '' : `"${command}": `}${wordsOfFinding(finding, at)}`;
}

/** For the views that show loops of every kind. */
export function proofSummary(proof: Proof): StepSummary {
  if (isEmpty(proof)) return { isChecking: true };
  const findings = proof.findings.map((finding) => findingSentence(finding, proof));
  return { isChecking: true, proof: { passed: holds(proof), commit: proof.at?.commit ?? null, findings } };
}

/** It holds, but no check that counts was run: that files have changed proves nothing. */
export const isEmpty = (proof: Proof): boolean =>
  holds(proof) && proof.checks.every(({ isExcused }) => isExcused === true);

/** Where the checks that count passed: the last part of a loop's first closing line. */
export function whereChecked({ last }: Proofs): string {
  if (last === null || !holds(last) || isEmpty(last)) return CHECKED_IN_TREE;
  // Without a commit to name, the line has no room for the rest.
  return last.at?.commit == null ? 'proved in a clean checkout' : provedWords(last);
}

/** Sentences about the proved checks that say less than counted tests would. */
export function uncountedSentences({ last }: Proofs): string[] {
  const proved = last === null || !holds(last) ? [] : last.checks.filter(({ isExcused }) => isExcused !== true);
  const having = (test: (check: ProvedCheck) => boolean): string =>
    namesOf(proved.filter(test).map((one) => one.command));
  const exitOnly = having((check) => uncountedWords(check)?.startsWith('exit code only') === true);
  const empty = having((check) => uncountedWords(check) === '0 tests');
  return linesOf(
    exitOnly !== '' && `Exit code only, tests are not counted: ${exitOnly}.`,
    empty !== '' && `Ran no test: ${empty}.`,
  );
}

/** What the last proof let the agent change although it decides about the checks. */
export function freedSentences({ last }: Proofs): string[] {
  const freed = last === null || !holds(last) ? [] : (last.terms?.allowEdit ?? []);
  return freed.length === 0 ? [] : [`The agent was allowed to change ${freed.join(', ')} (--allow-edit).`];
}

/** The commands of the checks that the loop began with, if its last proof used others; null if not. */
export function otherChecksOfStart(base: CleanRun, last: CleanRun): readonly string[] | null {
  const asked = ({ command, check, timeoutMs, isWitness }: ProvedCheck) => [command, check, timeoutMs, isWitness];
  const isSame = JSON.stringify(base.checks.map(asked)) === JSON.stringify(last.checks.map(asked));
  return isSame ? null : base.checks.map(({ command }) => command);
}

/** Sentences for a loop whose checks were replaced with a person's permission. */
export function changedCheckSentences({ base, last }: Proofs): string[] {
  const before = base === null || last === null || !holds(last) ? null : otherChecksOfStart(base, last);
  return before === null ? [] : [`The checks were changed since the loop began with: ${before.join(', ') || 'none'}.`];
}

export function provedWords({ at }: Proof): string {
  return at?.commit == null ? 'proved in a clean checkout of the work tree' : `proved at ${treeWords(at)}`;
}

/** What the agent can do about a finding; null if the finding itself says it. */
export function adviceFor(finding: ProofFinding, at: Proof['at']): string | null {
  if ('uncommitted' in finding) return 'If one of these files is needed, add it with git add: the commit is proved.';
  if (finding.is === 'red' && at?.commit == null) return NOTHING_IGNORED;
  const advice = finding.is === 'pinned' && finding.changed.length === 0 ? NEW_IN_TESTS : (ADVICE[finding.is] ?? null);
  const paths = inTheWay(finding);
  if (advice === null || paths.length === 0) return advice;
  return `${advice} If the task cannot be done so, say that you are blocked: a person can allow it (${allowWords(paths)}).`;
}

/** `--allow-edit test/a.test.js …`, with the first few paths if there are many. */
const allowWords = (paths: readonly string[]): string =>
  quoteWords(paths.slice(0, MOST_ALLOWED).flatMap((path) => ['--allow-edit', path])) +
  (paths.length > MOST_ALLOWED ? ' …' : '');

const MOST_ALLOWED = 5;

const NEW_IN_TESTS =
  'Make the checks pass without new tests. What the product needs must not be in a folder of tests, such as fixtures/.';
const NOTHING_IGNORED = 'A clean checkout has no files that git ignores, except what the setup installs.';

const ADVICE: Readonly<Partial<Record<ProofFinding['is'], string>>> = {
  unchanged: 'Do the work that was asked for. If there is nothing to do, say what keeps you from it.',
  red: 'A fresh clone has only what is committed, and what the setup installs.',
  links: 'A clone has nothing at that place. Put the files into the project.',
  tests: 'Restore these tests, and make them pass.',
  unreported: 'Have it run the tests as it did at the start.',
  flaky: 'Find out what makes it depend on chance, order or time, and fix that.',
  pinned: 'Restore these files, and make the checks pass with them.',
};
