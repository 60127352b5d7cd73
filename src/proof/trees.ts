/**
 * Trees of files in git: the loop's snapshots, and the project's commits. All are read from the git directory of the
 * snapshots. A commit of the project is first copied there as a pack: this hashes every object, so that none can hold
 * something other than its name says.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { ProvedTree } from '../core/proof/proof.ts';
import type { GitTree } from '../core/proof/receipt.ts';
import {
  callGit,
  commitAt,
  isSha256Store,
  openStore,
  type SnapshotStore,
  storeEnvironment,
} from '../scm/snapshots/store.ts';
import { snapshotTaker } from '../scm/snapshots/take.ts';
import { believedGit, commitIn } from '../state/git-place.ts';
import { largeFiles, withLargeFiles } from './large-files.ts';

export interface ProofTrees {
  /** The top of the work tree. */
  readonly root: string;
  /** Git's name for the hash that identifies objects. */
  readonly objectFormat: 'sha1' | 'sha256';
  /** The snapshot of this commit; null if it does not exist. */
  kept(commit: string): Promise<ProvedTree | null>;
  /** Keeps the current work tree under this name. */
  take(ref: string): Promise<ProvedTree>;
  /** Adds files that are too large for a snapshot, if they are as in the checked-out commit; keeps it as `ref`. */
  whole(snapshot: ProvedTree, ref: string): Promise<ProvedTree>;
  /** The commit that is checked out in the project; null if there is none. */
  head(): Promise<ProvedTree | null>;
  /** Finds what a receipt names among the local objects: its commit, or just its files. Null if it is not there. */
  find(wanted: GitTree): Promise<ProvedTree | null>;
  /** The blob of every file, limited to these pathspecs if there are any. */
  blobs(at: string, within?: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The files that differ, limited to these pathspecs if there are any. */
  changes(from: string, to: string, within?: readonly string[]): Promise<TreeChange[]>;
  /** The paths of all files in the tree. */
  files(at: string): Promise<string[]>;
  /** Null if this is not a file in the tree: a link, or nothing. */
  entry(at: string, path: string): Promise<TreeFile | null>;
  /** The target of a link, exactly as stored. */
  linkTarget(at: string, path: string): Promise<string>;
  /** Why a clone would lack files that the work tree has (from a submodule or a filter); null if it has them all. */
  whyLacking(at: string): Promise<string | null>;
  /** Copies what a checkout needs into another git directory. */
  copyTo(at: string, gitFolder: string): Promise<void>;
}

export interface TreeChange {
  readonly path: string;
  /** `modified` includes a file that became a link, or executable. */
  readonly how: 'added' | 'deleted' | 'modified';
  /** The file is now a link. */
  readonly isLink: boolean;
}

export interface TreeFile {
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

export interface TreesOptions {
  /** The loop's folder. */
  readonly loop: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of all loops, which snapshots leave out. */
  readonly except: string;
  readonly signal: AbortSignal;
}

/** Null without a repository. */
export function proofTrees({ loop, cwd, env, except, signal }: TreesOptions): ProofTrees | null {
  const store = openStore(loop, cwd);
  if (store === null) return null;
  const { root, gitFolder } = store;
  const own = { env: storeEnvironment(store, env), cwd: gitFolder, signal };
  const git = async (...args: string[]): Promise<Buffer> => callGit(args, own);
  const text = async (...args: string[]): Promise<string> => (await git(...args)).toString('utf8');
  const treeIn = async (at: string): Promise<string> => (await text('rev-parse', '--verify', `${at}^{tree}`)).trim();
  const headTree = async (): Promise<{ commit: string; tree: string } | null> => {
    const commit = commitIn(root);
    return commit === null ? null : { commit, tree: await treeOfProject(store, commit, { ...own, env }) };
  };
  const provedTree = async (at: string, tree: string): Promise<ProvedTree> => {
    const head = await headTree();
    return { at, tree, commit: head?.tree === tree ? head.commit : null };
  };
  const head = async (): Promise<ProvedTree | null> => {
    const commit = commitIn(root);
    if (commit === null) return null;
    const isThere = await git('cat-file', '-e', `${commit}^{tree}`).then(
      () => true,
      () => false,
    );
    const base = commitAt(store, BASE_REF);
    if (!isThere) await copyPack(withProject(store, env), { commit, without: base }, own);
    return { at: commit, commit, tree: await treeIn(commit) };
  };
  const whole = async (snapshot: ProvedTree, ref: string): Promise<ProvedTree> => {
    const project = await headTree();
    if (project === null || project.tree === snapshot.tree) return snapshot;
    const asked = ['diff-tree', ...PLAIN, '--diff-filter=A', snapshot.at, project.commit];
    const lacking = await callGit(asked, { ...own, env: withProject(store, env) });
    const idOf = async (path: string): Promise<string> =>
      idIn(await git('hash-object', '--no-filters', join(root, path)));
    const files = await largeFiles(lacking.toString('utf8'), root, idOf);
    if (files.length === 0) return snapshot;
    await head();
    const input = [withLargeFiles(files, ref, snapshot.at)];
    const at = idIn(
      await callGit(['fast-import', '--quiet', '--done', '--force', '--date-format=now'], { ...own, input }),
    );
    return provedTree(at, await treeIn(at));
  };
  return {
    root,
    whole,
    head,
    objectFormat: isSha256Store(store) ? 'sha256' : 'sha1',
    async kept(commit) {
      const tree = await treeIn(commit).catch(nullIfMissing);
      return tree === null ? null : provedTree(commit, tree);
    },
    async take(ref) {
      const { commit: at, tree = await treeIn(at) } = await snapshotTaker(store, { env, except })(ref, signal);
      return whole(await provedTree(at, tree), ref);
    },
    async find({ commit, tree }) {
      const project = { ...own, env: withProject(store, env) };
      const wanted = `${commit ?? tree ?? ''}^{${commit === null ? 'tree' : 'commit'}}`;
      const found = await callGit(['rev-parse', '--verify', wanted], project).catch(nullIfMissing);
      if (found === null) return null;
      // If only files were named, wrap them in a commit of ours: only commits can be copied and checked out.
      const made =
        commit === null ? await callGit([...AS_OURS, 'commit-tree', '-m', 'proof', idIn(found)], project) : found;
      const at = idIn(made);
      await copyPack(project.env, { commit: at, without: null }, own);
      return { at, commit, tree: await treeIn(at) };
    },
    async blobs(at, within = []) {
      const none = idIn(await git('hash-object', '-t', 'tree', '/dev/null'));
      const words = (await text('diff-tree', ...PLAIN, none, at, '--', ...within)).split('\0').filter(Boolean);
      return new Map(words.flatMap((path, index) => (index % 2 === 0 ? [] : [[path, blobIn(words[index - 1])]])));
    },
    async changes(from, to, within = []) {
      return changesIn(await text('diff-tree', ...PLAIN, from, to, '--', ...within));
    },
    async files(at) {
      return (await text('ls-tree', '-r', '-z', '--name-only', at)).split('\0').filter(Boolean);
    },
    async entry(at, path) {
      const listed = await text('--literal-pathspecs', 'ls-tree', '-z', at, '--', path);
      const [, mode, object] = /^100(\d+) blob ([0-9a-f]+)\t/.exec(listed) ?? [];
      if (object === undefined) return null;
      return { content: await git('cat-file', 'blob', object), isExecutable: mode === '755' };
    },
    linkTarget: (at, path) => text('cat-file', 'blob', `${at}:${path}`),
    async whyLacking(at) {
      const listed = (await text('ls-tree', '-r', '-z', at)).split('\0');
      if (listed.some((line) => line.startsWith('160000 '))) return 'it has submodules';
      for (const line of listed) {
        const [, blob = '', path = ''] = ATTRIBUTES.exec(line) ?? [];
        if (path === '') continue;
        const isFiltered = /^[^#\n]*\sfilter=/m.test(await text('cat-file', 'blob', blob));
        if (isFiltered) return `${path} names a filter, as Git LFS does`;
      }
      return null;
    },
    copyTo: (at, folder) =>
      copyPack(
        own.env,
        { commit: at, without: null },
        { env: storeEnvironment({ gitFolder: folder, root }, env), cwd: folder, signal },
      ),
  };
}

/** A `.gitattributes` file in any folder, as `ls-tree` prints it. */
const ATTRIBUTES = /^100\d+ blob ([0-9a-f]+)\t((?:.*\/)?\.gitattributes)$/s;

/** The ref that keeps the tree that the loop began with. */
export const BASE_REF = 'refs/proof/base';

interface Into {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Copies one commit with its files, as a shallow clone does, except for objects that are already there. */
async function copyPack(
  from: NodeJS.ProcessEnv,
  { commit, without }: { readonly commit: string; readonly without: string | null },
  { env, cwd, signal }: Into,
): Promise<void> {
  const args = ['pack-objects', '--revs', '--shallow', '--window=0', '--stdout', '--quiet'];
  const packing = spawn('git', ['-c', 'core.multiPackIndex=false', ...args], {
    env: from,
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
  });
  // The reader of the incomplete pack reports the error.
  packing.on('error', () => undefined);
  const wanted = [`--shallow ${commit}`, commit, ...(without === null ? [] : [`^${without}`])];
  packing.stdin.on('error', () => undefined).end(`${wanted.join('\n')}\n`);
  await callGit(['index-pack', '--stdin', '--fix-thin'], { env, cwd, signal, input: packing.stdout });
}

/** Adds the objects of the project's repository; nothing else in it is trusted. */
function withProject(store: SnapshotStore, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const git = believedGit(store.root);
  const own = storeEnvironment(store, env);
  if (git === null) return own;
  const objects = join(git.commonFolder, 'objects');
  return { ...own, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects), GIT_NO_LAZY_FETCH: '1' };
}

/** Without copying the files: reads only the commit itself, and verifies its hash. */
async function treeOfProject(store: SnapshotStore, commit: string, { env, cwd, signal }: Into): Promise<string> {
  const content = await callGit(['cat-file', 'commit', commit], { env: withProject(store, env), cwd, signal });
  const hash = createHash(commit.length === 64 ? 'sha256' : 'sha1');
  const name = hash.update(`commit ${content.length}\0`).update(content).digest('hex');
  const [, tree] = /^tree ([0-9a-f]+)$/m.exec(content.toString('latin1')) ?? [];
  if (name === commit && tree !== undefined) return tree;
  throw new RalphError('GIT', `the commit ${commit} of the project is not what its name says`);
}

const idIn = (output: Buffer): string => output.toString('utf8').trim();

/** A commit needs an author; this one appears in no history. */
const AS_OURS = ['-c', 'user.name=ralph', '-c', 'user.email=ralph@localhost'];

function nullIfMissing(error: unknown): null {
  if (error instanceof RalphError && error.code === 'GIT') return null;
  throw error;
}

/** The blob in a line such as `:000000 100644 000… 1c2d… A`. */
const blobIn = (line = ''): string => line.split(' ')[3] ?? '';

/** Compares trees file by file, without the user's settings. */
const PLAIN = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff'];

const HOW: Readonly<Record<string, TreeChange['how']>> = { A: 'added', D: 'deleted' };

/** `:100644 120000 <before> <after> T`, then the path. */
function changesIn(output: string): TreeChange[] {
  const words = output.split('\0').filter(Boolean);
  return words.flatMap((path, at) => {
    if (at % 2 === 0) return [];
    const [, mode, , , how = ''] = (words[at - 1] ?? '').split(' ');
    return [{ path, how: HOW[how] ?? 'modified', isLink: mode === '120000' }];
  });
}
