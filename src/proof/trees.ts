/**
 * Trees of files as git knows them: the loop's snapshots, and the commits of the project. They are read by our own git
 * directory with our own settings; of the project's repository only the objects are used.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { ProvedTree } from '../core/proof/proof.ts';
import type { GitTree } from '../core/proof/receipt.ts';
import { callGit, commitAt, openStore, type SnapshotStore, storeEnvironment } from '../scm/snapshots/store.ts';
import { snapshotTaker } from '../scm/snapshots/take.ts';
import { believedGit, commitIn } from '../state/git-place.ts';

export interface ProofTrees {
  /** Where the work tree begins. */
  readonly root: string;
  /** What the loop's recorder kept under this name; null where it kept nothing. */
  kept(ref: string): Promise<ProvedTree | null>;
  /** Keeps the work tree as it is now, under this name. */
  take(ref: string): Promise<ProvedTree>;
  /** The commit that is checked out in the project; null where there is none. */
  head(): Promise<ProvedTree | null>;
  /** What a receipt names, by the objects that are here: its commit, or its files alone. Null where they are not. */
  find(wanted: GitTree): Promise<ProvedTree | null>;
  /** The blob of every file, within these pathspecs where some are given. */
  blobs(at: string, within?: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The files that differ, within these pathspecs where some are given. */
  changes(from: string, to: string, within?: readonly string[]): Promise<TreeChange[]>;
  /** Every file of it. */
  files(at: string): Promise<string[]>;
  /** Null for what is no file in that tree: a link, or nothing. */
  entry(at: string, path: string): Promise<TreeFile | null>;
  /** Copies what is needed to check it out into another git directory. */
  copyTo(at: string, gitFolder: string): Promise<void>;
}

export interface TreeChange {
  readonly path: string;
  /** `modified` is also a file that became a link, or can be executed now. */
  readonly how: 'added' | 'deleted' | 'modified';
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
  /** The folder of all loops, which is not kept. */
  readonly except: string;
  readonly signal: AbortSignal;
}

/** Null without a repository. */
export function proofTrees({ loop, cwd, env, except, signal }: TreesOptions): ProofTrees | null {
  const store = openStore(loop, cwd);
  if (store === null) return null;
  const { root } = store;
  const git = async (...args: string[]): Promise<Buffer> =>
    callGit(args, { env: withProject(store, env), cwd: store.gitFolder, signal });
  const named = async (at: string): Promise<string> =>
    (await git('rev-parse', '--verify', `${at}^{tree}`)).toString().trim();
  const headTree = async (): Promise<{ commit: string; tree: string } | null> => {
    const commit = commitIn(root);
    return commit === null ? null : { commit, tree: await named(commit) };
  };
  const provedTree = async (at: string, tree: string): Promise<ProvedTree> => {
    const head = await headTree();
    return { at, tree, commit: head?.tree === tree ? head.commit : null };
  };
  return {
    root,
    async kept(ref) {
      const at = commitAt(store, ref);
      return at === null ? null : provedTree(at, await named(at));
    },
    async take(ref) {
      const { commit: at, tree = await named(at) } = await snapshotTaker(store, { env, except })(ref, signal);
      return provedTree(at, tree);
    },
    async head() {
      const head = await headTree();
      return head === null ? null : { at: head.commit, ...head };
    },
    async find({ commit, tree }) {
      const found = await named(commit === null ? (tree ?? '') : `${commit}^{commit}`).catch(nullIfMissing);
      if (found === null) return null;
      if (commit !== null) return { at: commit, tree: found, commit };
      const at = await git(...AS_OURS, 'commit-tree', '-m', 'proof', found);
      return { at: at.toString().trim(), tree: found, commit: null };
    },
    async blobs(at, within = []) {
      const none = (await git('hash-object', '-t', 'tree', '/dev/null')).toString().trim();
      const listed = await git('diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', none, at, '--', ...within);
      const words = listed.toString('utf8').split('\0').filter(Boolean);
      return new Map(words.flatMap((path, index) => (index % 2 === 0 ? [] : [[path, blobIn(words[index - 1])]])));
    },
    async changes(from, to, within = []) {
      const args = [
        'diff-tree',
        '-r',
        '-z',
        '--no-renames',
        '--no-ext-diff',
        '--name-status',
        from,
        to,
        '--',
        ...within,
      ];
      return changesIn((await git(...args)).toString('utf8'));
    },
    async files(at) {
      const names = await git('ls-tree', '-r', '-z', '--name-only', at);
      return names.toString('utf8').split('\0').filter(Boolean);
    },
    async entry(at, path) {
      const listed = (await git('--literal-pathspecs', 'ls-tree', '-z', at, '--', path)).toString('utf8');
      const [, mode, object] = /^100(\d+) blob ([0-9a-f]+)\t/.exec(listed) ?? [];
      if (object === undefined) return null;
      return { content: await git('cat-file', 'blob', object), isExecutable: mode === '755' };
    },
    async copyTo(at, gitFolder) {
      // As a shallow clone gets it: this one commit and its files, each named by the hash of what it holds.
      const wanted = `--shallow ${at}\n${at}\n`;
      const packing = spawn('git', ['pack-objects', '--revs', '--shallow', '--window=0', '--stdout', '--quiet'], {
        env: withProject(store, env),
        cwd: store.gitFolder,
        stdio: ['pipe', 'pipe', 'ignore'],
        signal,
      });
      // What is wrong with it, the reader of an incomplete pack says.
      packing.on('error', () => undefined);
      packing.stdin.on('error', () => undefined).end(wanted);
      const into = storeEnvironment({ gitFolder, root }, env);
      await callGit(['index-pack', '--stdin', '--strict'], {
        env: into,
        cwd: gitFolder,
        signal,
        input: packing.stdout,
      });
    },
  };
}

/** With the objects of the project's repository; nothing else of it is believed. */
function withProject(store: SnapshotStore, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const git = believedGit(store.root);
  const own = storeEnvironment(store, env);
  if (git === null) return own;
  const objects = join(git.commonFolder, 'objects');
  return { ...own, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects), GIT_NO_LAZY_FETCH: '1' };
}

/** A commit has an author; it is seen in no history. */
const AS_OURS = ['-c', 'user.name=ralph', '-c', 'user.email=ralph@localhost'];

function nullIfMissing(error: unknown): null {
  if (error instanceof RalphError && error.code === 'GIT') return null;
  throw error;
}

/** Of a line such as `:000000 100644 000… 1c2d… A`. */
const blobIn = (line = ''): string => line.split(' ')[3] ?? '';

const HOW: Readonly<Record<string, TreeChange['how']>> = { A: 'added', D: 'deleted' };

function changesIn(output: string): TreeChange[] {
  const words = output.split('\0').filter(Boolean);
  return words.flatMap((path, at) => (at % 2 === 0 ? [] : [{ path, how: HOW[words[at - 1] ?? ''] ?? 'modified' }]));
}
