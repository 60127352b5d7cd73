/** Which files that decide about the checks differ from the start, and what they have to hold to be as they were. */
import { pinKindOf, withPinnedPart } from '../core/proof/pins.ts';
import type { BaseProof, ProofTerms, ProvedTree } from '../core/proof/proof.ts';
import type { PutFiles } from './checkout.ts';
import type { ProofTrees, TreeChange, TreeFile } from './trees.ts';

export interface Pinned {
  /** Those that were changed, and may not have been. */
  readonly changed: readonly string[];
  /** What brings all tests, and all that controls them, back to what they were; new tests go. */
  readonly files: PutFiles;
  /** Tests of the start that the user lets the agent change have been changed. */
  readonly hasFreed: boolean;
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
  terms: Pick<ProofTerms, 'pins' | 'allowEdit'>,
): Promise<Pinned> {
  const [from, to] = [base.at.at, claimed.at];
  const all = await trees.changes(from, to);
  const neverAdded = work.at === to ? new Set<string>() : await filesNeverAdded(trees, { base, work });
  const within = async (specs: readonly string[]): Promise<Set<string>> =>
    new Set(specs.length === 0 ? [] : (await trees.changes(from, to, specs)).map(({ path }) => path));
  const [asked, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  // In a project without tests an agent writes them all, and what runs them.
  const hadTests = (await trees.files(from)).some((path) => pinKindOf(path) === 'tests');
  const changed: string[] = [];
  const files = new Map<string, TreeFile | null>();
  for (const change of all) {
    const { path, how } = change;
    const kind = asked.has(path) ? 'control' : pinKindOf(path);
    if (kind === null || freed.has(path)) continue;
    const isLeft = how === 'deleted' && neverAdded.has(path);
    if (kind === 'part' && !isLeft) {
      const put = await partOfStart(trees, change, { from, to });
      if (put === null) continue;
      files.set(path, put);
      changed.push(path);
      continue;
    }
    files.set(path, how === 'added' ? null : await trees.entry(from, path));
    const isFree = how === 'added' ? kind === 'tests' || !(hadTests || asked.has(path)) : isLeft;
    if (!isFree) changed.push(path);
  }
  const hasFreed = all.some(({ path, how }) => freed.has(path) && how !== 'added' && pinKindOf(path) === 'tests');
  return { changed, files, hasFreed };
}

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
  // A new one brings nothing that was there before.
  if (now === null || how === 'added') return null;
  const pinned = withPinnedPart(path, now.content.toString('utf8'), before?.content.toString('utf8') ?? null);
  return pinned === null ? null : { ...now, content: Buffer.from(pinned) };
}

/** The blobs of all files that are pinned when a loop begins. */
export async function pinnedBlobs(
  trees: ProofTrees,
  at: string,
  terms: Pick<ProofTerms, 'pins' | 'allowEdit'>,
): Promise<Record<string, string>> {
  const within = async (specs: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    specs.length === 0 ? new Map() : trees.blobs(at, specs);
  const [asked, freed] = [await within(terms.pins), await within(terms.allowEdit)];
  const isPinned = (path: string): boolean => !freed.has(path) && (asked.has(path) || pinKindOf(path) !== null);
  return Object.fromEntries([...(await trees.blobs(at))].filter(([path]) => isPinned(path)));
}
