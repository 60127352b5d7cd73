/** Restores a snapshot: as a branch of the project's repository, or in the work tree itself, after a backup. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import type { Duration } from '../../core/time.ts';
import { ifThere, writeFile } from '../../process/files.ts';
import { believedGit } from '../../state/git-place.ts';
import { tookLonger } from '../git.ts';
import { callGit, commitAt, type GitCall, type SnapshotStore, storeEnvironment, withoutGitVariables } from './store.ts';
import { SNAPSHOT_PATIENCE, type Taken, type TakeSnapshot } from './take.ts';

export interface BranchWanted {
  readonly commit: string;
  readonly branch: string;
  readonly message: string;
}

/** Makes one commit on top of HEAD; neither the work tree nor the index is touched. Returns its hash. */
export async function rewindToBranch(store: SnapshotStore, wanted: BranchWanted, env: NodeJS.ProcessEnv) {
  const { commit, branch, message } = wanted;
  const project = projectGit(store, env);
  const shadow = { env: storeEnvironment(store, env), cwd: store.gitFolder };
  const ref = `refs/heads/${branch}`;
  await project(['check-ref-format', ref]).catch(() => {
    throw new RalphError('BRANCH', `"${branch}" is not a valid branch name`);
  });
  if ((await project(['for-each-ref', '--format=%(refname)', ref])) !== '') {
    const hint = `Delete it (git branch -D ${branch}), or choose another name with --branch.`;
    throw new RalphError('BRANCH', `the branch ${branch} already exists`, { hint });
  }
  const tree = (await callGit(['rev-parse', '--verify', `${commit}^{tree}`], shadow)).toString('latin1').trim();
  const packing = spawn('git', ['pack-objects', '--quiet', '--revs', '--stdout'], {
    ...shadow,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  packing.stdin.on('error', () => undefined).end(`${tree}\n`);
  await project(['unpack-objects', '-q'], packing.stdout);
  const head = await project(['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '');
  const parent = head === '' ? [] : ['-p', head];
  const made = await project(['commit-tree', tree, ...parent, '-m', message]);
  // The empty value means: only if the ref does not exist yet.
  await project(['update-ref', '-m', 'ralph rewind', ref, made, '']);
  return made;
}

/** Git in the project's repository, whose settings may be an agent's: these commands run no program named there. */
function projectGit({ root }: SnapshotStore, env: NodeJS.ProcessEnv) {
  const git = believedGit(root);
  if (git === null) {
    const hint = 'Look at .git there; or use --in-place, which does not need it.';
    throw new RalphError('REPOSITORY', `${root} has no repository that a branch could be made in`, { hint });
  }
  const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0'].flatMap((one) => ['-c', one]);
  const own = {
    ...withoutGitVariables(env),
    GIT_DIR: git.gitFolder,
    // A missing object is not fetched, wherever the settings say it can be found.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_AUTHOR_NAME: 'ralph',
    GIT_AUTHOR_EMAIL: 'ralph@localhost',
    GIT_COMMITTER_NAME: 'ralph',
    GIT_COMMITTER_EMAIL: 'ralph@localhost',
  };
  return async (args: readonly string[], input: GitCall['input'] = []): Promise<string> =>
    (await callGit([...settings, ...args], { env: own, cwd: root, input })).toString('utf8').trim();
}

export interface Backup extends Taken {
  readonly name: string;
}

export interface RewindOptions {
  readonly take: TakeSnapshot;
  readonly env: NodeJS.ProcessEnv;
  /** The time limit for the backup, and again for the change. */
  readonly patience?: Duration;
}

/** Files in neither snapshot (ignored or large ones) stay as they are. If one is in the way, nothing is changed. */
export async function rewindInPlace(
  store: SnapshotStore,
  commit: string,
  { take, env, patience = SNAPSHOT_PATIENCE }: RewindOptions,
): Promise<Backup> {
  const { gitFolder, root } = store;
  const name = newBackup(store);
  const forBackup = AbortSignal.timeout(patience);
  const backup = await take(refOfBackup(name), forBackup).catch((error: unknown) => {
    if (!forBackup.aborted) throw error;
    const hint = 'Nothing was changed. Is one of the .gitignore files there a pipe? (find . -name .gitignore -type p)';
    throw new RalphError('REWIND', `no backup of ${root} could be made: ${tookLonger(patience)}`, { hint });
  });
  const index = join(gitFolder, 'index-of-rewind');
  rmSync(index, { force: true });
  const signal = AbortSignal.timeout(patience);
  const own = { ...storeEnvironment(store, env), GIT_WORK_TREE: root, GIT_INDEX_FILE: index };
  const git = (...args: string[]): Promise<Buffer> => callGit(args, { env: own, cwd: root, signal });
  try {
    await git('read-tree', backup.commit);
    await git('update-index', '-q', '--refresh');
    writeFile(join(gitFolder, 'HEAD'), `${backup.commit}\n`, { mode: 0o600 });
    await git('checkout', '--quiet', '--detach', '--no-overwrite-ignore', commit).catch((error: unknown) => {
      const hint = 'Nothing was changed. Move what is in the way, and try again.';
      throw new RalphError('REWIND', reasonOf(error), { hint });
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    const hint = `Some files may have been changed; those from before are in ${name}, which can be rewound to as well.`;
    throw new RalphError('REWIND', `the files in ${root} could not be changed: ${tookLonger(patience)}`, { hint });
  } finally {
    rmSync(index, { force: true });
  }
  return { name, ...backup };
}

/** Null if there is no such backup. */
export function backupCommit(store: SnapshotStore, name: string): string | null {
  return /^backup-\d+$/.test(name) ? commitAt(store, refOfBackup(name)) : null;
}

function newBackup({ gitFolder }: SnapshotStore): string {
  const names = ifThere(() => readdirSync(join(gitFolder, 'refs', 'backups'))) ?? [];
  const numbers = names.map((name) => Number(/^backup-(\d+)$/.exec(name)?.[1] ?? 0));
  return `backup-${Math.max(0, ...numbers) + 1}`;
}

const refOfBackup = (name: string): string => `refs/backups/${name}`;
