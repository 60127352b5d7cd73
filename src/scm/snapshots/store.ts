/** The git directory that holds a loop's snapshots: our own, with our own settings. None of the project's apply. */
import { type ExecFileOptionsWithBufferEncoding, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { makeFolders, readPlain, whyNoFolder, writeFile } from '../../process/files.ts';
import { findGit } from '../../state/git-place.ts';

export interface SnapshotStore {
  readonly gitFolder: string;
  /** The top of the work tree. It stays what it was at the first snapshot, whatever repositories an agent creates. */
  readonly root: string;
}

/** One call of git. */
export interface GitCall {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Files are kept byte by byte; what `.gitattributes` in the tree says about them is for the project's own git. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';
const ROOT_FILE = 'ralph-root';

/** Null if there is none yet and `cwd` is not in a git work tree: only ignore rules show what may be kept. */
export function openStore(loop: string, cwd: string): SnapshotStore | null {
  const made = findStore(loop);
  if (made !== null) return made;
  const git = findGit(cwd);
  if (git === null) return null;
  const gitFolder = folderOf(loop);
  const root = dirname(git.entry);
  for (const folder of ['objects/pack', 'refs', 'info']) makeFolders(join(gitFolder, folder), 0o700);
  writeFile(join(gitFolder, 'config'), settings(isSha256(git.commonFolder)), { mode: 0o600 });
  writeFile(join(gitFolder, 'info/attributes'), ATTRIBUTES, { mode: 0o600 });
  writeFile(join(gitFolder, 'HEAD'), 'ref: refs/iterations/1\n', { mode: 0o600 });
  // The last file: with it, the store is complete.
  writeFile(join(gitFolder, ROOT_FILE), root, { mode: 0o600 });
  return { gitFolder, root };
}

export function findStore(loop: string): SnapshotStore | null {
  const gitFolder = folderOf(loop);
  const root = existsSync(gitFolder) ? readPlain(join(gitFolder, ROOT_FILE)) : null;
  return root === null || root === '' ? null : { gitFolder, root };
}

/** The commit that this ref names; null if there is none. */
export function commitAt({ gitFolder }: SnapshotStore, ref: string): string | null {
  return /^[0-9a-f]{40,64}$/.exec(readPlain(join(gitFolder, ref))?.trim() ?? '')?.[0] ?? null;
}

/** Writes the ref as git does. */
export function nameCommit({ gitFolder }: SnapshotStore, ref: string, commit: string): void {
  makeFolders(dirname(join(gitFolder, ref)), 0o700);
  writeFile(join(gitFolder, ref), `${commit}\n`, { mode: 0o600 });
}

function folderOf(loop: string): string {
  return join(loop, 'snapshots.git');
}

/** Objects can only be copied between repositories that use the same hash. */
function isSha256(commonFolder: string): boolean {
  return /^\s*objectformat\s*=\s*"?sha256/im.test(readPlain(join(commonFolder, 'config')) ?? '');
}

export const isSha256Store = ({ gitFolder }: SnapshotStore): boolean => isSha256(gitFolder);

function settings(sha256: boolean): string {
  const lines = [
    '[core]',
    `repositoryformatversion = ${sha256 ? 1 : 0}`,
    'bare = true',
    // For the user alone, whatever the umask.
    'sharedRepository = 0600',
    'hooksPath = /dev/null',
    'fsmonitor = false',
    'logAllRefUpdates = false',
    'autocrlf = false',
    'quotePath = false',
    // For speed: most snapshots are kept for a short time.
    'compression = 1',
    // This machine's file system decides which paths are possible; on macOS the check for names like `.git` stays.
    'protectNTFS = false',
    ...(process.platform === 'linux' ? ['protectHFS = false'] : []),
    ...(sha256 ? ['[extensions]', 'objectFormat = sha256'] : []),
    // One pack per snapshot: no second program has to unpack it.
    '[fastimport]',
    'unpackLimit = 0',
    '[gc]',
    'auto = 0',
  ];
  return `${lines.join('\n')}\n`;
}

/** Only the store's own settings apply. Git variables of the user (`GIT_DIR` …) are not meant for it. */
export function storeEnvironment({ gitFolder }: SnapshotStore, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutGitVariables(env),
    HOME: gitFolder,
    XDG_CONFIG_HOME: gitFolder,
    GIT_DIR: gitFolder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

export function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), LC_ALL: 'C' };
}

/** Resolves to what git printed; if git fails, the error is a sentence. */
export function callGit(args: readonly string[], { env, cwd, signal, input }: GitCall): Promise<Buffer> {
  const options: ExecFileOptionsWithBufferEncoding = { env, cwd, encoding: 'buffer', maxBuffer: 512 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    // If git stops reading, its own error says why; if the source fails, git is killed.
    let sourceFailed: Error | null = null;
    const child = execFile(
      'git',
      args,
      { ...options, killSignal: 'SIGKILL', ...(signal === undefined ? {} : { signal }) },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        reject(sourceFailed ?? gitError({ command: commandIn(args), cwd }, error, stderr.toString('utf8')));
      },
    );
    if (child.stdin === null) return;
    if (input === undefined) {
      child.stdin.on('error', () => undefined).end();
      return;
    }
    const source = Readable.from(input);
    source.on('error', (error) => {
      sourceFailed = error;
      child.kill('SIGKILL');
    });
    pipeline(source, child.stdin, () => undefined);
  });
}

function gitError({ command, cwd }: { command: string; cwd: string }, error: Error, stderr: string): Error {
  if (error.name === 'AbortError') return error;
  if (errnoOf(error) === 'ENOENT') return new RalphError('GIT', whyNoFolder(cwd)?.reason ?? 'git is not installed');
  const lines = stderr.trim().split('\n');
  const said = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? '';
  // The files that it refers to are listed below.
  const files = lines.filter((line) => line.startsWith('\t')).map((line) => line.slice(1));
  const whole = [said, files.join(', ')].filter(Boolean).join(' ');
  return new RalphError('GIT', `git ${command} failed: ${whole.slice(0, 1000) || reasonOf(error)}`);
}

function commandIn(args: readonly string[]): string {
  return args.find((word, at) => word !== '-c' && args[at - 1] !== '-c') ?? '';
}
