/** Questions to git, which take no lock and change nothing, and the staging of new files. Nothing passes a shell. */
import { execFile } from 'node:child_process';

/** The harness's own files are nobody's forgotten work. */
const OWN_FILES = /(^|\/)\.ralph\//;

export interface GitAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export function git(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<GitAnswer> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['--no-optional-locks', ...args],
      { cwd, env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr });
      },
    );
  });
}

/** The commit that HEAD names, or null in a repository without one. */
export async function headCommit(cwd: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { ok, stdout } = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], cwd, env);
  return ok ? stdout.trim() : null;
}

/** New files that nothing excludes, by their paths. */
export async function untrackedFiles(cwd: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const { ok, stdout } = await git(['ls-files', '--others', '--exclude-standard', '-z'], cwd, env);
  return ok ? stdout.split('\0').filter((path) => path !== '' && !OWN_FILES.test(path)) : [];
}

export async function stageAll(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  await git(['add', '--all'], cwd, env);
}
