/** Finds the files that decide about the checks and differ from the start, and their content at the start. */
import { posix } from 'node:path';
import { dependencyNames, type PackagesOfStart } from '../../core/proof/pins/pinned-json.ts';
import { lockedNames } from '../../core/proof/pins/pinned-lock.ts';
import {
  holdsTests,
  isMixed,
  isRival,
  mayBeFirst,
  mayBeProduct,
  pinKindOf,
  withPinnedPart,
} from '../../core/proof/pins/pins.ts';
import { foldersEntered, importRoots, rootModules } from '../../core/proof/pins/python-modules.ts';
import type { BaseProof, ProofTerms, ProvedTree } from '../../core/proof/proof.ts';
import type { PutFiles } from '../checkout.ts';
import { type FilesRun, filesRun } from '../files-run.ts';
import type { ProofTrees, TreeChange, TreeFile } from '../trees.ts';
import { addedPackages, hasRustTests, isOfNx, type KnownFiles, kindOfChange, shadows } from './kind-of-change.ts';

export interface Pinned {
  /** The files that were changed although they must not be. */
  readonly changed: readonly string[];
  /** Restores all tests, and all files that control them, to the start; removes new tests. */
  readonly files: PutFiles;
  /** Test files of the start that the user lets the agent change, and that were changed; null if there are none. */
  readonly freed: Freed | null;
  /** There are tests that are not from the start (which `files` removes), or a commit lacks some of the start. */
  readonly hasNewTests: boolean;
}

export interface Freed {
  readonly files: readonly string[];
  /** No other file of the start is known to contain tests. */
  readonly areAll: boolean;
}

export interface PinnedTrees {
  readonly base: Pick<BaseProof, 'at' | 'head'>;
  readonly work: Pick<ProvedTree, 'at'>;
  /** The same as `work` if the loop commits nothing. */
  readonly claimed: Pick<ProvedTree, 'at'>;
}

/** What the loop was asked, and what its first run has shown. */
export interface PinnedBy {
  readonly terms: Pick<ProofTerms, 'pins' | 'allowEdit'> & { readonly setup?: string | null };
  readonly commands: readonly string[];
  /** Files of the start that contain tests whatever their names, because their runner reported some in them. */
  readonly tests?: readonly string[];
  /** A check reported tests at the start. */
  readonly reportsTests?: boolean;
  /** The loop's folder, relative to the top of the work tree. */
  readonly subfolder?: string;
  /** Packages that the setup installed at the start. */
  readonly installed?: readonly string[];
  /** External modules that tests of the start import; called only if one may be replaced, since it reads all tests. */
  imported?(): Promise<ReadonlySet<string>>;
}

export async function pinnedFiles(
  trees: ProofTrees,
  { base, work, claimed }: PinnedTrees,
  {
    terms,
    commands,
    tests = [],
    reportsTests = false,
    subfolder = '',
    installed = [],
    imported: findImported,
  }: PinnedBy,
): Promise<Pinned> {
  const [from, to] = [base.at.at, claimed.at];
  const all = await trees.changes(from, to);
  const neverAdded = work.at === to ? new Set<string>() : await filesNeverAdded(trees, { base, work });
  const within = async (specs: readonly string[]): Promise<Set<string>> =>
    new Set(specs.length === 0 ? [] : (await trees.changes(from, to, specs)).map(({ path }) => path));
  const files = await trees.files(from);
  const run = await filesRun(trees, from, { files, commands, subfolder, setup: terms.setup ?? null });
  const [pinned, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  const reported = new Set(tests);
  const asked = { has: (path: string): boolean => pinned.has(path) || run.has(path) };
  const entered = commands.flatMap(foldersEntered).map((folder) => posix.join(subfolder, folder));
  const roots = importRoots(files, [subfolder, ...entered]);
  const isModule = ({ path, how }: TreeChange): boolean => how === 'added' && rootModules(path, roots).length > 0;
  const imported = (all.some(isModule) ? await findImported?.() : undefined) ?? new Set<string>();
  const known: KnownFiles = { asked, reported, files, roots, imported, added: addedPackages(all, files) };
  const isPart = (change: TreeChange): boolean => pinKindOf(change.path) === 'part';
  const start = all.some(isPart) ? await packagesOfStart(trees, from, { files, installed, run }) : undefined;
  // If the project had no tests, the agent writes them all, and what runs them.
  const hadTests =
    reportsTests ||
    tests.length > 0 ||
    files.some((path) => pinKindOf(path) === 'tests') ||
    (await hasRustTests(trees, from, files));
  const changed: string[] = [];
  const put = new Map<string, TreeFile | null>();
  let hasLeft = false;
  for (const change of all) {
    const { path, how } = change;
    const kind = await kindOfChange(trees, change, { from, to, known });
    if (kind === null || freed.has(path)) continue;
    const isLeft = how === 'deleted' && neverAdded.has(path);
    if (kind === 'part' && !isLeft) {
      const part = how === 'added' && !hadTests ? null : await partOfStart(trees, change, { from, to, start });
      if (part === null) continue;
      put.set(path, part === 'none' ? null : part);
      changed.push(path);
      continue;
    }
    put.set(path, how === 'added' ? null : await trees.entry(from, path));
    const isNew = how === 'added';
    const isFirst = !hadTests && mayBeFirst(path) && !change.isLink && !shadows(path, known);
    const isFree = isNew ? kind === 'tests' || (isFirst && !asked.has(path) && !isRival(path, files)) : isLeft;
    if (!isFree) changed.push(path);
    if (isLeft && kind === 'tests') hasLeft = true;
  }
  const hasTests = (path: string): boolean => reported.has(path) || pinKindOf(path) === 'tests' || isMixed(path);
  const isFreed = ({ path, how }: TreeChange): boolean => freed.has(path) && how !== 'added' && hasTests(path);
  const freedFiles = all.filter(isFreed).map(({ path }) => path);
  const areAll = files.every((path) => !hasTests(path) || freedFiles.includes(path));
  const hasNewTests = hadTests && (hasLeft || [...put.values()].includes(null));
  return { changed, files: put, freed: freedFiles.length === 0 ? null : { files: freedFiles, areAll }, hasNewTests };
}

/** The packages, programs and registries of the start, which a new or renamed package must not replace. */
async function packagesOfStart(
  trees: ProofTrees,
  at: string,
  { files, installed, run }: { files: readonly string[]; installed: readonly string[]; run: FilesRun },
): Promise<PackagesOfStart> {
  const names = new Set(installed);
  for (const path of files.filter((one) => PACKAGES.test(one) && !one.includes('node_modules/'))) {
    const text = (await trees.entry(at, path))?.content.toString('utf8') ?? '';
    for (const name of path.endsWith('package.json') ? dependencyNames(text) : lockedNames(text)) names.add(name);
  }
  const hosts = new Set<string>();
  for (const path of files.filter((one) => REGISTRIES.test(one) && !one.includes('node_modules/'))) {
    const text = (await trees.entry(at, path))?.content.toString('utf8') ?? '';
    for (const [, host = ''] of text.matchAll(/https?:\/\/([^/\s"']+)/g)) hosts.add(host);
  }
  return { names, programs: run.programs, hosts };
}

const REGISTRIES = /(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?)$/;
const PACKAGES = /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json)$/;

/** New tests and other new files may keep those of the start from being run, so the checks also run without them. */
export const isRunAgain = ({ changed, hasNewTests }: Pinned): boolean => changed.length > 0 || hasNewTests;

/** Files that were not in the project's commit at the start and have not changed: only the commit lacks them. */
async function filesNeverAdded(trees: ProofTrees, { base, work }: Omit<PinnedTrees, 'claimed'>): Promise<Set<string>> {
  const known = new Set(base.head === undefined ? [] : await trees.files(base.head));
  const touched = new Set((await trees.changes(base.at.at, work.at)).map(({ path }) => path));
  return new Set((await trees.files(base.at.at)).filter((path) => !known.has(path) && !touched.has(path)));
}

/** Null if no part that is about checks has changed; `none` for a new file that must not exist. */
async function partOfStart(
  trees: ProofTrees,
  { path, how }: TreeChange,
  { from, to, start }: { readonly from: string; readonly to: string; readonly start: PackagesOfStart | undefined },
): Promise<TreeFile | 'none' | null> {
  const before = await trees.entry(from, path);
  if (how === 'deleted') return before;
  const now = await trees.entry(to, path);
  // It was replaced by a link, which leads to other content.
  if (now === null) return before;
  // A new Rust package has its own targets.
  if (how === 'added' && path.endsWith('Cargo.toml')) return null;
  const text = before?.content.toString('utf8') ?? null;
  const pinned = withPinnedPart(path, now.content.toString('utf8'), text, start);
  if (pinned === null) return null;
  return pinned === '' ? 'none' : { ...now, content: Buffer.from(pinned) };
}

/** The blobs of all files that are pinned when a loop begins. */
export async function pinnedBlobs(
  trees: ProofTrees,
  at: string,
  { terms, commands, tests = [], subfolder = '' }: PinnedBy,
): Promise<Record<string, string>> {
  const within = async (specs: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    specs.length === 0 ? new Map() : trees.blobs(at, specs);
  const all = await trees.blobs(at);
  const run = await filesRun(trees, at, { files: [...all.keys()], commands, subfolder, setup: terms.setup ?? null });
  const [asked, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  const files = [...all.keys()];
  const isPinned = async (path: string): Promise<boolean> => {
    if (asked.has(path) || run.has(path) || tests.includes(path) || isOfNx(path, files)) return true;
    if (pinKindOf(path) === null || isMixed(path)) return false;
    return !mayBeProduct(path) || holdsTests((await trees.entry(at, path))?.content.toString('utf8') ?? '');
  };
  const pinned: [string, string][] = [];
  for (const entry of all) if (!freed.has(entry[0]) && (await isPinned(entry[0]))) pinned.push(entry);
  return Object.fromEntries(pinned);
}
