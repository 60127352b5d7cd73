/** Makes proofs: runs the checks of a loop in clean checkouts, of the tree it began with and of the one it calls done. */
import { join, posix } from 'node:path';
import { hasPassed } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import { compareTests, emptySuites, isSame } from '../core/proof/compare-tests.ts';
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
import { type BaseTests, keepBaseTests, keepInstalled, readBaseTests, readInstalled } from './base-tests.ts';
import { type CleanResult, type CleanRunWanted, cleanRun, type ProofWorld } from './clean-run.ts';
import { ignoredTests, keepIncluded } from './include.ts';
import { isRunAgain, type Pinned, pinnedFiles } from './pins/pinned-files.ts';
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
  const isEmpty = results.some((result) => result.tests?.length === 0);
  const ignored = isEmpty ? (await ignoredTests(including)).slice(0, MOST_NAMED) : [];
  return {
    at,
    ...(head === null ? {} : { head: head.at }),
    setup,
    checks: results.map(({ check }) => check),
    tests,
    ...(ignored.length === 0 ? {} : { ignored }),
  };
}

const MOST_NAMED = 100;

export async function proveClaim(world: ProofWorld, asked: ClaimAsked): Promise<Proof> {
  const { base, iteration, isCommitted } = asked;
  const { trees } = world;
  const work = await snapshotOf(trees, asked);
  const claimed = isCommitted ? await trees.head() : work;
  if (claimed === null) return nothing(null, { is: 'impossible', reason: 'the project has no commit' });
  // A commit lacks files that were never added, and yet nothing may have been done.
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
      installed: readInstalled(world.kept),
      imported: () => importedModules(trees, base.at.at, before.values()),
    },
  );
  const number = String(iteration).padStart(3, '0');
  const mayBeEmpty = (command: string): boolean => before.get(command)?.length === 0;
  const options = { ...asked, isSnapshot: !isCommitted, retries: true, mayBeEmpty };
  const runsAgain = isRunAgain(pinned);
  const plain = await cleanRun(world, wanted(claimed, { ...options, name: number }));
  const checks = plain.results.map(({ check }) => check);
  const findingsIn = async ({ setup, results }: typeof plain, byName: boolean): Promise<ProofFinding[]> => [
    ...setupFinding(setup),
    ...results.flatMap(({ check, tests }, index) =>
      findingsOf(asked, index, { check, tests, before: before.get(check.command) ?? null, pinned, byName }),
    ),
    ...(await emptyFindings(trees, asked, { before, results })),
  ];
  const findings = await findingsIn(plain, !runsAgain);
  const found = { at: claimed, setup: plain.setup, checks, terms: asked.terms };
  // Which file has the runner not called any more, the run with those of the start shows.
  const isExplained = runsAgain && findings.every(({ is }) => is === 'unreported');
  if (findings.length > 0 && !isExplained) {
    const missing = (await trees.changes(claimed.at, work.at)).filter(({ how }) => how !== 'deleted');
    const uncommitted = missing.map(({ path }) => path);
    return { ...found, pinned: null, findings: findings.map((finding) => withUncommitted(finding, uncommitted)) };
  }
  if (!runsAgain) return { ...found, pinned: null, findings };
  const again = await cleanRun(world, wanted(claimed, { ...options, name: `${number}_start`, files: pinned.files }));
  const { changed } = pinned;
  const asAtStart = (finding: ProofFinding): ProofFinding =>
    finding.is === 'setup' || finding.is === 'red' ? { ...finding, is: 'pinned', changed } : finding;
  const broken = await findingsIn(again, true);
  return {
    ...found,
    pinned: { setup: again.setup, checks: again.results.map(({ check }) => check), changed },
    findings: broken.length > 0 ? broken.map(asAtStart) : findings,
  };
}

/** It would be found out with the first claim, and by no fault of the agent's. */
async function refuseLacking(trees: ProofTrees): Promise<void> {
  const head = await trees.head();
  const lacks = head === null ? null : await trees.lacks(head.at);
  if (lacks === null) return;
  const what = { submodules: 'it has submodules', filters: 'its .gitattributes name a filter, as Git LFS does' }[lacks];
  throw new RalphError('NO_PROOF', `${what}, and a fresh clone does not have those files`);
}

/** Of those that are new, or were changed: a link to a file outside of the project leads nowhere in a clone. */
async function linksOutside(trees: ProofTrees, from: ProvedTree, to: ProvedTree): Promise<string[]> {
  const outside: string[] = [];
  for (const { path } of (await trees.changes(from.at, to.at)).filter(({ isLink }) => isLink)) {
    const target = await trees.linkTarget(to.at, path);
    const leads = posix.normalize(posix.join(posix.dirname(path), target));
    // Behind another link, `..` is not the folder that it seems to be.
    const isHidden = /(?:^|\/)[^./][^/]*\/+(?:.*\/)?\.\.(?:\/|$)/.test(target);
    if (target.startsWith('/') || isHidden || leads === '..' || leads.startsWith('../')) outside.push(path);
  }
  return outside;
}

/** What the agent left when it made its claim. */
async function snapshotOf(trees: ProofTrees, { iteration, tree }: ClaimAsked): Promise<ProvedTree> {
  const kept = tree === null ? null : await trees.kept(`refs/iterations/${iteration}`);
  return kept !== null && kept.tree === tree ? kept : trees.take(`refs/proof/${iteration}`);
}

/** What is not in the commit may be why. */
function withUncommitted(finding: ProofFinding, uncommitted: readonly string[]): ProofFinding {
  const isAbout = finding.is === 'setup' || finding.is === 'red' || finding.is === 'tests';
  return isAbout && uncommitted.length > 0 ? { ...finding, uncommitted } : finding;
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
  readonly pinned: Pinned;
  readonly byName: boolean;
}

function findingsOf(
  { checks, terms, base }: ClaimAsked,
  index: number,
  { check, tests, before, pinned, byName }: Found,
): ProofFinding[] {
  const { command, log } = check;
  const asked = checks[index];
  if (asked?.isExcused === true) return [];
  if (!hasPassed(check)) return [{ is: 'red', ...check }];
  if (before !== null && before.length > 0 && tests === null) return [{ is: 'unreported', command, log }];
  const { unread } = check;
  if (unread !== undefined && base.unread?.includes(command) !== true)
    return [{ is: 'unreported', command, log, unread }];
  const isFlaky = check.isFlaky === true && !terms.acceptFlaky;
  const flaky: ProofFinding[] = isFlaky ? [{ is: 'flaky', command, log, ...check.failed }] : [];
  const changes = compareTests(before ?? [], tests ?? [], byName);
  // Where the user lets tests be changed, some may have another name now.
  const counted = pinned.hasFreed ? { ...changes, missing: [] } : changes;
  return [...flaky, ...(isSame(counted) ? [] : [{ is: 'tests' as const, command, log, ...counted }])];
}

/** A file that ends its process before the first of its tests passes as if it had none. */
async function emptyFindings(
  trees: ProofTrees,
  { base, checks }: ClaimAsked,
  { before, results }: { readonly before: TestsOfChecks; readonly results: readonly CleanResult[] },
): Promise<ProofFinding[]> {
  const found: ProofFinding[] = [];
  for (const [index, { check, tests }] of results.entries()) {
    const { command, log } = check;
    if (checks[index]?.isExcused === true || !hasPassed(check)) continue;
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

/** By check. Should the file that names them be gone, they are found out again: the tree that the loop began with is kept. */
async function baseTests(world: ProofWorld, { base, terms, checks }: ClaimAsked): Promise<TestsOfChecks> {
  const known = readBaseTests(world.kept, base.tests);
  if (known !== null) return new Map(base.commands.map((command, index) => [command, known[index] ?? null]));
  const { results } = await cleanRun(
    world,
    wanted(base.at, { checks, terms, name: 'base', isSnapshot: true, mayBeEmpty: () => true }),
  );
  return new Map(results.map(({ check, tests }) => [check.command, tests]));
}

type TestsOfChecks = ReadonlyMap<string, BaseTests[number]>;
