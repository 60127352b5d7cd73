/** Reproduces a receipt: its commit in a clean checkout of the local repository, with its setup and its checks. */
import { createHash } from 'node:crypto';
import { join, posix } from 'node:path';
import { CHECK_KINDS, labelOf } from '../../checks/index.ts';
import { type AskedCheck, COMMAND } from '../../core/check.ts';
import { RalphError } from '../../core/error.ts';
import type { Reproduced } from '../../core/proof/compare-receipt.ts';
import { pinKindOf } from '../../core/proof/pins/pins.ts';
import type { AskedProofCheck, CleanRun, ProvedTree } from '../../core/proof/proof.ts';
import { type GitTree, placeWords, type ReceiptCheck, type ReceiptPredicate } from '../../core/proof/receipt.ts';
import { type CleanRunWanted, cleanRun, type ProofWorld } from '../clean-run.ts';
import { keepIncluded } from '../include.ts';
import { isRunAgain, pinnedFiles } from '../pins/pinned-files.ts';
import { importedModules, reportedFiles } from '../pins/reported-files.ts';
import type { ProofTrees } from '../trees.ts';

export interface VerifyTerms {
  /** Replaces the receipt's setup. */
  readonly setup: string | null;
  /** Files of this directory that git ignores: only the person who verifies can give them to the checks. */
  readonly include: readonly string[];
}

/** The commands that would be run, in order. */
export function commandsOf({ setup, checks }: ReceiptPredicate, terms: VerifyTerms): string[] {
  const first = terms.setup ?? setup?.command ?? null;
  return [...(first === null ? [] : [first]), ...checks.map(({ command }) => command)];
}

export async function reproduce(
  world: ProofWorld,
  receipt: ReceiptPredicate,
  { setup, include }: VerifyTerms,
): Promise<Reproduced> {
  const { trees, kept, env, signal } = world;
  const at = await foundHere(trees, receipt.at);
  const included = { root: trees.root, kept: join(kept, 'included'), patterns: include, isPatternsOnly: true } as const;
  await keepIncluded({ ...included, env, signal });
  const wanted: Omit<CleanRunWanted, 'name'> = {
    at: at.at,
    isSnapshot: at.commit === null,
    setup: setup ?? receipt.setup?.command ?? null,
    isSetupKnown: true,
    checks: receipt.checks.map(askedCheck),
    // A receipt does not hold the tests of the start.
    retries: { isWorse: () => false },
    mayBeEmpty: (command) => receipt.checks.some((check) => check.command === command && isEmpty(check)),
  };
  const ran = await cleanRun(world, { ...wanted, name: 'verify' });
  const plain = runOf(ran);
  const base = receipt.base === null ? null : await trees.find(receipt.base);
  if (base === null || receipt.terms === null) return { ...plain, at, pinned: null };
  const commands = receipt.checks.map(({ command }) => command);
  // Files that were known as tests only from a report.
  const named = Object.keys(receipt.pins.files).filter((path) => pinKindOf(path) === null);
  const pins = [...receipt.terms.pins, ...named.map((path) => `:(literal)${path}`)];
  const terms = { ...receipt.terms, pins, setup: receipt.setup?.command ?? null };
  const { subfolder } = world;
  // The tests of the start that still exist: each of them was also run here.
  const reported = ran.results.map(({ tests }) => tests);
  const pinned = await pinnedFiles(
    trees,
    { base: { at: base }, work: at, claimed: at },
    {
      terms,
      commands,
      subfolder,
      tests: await reportedFiles(trees, base.at, reported),
      imported: () => importedModules(trees, base.at, reported),
    },
  );
  const again = isRunAgain(pinned)
    ? runOf(await cleanRun(world, { ...wanted, name: 'verify_start', files: pinned.files }))
    : null;
  return { ...plain, at, pinned: { changed: pinned.changed, again, unlike: await unlikeStart(trees, base, receipt) } };
}

/** Compares the receipt's files that decide about the checks with those of the commit that the loop began with. */
async function unlikeStart(
  trees: ProofTrees,
  { at }: ProvedTree,
  { pins, folder }: Pick<ReceiptPredicate, 'pins' | 'folder'>,
): Promise<string[]> {
  const blobs = await trees.blobs(at);
  const files = Object.entries(pins.files).filter(([path, blob]) => blobs.get(path) !== blob);
  const settings: string[] = [];
  for (const [path, digest] of Object.entries(pins.settings)) {
    // The user's own settings, or a file that git ignores, are in no commit.
    const content = (await trees.entry(at, posix.join(folder, path)))?.content;
    if (content !== undefined && createHash('sha256').update(content).digest('hex') !== digest) settings.push(path);
  }
  return [...files.map(([path]) => path), ...settings];
}

const isEmpty = ({ tests }: ReceiptCheck): boolean =>
  tests !== null && tests.passed + tests.failed + tests.skipped === 0;

const runOf = ({ setup, results }: Awaited<ReturnType<typeof cleanRun>>): CleanRun => {
  return { setup, checks: results.map(({ check }) => check) };
};

export async function foundHere(trees: ProofTrees, at: GitTree): Promise<ProvedTree> {
  const found = await trees.find(at);
  if (found !== null) return found;
  const hint =
    at.commit === null
      ? 'It is of files that were not committed: commit them, or run this in a clone that has such a commit.'
      : 'Fetch it (git fetch), or run this in a clone that has it.';
  throw new RalphError('NO_COMMIT', `${placeWords(at)} of the receipt is not in this repository`, { hint });
}

/**
 * A receipt may come from anywhere. A check's settings must match its name, and must not name a file outside of the
 * checkout: some kinds of checks remove an old report first.
 */
export function refuseForeign({ checks }: ReceiptPredicate): void {
  for (const { command, check } of checks) {
    const why = check === null ? null : whyForeign(command, check);
    if (why !== null) throw new RalphError('RECEIPT', `the receipt cannot be run: ${command}: ${why}`);
  }
}

function whyForeign(command: string, { kind, given }: AskedCheck): string | null {
  const known = CHECK_KINDS.find((one) => one.kind === kind);
  if (known === undefined) return `this release has no checks of the kind "${kind}"`;
  const isForeign = Object.entries(given).some(([key, value]) => !(key in known.keys) || leadsOut(key, value));
  if (isForeign) return 'it names something outside of the checkout, or something that its kind does not know';
  return labelOf({ kind, given }) === command ? null : 'it would run something else';
}

function leadsOut(key: string, value: AskedCheck['given'][string]): boolean {
  if (key === 'command') return typeof value !== 'string';
  return [value].flat().some((one) => /^\/|(?:^|\/)\.\.(?:\/|$)/.test(String(one)));
}

/** How much is kept of what failing commands print. */
const KEPT_CHARS = 2000;

function askedCheck({ command, check, timeoutMs, isExcused, isWitness }: ReceiptCheck): AskedProofCheck {
  return {
    command,
    ...(check ?? { kind: COMMAND, given: { command } }),
    keepChars: KEPT_CHARS,
    keeps: 'end',
    timeoutMs,
    ...(isExcused ? { isExcused } : {}),
    ...(isWitness ? { isWitness } : {}),
  };
}
