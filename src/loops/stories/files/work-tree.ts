/**
 * The project's work tree where the agent sees it. What reads or changes the repository runs in the loop's sandbox, because
 * git runs programs that a repository names; a file that we write is written on both sides of a synchronisation.
 */
import { join } from 'node:path';
import type { Host } from '../../../process/host.ts';
import type { Synced } from '../../../runners/choose.ts';
import { type GitLook, gitIn, runProgram } from '../../../scm/git.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import { nameOf } from './copies.ts';
import { LARGEST_PRD, replaceFile } from './project-file.ts';

export type WorkTree = ReturnType<typeof workTree>;

interface WorkTreeOptions {
  readonly cwd: string;
  readonly host: Pick<Host, 'env' | 'enclosure'>;
  readonly synced: Synced | null;
  /** The loop's own folder. */
  readonly loop: string;
}

export function workTree({ cwd, host, synced, loop }: WorkTreeOptions) {
  const { enclosure } = host;
  const env = { ...host.env, ...enclosure?.env };
  const refusals = join(loop, 'looks.refused');
  const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
  return {
    cwd,
    git: gitIn(cwd, env, enclose),
    run: (argv: readonly [string, ...string[]]) => runProgram(argv, cwd, env, enclose),
    /** Null takes the file away. */
    async write(path: string, content: string | Uint8Array | null): Promise<void> {
      replaceFile(cwd, path, content);
      await synced?.write(path, content);
    },
    /** Carries in what was edited here since: the synchronisation never carries a file in twice. */
    async carryIn(paths: readonly string[]): Promise<void> {
      if (synced === null) return;
      const inside = await synced.digests(paths);
      for (const [index, path] of paths.entries()) {
        const content = readPlainBytes(path, LARGEST_PRD);
        const isSame = (content === null ? null : nameOf(content)) === inside[index];
        if (!isSame) await synced.write(path, content);
      }
    },
    /** What was changed inside is here after this. */
    async settle(): Promise<void> {
      await synced?.settle();
    },
  };
}

/**
 * The top folder of the repository, if it knows this commit; null where it does not, or where there is none. Undefined
 * where git could not be asked: then no agent is to blame.
 */
export async function repositoryWith(commit: string | null, git: GitLook): Promise<string | null | undefined> {
  const commits = commit === null ? [] : [`${commit}^{commit}`];
  const { ok, stdout, stderr } = await git(['rev-parse', '--show-toplevel', ...commits]);
  if (ok) return stdout.split('\n')[0] ?? null;
  return stderr.trim() === '' ? undefined : null;
}
