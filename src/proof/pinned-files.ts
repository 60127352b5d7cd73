/** Which files that decide about the checks differ from the start, and what they have to hold to be as they were. */
import { pinKindOf, withPinnedPart } from '../core/proof/pins.ts';
import type { BaseProof, ProofTerms, ProvedTree } from '../core/proof/proof.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import type { PutFiles } from './checkout.ts';
import type { ProofTrees, TreeChange, TreeFile } from './trees.ts';

export interface Pinned {
  /** Those that were changed, and may not have been. */
  readonly changed: readonly string[];
  /** What brings all tests, and all that controls them, back to what they were; new tests go. */
  readonly files: PutFiles;
  /** Tests of the start that the user lets the agent change have been changed. */
  readonly hasFreed: boolean;
  /** There are others than those of the start, which are among the files that go. */
  readonly hasNewTests: boolean;
}

export interface PinnedTrees {
  readonly base: Pick<BaseProof, 'at' | 'head'>;
  readonly work: Pick<ProvedTree, 'at'>;
  /** The same where the loop commits nothing. */
  readonly claimed: Pick<ProvedTree, 'at'>;
}

export async function pinnedFiles(
  trees: ProofTrees,
  { base, work, claimed }: PinnedTrees,
  { terms, commands }: { readonly terms: Pick<ProofTerms, 'pins' | 'allowEdit'>; readonly commands: readonly string[] },
): Promise<Pinned> {
  const [from, to] = [base.at.at, claimed.at];
  const all = await trees.changes(from, to);
  const neverAdded = work.at === to ? new Set<string>() : await filesNeverAdded(trees, { base, work });
  const within = async (specs: readonly string[]): Promise<Set<string>> =>
    new Set(specs.length === 0 ? [] : (await trees.changes(from, to, specs)).map(({ path }) => path));
  const files = await trees.files(from);
  const run = await filesRun(trees, from, { files, commands });
  const [pinned, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  const asked = { has: (path: string): boolean => pinned.has(path) || run.has(path) };
  // In a project without tests an agent writes them all, and what runs them.
  const hadTests = files.some((path) => pinKindOf(path) === 'tests');
  const changed: string[] = [];
  const put = new Map<string, TreeFile | null>();
  for (const change of all) {
    const { path, how } = change;
    const kind = asked.has(path) ? 'control' : pinKindOf(path);
    if (kind === null || freed.has(path)) continue;
    const isLeft = how === 'deleted' && neverAdded.has(path);
    if (kind === 'part' && !isLeft) {
      const part = await partOfStart(trees, change, { from, to });
      if (part === null) continue;
      put.set(path, part);
      changed.push(path);
      continue;
    }
    put.set(path, how === 'added' ? null : await trees.entry(from, path));
    const isFree = how === 'added' ? kind === 'tests' || !(hadTests || asked.has(path)) : isLeft;
    if (!isFree) changed.push(path);
  }
  const hasFreed = all.some(({ path, how }) => freed.has(path) && how !== 'added' && pinKindOf(path) === 'tests');
  const hasNewTests = hadTests && [...put.values()].includes(null);
  return { changed, files: put, hasFreed, hasNewTests };
}

/** New tests, and what else is new there, may keep those of the start from being run: they are run without, too. */
export const isRunAgain = ({ changed, hasNewTests }: Pinned): boolean => changed.length > 0 || hasNewTests;

/** Programs of the start that a check, or a script of a package.json, runs, and that decide by their name: `./check.sh`. */
async function filesRun(
  trees: ProofTrees,
  at: string,
  { files, commands }: { readonly files: readonly string[]; readonly commands: readonly string[] },
): Promise<Set<string>> {
  const lines = [...commands];
  for (const path of files.filter((one) => /(?:^|\/)package\.json$/.test(one) && !one.includes('node_modules/'))) {
    const fields = parsedJson((await trees.entry(at, path))?.content.toString('utf8') ?? '');
    const scripts = isFields(fields) && isFields(fields.scripts) ? Object.values(fields.scripts) : [];
    lines.push(...scripts.filter((line) => typeof line === 'string'));
  }
  const named = lines.flatMap((line) =>
    [...line.matchAll(RUN)].map(([, program = '']) => program.replace(/^(?:\.\/)+/, '')),
  );
  const decides = named.filter((program) => DECIDES.test(program.slice(program.lastIndexOf('/') + 1)));
  return new Set(files.filter((path) => decides.some((program) => path === program || path.endsWith(`/${program}`))));
}

/** The program of a command, or what an interpreter is given to run. */
const RUN =
  /(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*(?:(?:\S*\/)?(?:\w*sh|node|python3?|ruby|perl|php|tsx|ts-node|bun)\s+(?:-\S+\s+)*)?([\w./-]+)/g;
/** What runs the product itself is the agent's to change. */
const DECIDES = /test|spec|check|verif|valid|lint|^ci\b|e2e/i;

/** They were no part of the project's commit at the start, and are as they were: only a commit lacks them. */
async function filesNeverAdded(trees: ProofTrees, { base, work }: Omit<PinnedTrees, 'claimed'>): Promise<Set<string>> {
  const known = new Set(base.head === undefined ? [] : await trees.files(base.head));
  const touched = new Set((await trees.changes(base.at.at, work.at)).map(({ path }) => path));
  return new Set((await trees.files(base.at.at)).filter((path) => !known.has(path) && !touched.has(path)));
}

/** Null where nothing of it that is about checks has changed. */
async function partOfStart(
  trees: ProofTrees,
  { path, how }: TreeChange,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<TreeFile | null> {
  const before = await trees.entry(from, path);
  if (how === 'deleted') return before;
  const now = await trees.entry(to, path);
  // A new one brings nothing that was there before; a link in its place brings something else.
  if (how === 'added') return null;
  if (now === null) return before;
  const pinned = withPinnedPart(path, now.content.toString('utf8'), before?.content.toString('utf8') ?? null);
  return pinned === null ? null : { ...now, content: Buffer.from(pinned) };
}

/** The blobs of all files that are pinned when a loop begins. */
export async function pinnedBlobs(
  trees: ProofTrees,
  at: string,
  { terms, commands }: { readonly terms: Pick<ProofTerms, 'pins' | 'allowEdit'>; readonly commands: readonly string[] },
): Promise<Record<string, string>> {
  const within = async (specs: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    specs.length === 0 ? new Map() : trees.blobs(at, specs);
  const all = await trees.blobs(at);
  const run = await filesRun(trees, at, { files: [...all.keys()], commands });
  const [asked, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  const isPinned = (path: string): boolean => asked.has(path) || run.has(path) || pinKindOf(path) !== null;
  return Object.fromEntries([...all].filter(([path]) => isPinned(path) && !freed.has(path)));
}
