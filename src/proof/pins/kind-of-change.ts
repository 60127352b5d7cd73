/** Whether a changed file decides about the checks: by its name, by what names or contains it, by what it replaces. */
import { posix } from 'node:path';
import { declaresTests, declaringFiles, rustTests } from '../../core/proof/pins/pinned-rust.ts';
import {
  holdsTests,
  isInTests,
  isMixed,
  isOfPackage,
  mayBeProduct,
  type PinKind,
  pinKindOf,
} from '../../core/proof/pins/pins.ts';
import { type ImportRoot, rootModules, takesName } from '../../core/proof/pins/python-modules.ts';
import type { ProofTrees, TreeChange } from '../trees.ts';

export interface KnownFiles {
  readonly asked: { has(path: string): boolean };
  readonly reported: ReadonlySet<string>;
  readonly files: readonly string[];
  /** Where Python searches for modules. */
  readonly roots: readonly ImportRoot[];
  readonly imported: ReadonlySet<string>;
  /** Folders of new packages. */
  readonly added: readonly string[];
}

interface Between {
  readonly from: string;
  readonly to: string;
  readonly known: KnownFiles;
}

export async function kindOfChange(
  trees: ProofTrees,
  change: TreeChange,
  { from, to, known }: Between,
): Promise<PinKind | null> {
  const { path, how, isLink } = change;
  if (isLink && how === 'added') return kindOfLink(trees, path, { from, to, known });
  const kind = kindOf(change, known);
  if (known.asked.has(path) || known.reported.has(path)) return kind;
  if (kind === 'tests' && mayBeProduct(path)) {
    const text = (await trees.entry(how === 'added' ? to : from, path))?.content.toString('utf8') ?? '';
    return holdsTests(text) ? 'tests' : null;
  }
  const isRust = path.endsWith('.rs') && how !== 'added';
  return isRust && kind === 'part' && (await isTestModule(trees, from, path, known.files)) ? 'tests' : kind;
}

/** A new link is judged by the files that it leads to, as if they were in its place. */
async function kindOfLink(trees: ProofTrees, path: string, { to, known }: Between): Promise<PinKind | null> {
  const files = await trees.files(to);
  const all = [path, ...(await pathsBehind(trees, to, path, files))];
  const kinds = all.map((one) => kindOf({ path: one, how: 'added', isLink: false }, known));
  // A part can be pinned only in a file itself, so a link to such a file counts as control.
  const isControl = kinds.some((kind, at) => kind === 'control' || (kind === 'part' && !isInTests(all[at] ?? '')));
  return isControl ? 'control' : kinds.includes('tests') ? 'tests' : null;
}

/** The paths by which files can be reached through a link. */
async function pathsBehind(
  trees: ProofTrees,
  at: string,
  link: string,
  files: readonly string[],
  depth = 0,
): Promise<string[]> {
  const target = posix.normalize(posix.join(posix.dirname(link), await trees.linkTarget(at, link)));
  const folder = target === '.' || target === './' ? '' : `${target.replace(/\/$/, '')}/`;
  const found = files.filter((one) => one.startsWith(folder)).map((one) => `${link}/${one.slice(folder.length)}`);
  const isLink = files.includes(target) && (await trees.entry(at, target)) === null;
  if (!isLink || depth >= LONGEST_CHAIN) return found;
  const behind = await pathsBehind(trees, at, target, files, depth + 1);
  return behind.map((one) => link + one.slice(target.length));
}

/** Limits links that lead to links. */
const LONGEST_CHAIN = 10;

function kindOf({ path, how }: TreeChange, known: KnownFiles): PinKind | null {
  const { asked, reported, files } = known;
  if (asked.has(path)) return 'control';
  if (reported.has(path)) return 'tests';
  const kind = isOfNx(path, files) ? 'control' : pinKindOf(path);
  if (how !== 'added') return kind ?? (isVendored(path, files) ? 'control' : null);
  const isOwn = known.added.some((folder) => path.startsWith(folder)) && (isOfPackage(path) || isOfNx(path, files));
  if (isOwn) return null;
  if (kind === 'part' && isInTests(path)) return 'tests';
  // A new Rust test module belongs to the file that declares it.
  if (kind === 'tests' && /(?:^|\/)src\/.*\.rs$/.test(path)) return null;
  // Go ignores a module inside another one: a new go.mod could hide tests.
  if (path.endsWith('/go.mod')) return holdsGo(path, files) ? 'control' : null;
  const isInPlaceOf = shadows(path, known) || (isVendored(path, files) && !isNewVendored(path, files));
  return kind ?? (isInPlaceOf ? 'control' : null);
}

/** Whether Python would load this new file instead of a module from outside of the project. */
export function shadows(path: string, { roots, files, imported }: KnownFiles): boolean {
  const isOwn = (own: string): boolean => files.some((one) => one === `${own}.py` || one.startsWith(`${own}/`));
  return rootModules(path, roots).some(
    (module) => takesName(path, module, imported) && !isOwn(module.root.folder + module.name),
  );
}

/** Nx keeps the commands of a package in this file. */
export const isOfNx = (path: string, files: readonly string[]): boolean =>
  /(?:^|\/)project\.json$/.test(path) && files.includes('nx.json');

/** The new folders of added packages. */
export function addedPackages(all: readonly TreeChange[], files: readonly string[]): string[] {
  return all.flatMap(({ path, how }) => {
    const [, folder] = how === 'added' ? (/^(.+\/)(?:package|project)\.json$/.exec(path) ?? []) : [];
    return folder === undefined || files.some((one) => one.startsWith(folder)) ? [] : [folder];
  });
}

/** Whether a test module declares this file as a module, or any file declares it only for tests. */
async function isTestModule(
  trees: ProofTrees,
  at: string,
  path: string,
  files: readonly string[],
  depth = 0,
): Promise<boolean> {
  for (const [file, module] of declaringFiles(path).filter(([one]) => files.includes(one))) {
    const text = (await trees.entry(at, file))?.content.toString('utf8') ?? '';
    if (declaresTests(text, module)) return true;
    const isRoot = /(?:^|\/)(?:lib|main)\.rs$/.test(file);
    if (!isRoot && depth < LONGEST_CHAIN && (await isTestModule(trees, at, file, files, depth + 1))) return true;
  }
  return false;
}

/** Rust tests can be inside the product's files. */
export async function hasRustTests(trees: ProofTrees, at: string, files: readonly string[]): Promise<boolean> {
  for (const path of files.filter(isMixed)) {
    const text = (await trees.entry(at, path))?.content.toString('utf8') ?? '';
    if (rustTests(text) !== '') return true;
  }
  return false;
}

function holdsGo(path: string, files: readonly string[]): boolean {
  const folder = path.slice(0, -'go.mod'.length);
  return files.some((one) => one.startsWith(folder) && one.endsWith('.go'));
}

/** Go compiles vendored files instead of the modules whose checksums it verifies. */
const isVendored = (path: string, files: readonly string[]): boolean =>
  /(?:^|\/)vendor\/.+\.go$/.test(path) && files.some((one) => /(?:^|\/)go\.mod$/.test(one));

/** In a project that vendors its modules, a new dependency adds new folders. */
function isNewVendored(path: string, files: readonly string[]): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return files.some((one) => one.endsWith('vendor/modules.txt')) && !files.some((one) => one.startsWith(folder));
}
