/**
 * The project's work tree where the agent sees it. What reads or changes the repository runs in the loop's sandbox, because
 * git runs programs that a repository names; a file that we write is written on both sides of a synchronisation.
 */
import { join } from 'node:path';
import type { Host } from '../../../process/host.ts';
import type { Synced } from '../../../runners/choose.ts';
import { type GitAnswer, type GitLook, gitIn, runProgram } from '../../../scm/git.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import { nameOf } from './copies.ts';
import { LARGEST_PRD, replaceFile } from './project-file.ts';

export interface WorkTree {
  readonly cwd: string;
  readonly git: GitLook;
  run(argv: readonly [string, ...string[]]): Promise<GitAnswer>;
  /** Null takes the file away. */
  write(path: string, content: string | Uint8Array | null): Promise<void>;
  /** Carries in what was edited here since: the synchronisation never carries a file in twice. */
  carryIn(paths: readonly string[]): Promise<void>;
  /** What was changed inside is here after this. */
  settle(): Promise<void>;
}

export interface WorkTreeOptions {
  readonly cwd: string;
  /** With the loop's sandbox, where it has one. */
  readonly host: Pick<Host, 'env' | 'enclosure'>;
  readonly synced: Synced | null;
  /** The loop's own folder. */
  readonly loop: string;
}

export function workTree({ cwd, host, synced, loop }: WorkTreeOptions): WorkTree {
  const { enclosure } = host;
  const env = { ...host.env, ...enclosure?.env };
  const refusals = join(loop, 'looks.refused');
  const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
  return {
    cwd,
    git: gitIn(cwd, env, enclose),
    run: (argv) => runProgram(argv, cwd, env, enclose),
    async write(path, content) {
      replaceFile(cwd, path, content);
      await synced?.write(path, content);
    },
    async carryIn(paths) {
      if (synced === null) return;
      const inside = await synced.digests(paths);
      for (const [index, path] of paths.entries()) {
        const content = readPlainBytes(path, LARGEST_PRD);
        const isSame = (content === null ? null : nameOf(content)) === inside[index];
        if (!isSame) await synced.write(path, content);
      }
    },
    async settle() {
      await synced?.settle();
    },
  };
}

/**
 * The top folder of the repository, if it knows this commit; null where it does not, or where there is none. Undefined
 * where git could not be asked: then nobody is to blame.
 */
export async function repositoryWith(
  commit: string | null,
  { git }: Pick<WorkTree, 'git'>,
): Promise<string | null | undefined> {
  const { ok, stdout, stderr } = await git([
    'rev-parse',
    '--show-toplevel',
    ...(commit === null ? [] : [`${commit}^{commit}`]),
  ]);
  if (ok) return stdout.split('\n')[0] ?? null;
  return stderr.trim() === '' ? undefined : null;
}
