/** A work tree in its own repository, and the folder of a loop that keeps snapshots of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore } from '../../../src/scm/snapshots/store.ts';
import { snapshotTaker, type Taken } from '../../../src/scm/snapshots/take.ts';
import { testFolder } from '../folder.ts';

export type SnapshotScene = ReturnType<typeof snapshotScene>;

const NEVER = new AbortController().signal;

export function snapshotScene() {
  const folder = testFolder();
  const work = join(folder, 'work');
  mkdirSync(work);
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: folder, ...who };
  const gitIn = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  gitIn(work, 'init', '-q');
  /** Opens the store as a supervisor does that has just been started: nothing is remembered. */
  const begin = (cwd = work, options: { loop?: string; env?: NodeJS.ProcessEnv; except?: string } = {}) => {
    const loop = join(folder, 'state/ralph/loops', options.loop ?? 'one');
    mkdirSync(loop, { recursive: true });
    const store = openStore(loop, cwd);
    if (store === null) throw new Error(`${cwd} is in no repository`);
    const taker = snapshotTaker(store, { env, except: join(folder, 'state/ralph'), ...options });
    const take = (number = 0, signal = NEVER): Promise<Taken> => taker(`refs/iterations/${number}`, signal);
    const kept = (...args: readonly string[]): string => gitIn(folder, '--git-dir', store.gitFolder, ...args);
    return {
      store,
      taker,
      take,
      kept,
      async files(number = 0): Promise<string[]> {
        const { commit } = await take(number);
        return kept('ls-tree', '-r', '-z', '--name-only', commit).split('\0').filter(Boolean);
      },
    };
  };
  return {
    folder,
    work,
    env,
    begin,
    gitIn,
    git: (...args: readonly string[]): string => gitIn(work, ...args),
    write(path: string, content: string | Uint8Array = `${path}\n`): void {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), content);
    },
  };
}

/** Every file below a folder with its content, byte by byte; links are left out. */
export function everythingIn(folder: string, without: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (without.includes(entry.name)) continue;
    if (entry.isDirectory()) Object.assign(found, everythingIn(path, without));
    if (entry.isFile()) found[path] = readFileSync(path, 'latin1');
  }
  return found;
}
