/** Questions to git: they take no lock and change nothing. Arguments are arrays; nothing passes a shell. */
import { execFile } from 'node:child_process';

export interface GitAnswer {
  readonly ok: boolean;
  readonly stdout: string;
}

export function git(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<GitAnswer> {
  return new Promise((resolve) => {
    execFile('git', ['--no-optional-locks', ...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve({ ok: error === null, stdout });
    });
  });
}

/** The commit that HEAD names, or null in a repository without one. */
export async function headCommit(cwd: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { ok, stdout } = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], cwd, env);
  return ok ? stdout.trim() : null;
}
