/** Questions to git, which take no lock and change nothing, and the staging of new files. Nothing passes a shell. */
import { execFile } from 'node:child_process';
import { OWN_FILES, type StatusAnswer } from '../core/git-status.ts';

/** What makes another command of git's command: one that runs it in a sandbox. */
export type Enclose = (argv: readonly string[]) => readonly string[];
export type GitLook = (args: readonly string[]) => Promise<StatusAnswer>;

export function gitIn(cwd: string, env: NodeJS.ProcessEnv, enclose?: Enclose): GitLook {
  return (args) => runProgram(['git', '--no-optional-locks', ...args], cwd, env, enclose);
}

/** For what takes several looks at once. */
export function runProgram(
  argv: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
  enclose: Enclose = (whole) => whole,
): Promise<StatusAnswer> {
  const [program = '', ...rest] = enclose(argv);
  return new Promise((resolve) => {
    execFile(program, rest, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, stderr });
    });
  });
}

export async function headCommit(look: GitLook): Promise<string | null> {
  const { ok, stdout } = await look(['rev-parse', '--verify', '--quiet', 'HEAD']);
  return ok ? stdout.trim() : null;
}

export async function untrackedFiles(look: GitLook): Promise<string[]> {
  const { ok, stdout } = await look(['ls-files', '--others', '--exclude-standard', '-z']);
  return ok ? stdout.split('\0').filter((path) => path !== '' && !OWN_FILES.test(path)) : [];
}
