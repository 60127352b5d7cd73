/** Takes snapshots of a work tree, each a commit. Files are read here, not by git: no filter or link can interfere. */
import { readdirSync, readlinkSync, rmSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defined } from '../../core/defined.ts';
import type { LeftOut } from '../../core/record.ts';
import type { Duration } from '../../core/time.ts';
import { nullOn, readPlainBytes, realPathOr } from '../../process/files.ts';
import { type BytePath, LARGEST_FILE, type ListedFiles, listFiles, placeOf, textOf } from './list-files.ts';
import { callGit, type SnapshotStore, storeEnvironment } from './store.ts';

export interface Taken {
  readonly commit: string;
  /** In how many files it differs from the last snapshot; absent for the first. */
  readonly changed?: number;
  /** The same for two snapshots with the same files. */
  readonly tree?: string;
  readonly leftOut?: LeftOut;
}

/**
 * `ref`: the name under which it is kept. If nothing has changed, it is the last snapshot again, and gets no name of
 * its own.
 */
export type TakeSnapshot = (ref: string, signal: AbortSignal) => Promise<Taken>;

/** How long one may take. An agent can make git wait forever, with a pipe in place of an ignore file. */
export const SNAPSHOT_PATIENCE: Duration = 60_000;

/** The rest is counted, not named. */
const NAMED = 20;
/** A file that was written so recently can be written again without a new timestamp. */
const RECENT_MS = 2000;
/** How many files to read before other events get their turn. */
const AT_ONCE = 100;

const MOST_PACKS = 50;
/** One thread, since the agent needs the other cores; large files are stored as they are. */
const CHEAPLY = ['-c', 'pack.threads=1', '-c', 'core.bigFileThreshold=1m'];

export interface TakeOptions {
  readonly env: NodeJS.ProcessEnv;
  /** See `ListOptions`. */
  readonly except: string;
}

/** The function remembers what the last snapshot contains: the next one reads only what has changed. */
export function snapshotTaker(store: SnapshotStore, { env, except }: TakeOptions): TakeSnapshot {
  let last: Snapshot | null = null;
  let excludesFile: string | null = null;
  let mayCombine = true;
  return async (ref, signal) => {
    excludesFile ??= await usersExcludes(env, signal);
    // Loaded only here: a loop without a repository does not need it.
    const { createHash } = await import('node:crypto');
    const listed = await listFiles(store, { env, except, signal, excludesFile });
    const before = last;
    // If the snapshot fails, no incomplete memory is left.
    last = null;
    const seen = new Map<BytePath, SeenFile>();
    const idOf = (content: Buffer): string => createHash('sha1').update(content).digest('base64');
    if (before !== null && (await isSame(store.root, { listed, from: before, seen, signal, idOf }))) {
      last = { ...before, seen };
      return { ...before.ids, changed: 0, ...leftOutOf(listed) };
    }
    seen.clear();
    removeHalfPacks(store);
    if (mayCombine) mayCombine = await combinePacks(store, { env, signal });
    const input = importStream(store.root, { ref, listed, from: before, seen, signal, idOf });
    const args = ['fast-import', '--quiet', '--done', '--force', '--date-format=now'];
    const call = { env: storeEnvironment(store, env), cwd: store.gitFolder, signal, input };
    const [commit = '', said = ''] = (await callGit(args, call)).toString('latin1').trim().split('\n');
    const [, tree] = /^040000 tree ([0-9a-f]+)\t/.exec(`${said}\t`) ?? [];
    const ids = { commit, ...defined({ tree }) };
    last = { ids, seen };
    const changed = before === null ? undefined : changedFiles(before.seen, seen);
    return { ...ids, ...defined({ changed }), ...leftOutOf(listed) };
  };
}

interface Snapshot {
  readonly ids: Pick<Taken, 'commit' | 'tree'>;
  readonly seen: ReadonlyMap<BytePath, SeenFile>;
}

interface SeenFile {
  /** What `stat` said about it; `recent` if the next change might not show in that. */
  readonly look: string;
  /** Its mode and the digest of its content. */
  readonly id: string;
}

function changedFiles(before: ReadonlyMap<BytePath, SeenFile>, after: ReadonlyMap<BytePath, SeenFile>): number {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const written = [...after].filter(([path, { id }]) => before.get(path)?.id !== id);
  return gone.length + written.length;
}

interface Comparison {
  readonly listed: ListedFiles;
  readonly from: Snapshot;
  /** Filled by the callee: the files that are now in the tree. */
  readonly seen: Map<BytePath, SeenFile>;
  readonly signal: AbortSignal;
  idOf(content: Buffer): string;
}

/** Does the work tree equal the last snapshot? Stops at the first difference; without one, `seen` is complete. */
async function isSame(root: string, { listed, from, seen, signal, idOf }: Comparison): Promise<boolean> {
  const now = Date.now();
  for (const path of from.seen.keys()) if (!listed.files.has(path)) return false;
  let read = 0;
  for (const [path, stat] of listed.files) {
    const known = from.seen.get(path);
    if (known?.look === lookOf(stat)) {
      seen.set(path, known);
      continue;
    }
    if (++read % AT_ONCE === 0) await nextTurn();
    signal.throwIfAborted();
    const content = contentOf(placeOf(root, path), stat);
    const file = content === null ? undefined : seenAs(stat, idOf(content), now);
    if (file?.id !== known?.id) return false;
    if (file === undefined) listed.leftOut.set(path, 'unreadable');
    else seen.set(path, file);
  }
  return true;
}

interface Import extends Omit<Comparison, 'from'> {
  readonly ref: string;
  readonly from: Snapshot | null;
}

/** In the input format of `git fast-import`. */
async function* importStream(root: string, { ref, listed, from, seen, signal, idOf }: Import): AsyncGenerator<Buffer> {
  const message = `${ref}\n`;
  const begin = [
    `commit ${ref}`,
    'mark :1',
    'committer ralph <ralph@localhost> now',
    `data ${message.length}`,
    message,
  ];
  yield Buffer.from(begin.join('\n'));
  yield Buffer.from(from === null ? 'deleteall\n' : `from ${from.ids.commit}\n`);
  const now = Date.now();
  const changed: [BytePath, Stats][] = [];
  for (const [path, stat] of listed.files) {
    const known = from?.seen.get(path);
    if (known?.look === lookOf(stat)) seen.set(path, known);
    else changed.push([path, stat]);
  }
  // Deletions first: a folder may have become a file, or a file a folder.
  for (const path of from?.seen.keys() ?? []) {
    if (!listed.files.has(path)) yield Buffer.from(`D ${quoted(path)}\n`, 'latin1');
  }
  for (const [path, stat] of changed) {
    signal.throwIfAborted();
    const content = contentOf(placeOf(root, path), stat);
    if (content === null) {
      listed.leftOut.set(path, 'unreadable');
      yield Buffer.from(`D ${quoted(path)}\n`, 'latin1');
      continue;
    }
    seen.set(path, seenAs(stat, idOf(content), now));
    const head = `M ${modeOf(stat)} inline ${quoted(path)}\ndata ${content.length}\n`;
    yield Buffer.concat([Buffer.from(head, 'latin1'), content, LINE_END]);
  }
  yield Buffer.from('get-mark :1\nls :1 ""\ndone\n');
}

const LINE_END = Buffer.from('\n');

/** Null if it cannot be read, or is gone by now. */
function contentOf(path: string | Buffer, stat: Stats): Buffer | null {
  if (!stat.isSymbolicLink()) return readPlainBytes(path, LARGEST_FILE);
  return nullOn(['ENOENT', 'ENOTDIR', 'EINVAL', 'EACCES'], () => readlinkSync(path, 'buffer'));
}

function seenAs(stat: Stats, digest: string, now: number): SeenFile {
  const look = stat.ctimeMs < now - RECENT_MS ? lookOf(stat) : 'recent';
  return { look, id: `${modeOf(stat)} ${digest}` };
}

function modeOf(stat: Stats): string {
  if (stat.isSymbolicLink()) return '120000';
  return (stat.mode & 0o100) === 0 ? '100644' : '100755';
}

function lookOf({ mode, size, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${mode} ${size} ${ino} ${mtimeMs} ${ctimeMs}`;
}

/** Quoted as `git fast-import` expects it. */
export function quoted(path: BytePath): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
}

function leftOutOf({ leftOut }: ListedFiles): { readonly leftOut?: LeftOut } {
  if (leftOut.size === 0) return {};
  const files = [...leftOut].slice(0, NAMED).map(([path, why]) => ({ path: textOf(path), why }));
  return { leftOut: { count: leftOut.size, files } };
}

/** Removes what a git that was killed has left. */
function removeHalfPacks({ gitFolder }: SnapshotStore): void {
  const packs = join(gitFolder, 'objects', 'pack');
  for (const name of readdirSync(packs)) if (/^\.?tmp[_-]/.test(name)) rmSync(join(packs, name), { force: true });
}

/**
 * Git looks for an object that may be new in every pack: each snapshot of a long loop would take longer than the one
 * before. False if this git cannot combine packs (before 2.32): then it is not tried again.
 */
async function combinePacks(
  store: SnapshotStore,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<boolean> {
  const packs = readdirSync(join(store.gitFolder, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
  if (packs.length < MOST_PACKS) return true;
  // Unreachable objects are kept as well: a journal may refer to them.
  const args = [...CHEAPLY, 'repack', '--geometric=2', '-d', '-n', '-q'];
  const done = callGit(args, { env: storeEnvironment(store, env), cwd: store.gitFolder, signal });
  return done.then(
    () => true,
    (error: unknown) => {
      if (signal.aborted) throw error;
      return false;
    },
  );
}

/** The user's ignore file for all repositories; git is asked outside any repository. */
async function usersExcludes(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const args = ['config', '--global', '--type=path', '--get', 'core.excludesFile'];
  const set = await callGit(args, { env, cwd: '/', signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    // Exit code 1: it is not set.
    return null;
  });
  const { XDG_CONFIG_HOME: config, HOME: home = homedir() } = env;
  const byDefault = join(config || join(home, '.config'), 'git', 'ignore');
  // Follows a link: people keep such files elsewhere.
  return realPathOr(set?.toString('utf8').replace(/\n$/, '') ?? byDefault);
}
