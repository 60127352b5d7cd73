/** Makes proofs: runs a loop's checks in clean checkouts of the tree it began with and of the one it claims is done. */
import { join, posix } from 'node:path';
import { codeOfOutcome, hasPassed } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import {
  compareTests,
  emptySuites,
  failingTests,
  isAsGood,
  isSame,
  type TestChanges,
} from '../core/proof/compare-tests.ts';
import type {
  BaseAsked,
  BaseProof,
  ClaimAsked,
  CleanRun,
  Proof,
  ProofFinding,
  ProvedCheck,
  ProvedTree,
} from '../core/proof/proof.ts';
import type { TestCase } from '../core/proof/test-case.ts';
import { keepBaseTests, keepInstalled, readBaseTests, readInstalled } from './base-tests.ts';
import { type CleanResult, type CleanRunWanted, cleanRun, type ProofWorld } from './clean-run.ts';
import { missingTests, type TestsOfChecks } from './freed-tests.ts';
import { ignoredTests, keepIncluded } from './include.ts';
import { lackingTests } from './lacking-tests.ts';
import { isRunAgain, pinnedFiles } from './pins/pinned-files.ts';
import { importedModules, reportedFiles } from './pins/reported-files.ts';
import { BASE_REF, type ProofTrees } from './trees.ts';

export async function proveBase(world: ProofWorld, { terms, checks, commits }: BaseAsked): Promise<BaseProof> {
  const { trees, kept, env, signal } = world;
  const at = await trees.take(BASE_REF);
  if (commits === true) await refuseLacking(trees);
  const including = { root: trees.root, kept: join(kept, 'included'), env, signal };
  await keepIncluded({ ...including, patterns: terms.include });
  const { setup, results, installed } = await cleanRun(
    world,
    wanted(at, { checks, terms, name: 'base', isSnapshot: true, mayBeEmpty: () => true }),
  );
  keepInstalled(kept, installed);
  const tests = keepBaseTests(
    kept,
    results.map((result) => result.tests),
  );
  const head = await trees.head();
  const ignored = await ignoredTests(including);
  const lacking = await lackingTests(world, checks, { results, hasIgnored: ignored.length > 0 });
  return {
    at,
    ...(head === null ? {} : { head: head.at }),
    setup,
    checks: results.map(({ check }) => check),
    tests,
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(lacking.length === 0 ? {} : { lacking }),
  };
}

export async function proveClaim(world: ProofWorld, asked: ClaimAsked): Promise<Proof> {
  const { base, iteration, isCommitted } = asked;
  const { trees } = world;
  const work = await snapshotOf(trees, asked);
  const claimed = isCommitted ? await trees.head() : work;
  if (claimed === null) return nothing(null, { is: 'impossible', reason: 'the project has no commit' });
  // Compare both: a commit lacks files that were never added, so it can differ although nothing was done.
  if ([work.tree, claimed.tree].includes(base.at.tree)) return nothing(claimed, { is: 'unchanged' });
  const links = await linksOutside(trees, base.at, claimed);
  if (links.length > 0) return nothing(claimed, { is: 'links', paths: links });
  const commands = asked.checks.map(({ command }) => command);
  const before = await baseTests(world, asked);
  const pinned = await pinnedFiles(
    trees,
    { base, work, claimed },
    {
      terms: asked.terms,
      commands,
      tests: await reportedFiles(trees, base.at.at, before.values()),
      reportsTests: [...before.values()].some((reported) => reported !== null && reported.length > 0),
      subfolder: world.subfolder,
      installed: readInstalled(world.kept),
      imported: () => importedModules(trees, base.at.at, before.values()),
    },
  );
  const number = String(iteration).padStart(3, '0');
  const mayBeEmpty = (command: string): boolean => before.get(command)?.length === 0;
  const retries = {
    isWorse: (command: string, tests: CleanResult['tests']) => !isAsGood(before.get(command) ?? [], tests),
  };
  const options = { ...asked, isSnapshot: !isCommitted, retries, mayBeEmpty };
  const runsAgain = isRunAgain(pinned);
  const plain = await cleanRun(world, wanted(claimed, { ...options, name: number }));
  const checks = plain.results.map(({ check }) => check);
  const missing = missingTests(world, asked, { before, freed: pinned.freed, name: `${number}_without_freed` });
  const findingsIn = async ({ setup, results }: typeof plain, byName: boolean): Promise<ProofFinding[]> => {
    const found = setupFinding(setup);
    for (const [index, { check, tests }] of results.entries()) {
      const [known, now] = [before.get(check.command) ?? null, tests ?? []];
      const changes = compareTests(known ?? [], now, byName);
      const isExcused = asked.checks[index]?.isExcused === true;
      const isFewer = (hasPassed(check) || isExcused) && changes.missing.length > 0;
      const gone = isFewer ? await missing(check.command, now, byName) : [];
      const failing = isExcused ? { failing: failingTests(known ?? [], now) } : {};
      const compared = { ...changes, missing: gone, ...failing };
      found.push(...findingsOf(asked, index, { check, tests, before: known, changes: compared }));
    }
    return [...found, ...(await emptyFindings(trees, asked, { before, results }))];
  };
  const findings = await findingsIn(plain, !runsAgain);
  const found = { at: claimed, setup: plain.setup, checks, terms: asked.terms };
  // The run with the files of the start shows which file keeps the runner from being called.
  const isExplained = runsAgain && findings.every(({ is }) => is === 'unreported');
  if (findings.length > 0 && !isExplained) {
    const lacking = (await trees.changes(claimed.at, work.at)).filter(({ how }) => how !== 'deleted');
    const uncommitted = lacking.map(({ path }) => path);
    const explained = findings.map((finding) => withChanged(withUncommitted(finding, uncommitted), pinned.changed));
    return { ...found, pinned: null, findings: explained };
  }
  if (!runsAgain) return { ...found, pinned: null, findings };
  const again = await cleanRun(world, wanted(claimed, { ...options, name: `${number}_start`, files: pinned.files }));
  const { changed } = pinned;
  const added = [...pinned.files].flatMap(([path, file]) => (file === null && !changed.includes(path) ? [path] : []));
  const without = added.length === 0 ? {} : { without: added.slice(0, MOST_NAMED) };
  const asAtStart = (finding: ProofFinding): ProofFinding =>
    finding.is === 'setup' || finding.is === 'red' ? { ...finding, is: 'pinned', changed, ...without } : finding;
  const broken = await findingsIn(again, true);
  return {
    ...found,
    pinned: { setup: again.setup, checks: again.results.map(({ check }) => check), changed },
    findings: broken.length > 0 ? broken.map(asAtStart) : findings.map((finding) => withChanged(finding, changed)),
  };
}

const MOST_NAMED = 100;

/** Refuses early: otherwise the first claim would fail through no fault of the agent. */
async function refuseLacking(trees: ProofTrees): Promise<void> {
  const head = await trees.head();
  const why = head === null ? null : await trees.whyLacking(head.at);
  if (why !== null) throw new RalphError('NO_PROOF', `${why}, and a fresh clone does not have those files`);
}

/** New or changed links that lead out of the project: in a clone, they lead nowhere. */
async function linksOutside(trees: ProofTrees, from: ProvedTree, to: ProvedTree): Promise<string[]> {
  const outside: string[] = [];
  for (const { path } of (await trees.changes(from.at, to.at)).filter(({ isLink }) => isLink)) {
    const target = await trees.linkTarget(to.at, path);
    const leads = posix.normalize(posix.join(posix.dirname(path), target));
    // After another link, `..` may not be the folder that it seems to be.
    const isHidden = /(?:^|\/)[^./][^/]*\/+(?:.*\/)?\.\.(?:\/|$)/.test(target);
    if (target.startsWith('/') || isHidden || leads === '..' || leads.startsWith('../')) outside.push(path);
  }
  return outside;
}

/** The tree that the agent left when it made its claim. */
async function snapshotOf(trees: ProofTrees, { iteration, snapshot }: ClaimAsked): Promise<ProvedTree> {
  const kept = snapshot === null ? null : await trees.kept(snapshot);
  const ref = `refs/proof/${iteration}`;
  return kept === null ? trees.take(ref) : trees.whole(kept, ref);
}

/** Files missing in the commit may be the reason. */
function withUncommitted(finding: ProofFinding, uncommitted: readonly string[]): ProofFinding {
  const isAbout = finding.is === 'setup' || finding.is === 'red' || finding.is === 'tests';
  return isAbout && uncommitted.length > 0 ? { ...finding, uncommitted } : finding;
}

/** The changed files may be why tests were not run or not reported; a plain failure need not be due to them. */
function withChanged(finding: ProofFinding, changed: readonly string[]): ProofFinding {
  if (changed.length === 0) return finding;
  const isByReport = finding.is === 'red' && finding.outcome.is === 'failed' && codeOfOutcome(finding.outcome) === null;
  const isAbout = isByReport || finding.is === 'tests' || finding.is === 'unreported';
  return isAbout ? { ...finding, changed } : finding;
}

const nothing = (at: ProvedTree | null, finding: ProofFinding): Proof => {
  return { at, setup: null, checks: [], pinned: null, findings: [finding] };
};

function wanted(at: ProvedTree, options: BaseAsked & Omit<CleanRunWanted, 'at' | 'setup'>): CleanRunWanted {
  return { at: at.at, setup: options.terms.setup, ...options };
}

function setupFinding(setup: CleanRun['setup']): ProofFinding[] {
  return setup === null || hasPassed(setup) ? [] : [{ is: 'setup', ...setup }];
}

interface Found {
  readonly check: ProvedCheck;
  readonly tests: readonly TestCase[] | null;
  readonly before: readonly TestCase[] | null;
  readonly changes: TestChanges;
}

function findingsOf(
  { checks, terms, base }: ClaimAsked,
  index: number,
  { check, tests, before, changes }: Found,
): ProofFinding[] {
  const { command, log } = check;
  const asked = checks[index];
  // An excused check may fail as it did before the work, but not with other tests.
  if (!hasPassed(check) && asked?.isExcused !== true) return [{ is: 'red', ...check }];
  if (before !== null && before.length > 0 && tests === null) return [{ is: 'unreported', command, log }];
  const { unread } = check;
  if (unread !== undefined && base.unread?.includes(command) !== true)
    return [{ is: 'unreported', command, log, unread }];
  const isFlaky = check.isFlaky === true && !terms.acceptFlaky;
  const excused = asked?.isExcused === true ? { isExcused: true as const } : {};
  const flaky: ProofFinding[] = isFlaky ? [{ is: 'flaky', command, log, ...check.failed, ...excused }] : [];
  return [...flaky, ...(isSame(changes) ? [] : [{ is: 'tests' as const, command, log, ...changes }])];
}

/** A test file whose process exits before its first test passes as if it had none. */
async function emptyFindings(
  trees: ProofTrees,
  { base }: ClaimAsked,
  { before, results }: { readonly before: TestsOfChecks; readonly results: readonly CleanResult[] },
): Promise<ProofFinding[]> {
  const found: ProofFinding[] = [];
  for (const { check, tests } of results) {
    const { command, log } = check;
    if (!hasPassed(check)) continue;
    const missing: string[] = [];
    for (const name of emptySuites(before.get(command) ?? [], tests ?? [])) {
      const path = name.split(' › ').at(-1) ?? '';
      const text = (await trees.entry(base.at.at, path))?.content.toString('utf8') ?? '';
      if (/\bnode:test\b/.test(text)) missing.push(`all of ${path}`);
    }
    if (missing.length > 0) found.push({ is: 'tests', command, log, missing, skipped: [] });
  }
  return found;
}

/**
 * The tests of the start, by check. If the file that names them is gone, they are determined again from the tree of the
 * start, which is kept.
 */
async function baseTests(world: ProofWorld, { base, terms, checks }: ClaimAsked): Promise<TestsOfChecks> {
  const known = readBaseTests(world.kept, base.tests);
  if (known !== null) return new Map(base.commands.map((command, index) => [command, known[index] ?? null]));
  const { results } = await cleanRun(
    world,
    wanted(base.at, { checks, terms, name: 'base', isSnapshot: true, mayBeEmpty: () => true }),
  );
  return new Map(results.map(({ check, tests }) => [check.command, tests]));
}
