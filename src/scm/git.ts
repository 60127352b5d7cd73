/** Queries to git, which take no lock and change nothing, and patterns for git to ignore. No shell is involved. */
import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CommitScope } from '../core/action.ts';
import type { WorkState } from '../core/closing/closing-summary.ts';
import { OWN_FILES, STATUS_ARGS, type StatusAnswer, workStateFrom } from '../core/closing/git-status.ts';
import type { Duration } from '../core/time.ts';
import { readPlain, realPath } from '../process/files.ts';
import { type EnclosedCommand, enclosed, type Host } from '../process/host.ts';
import { runLimited } from '../process/run-limited.ts';
import { believedGit } from '../state/git-place.ts';
import { appendPlain, type HeldOptions } from '../state/held-folder.ts';

/** Turns a git command into another command: one that runs it in a sandbox. */
export type Enclose = (argv: readonly string[]) => Promise<EnclosedCommand>;
export type GitLook = (args: readonly string[]) => Promise<StatusAnswer>;

export function gitIn(cwd: string, env: NodeJS.ProcessEnv, enclose?: Enclose): GitLook {
  return gitBy(programsIn(cwd, env, enclose));
}

export function gitBy(run: GitLook): GitLook {
  return (args) => run(['git', '--no-optional-locks', ...args]);
}

export function programsOn(host: Pick<Host, 'env' | 'enclosure'>, cwd: string, refusals: string): GitLook {
  const { env, enclose } = insideOf(host, refusals);
  return programsIn(cwd, env, enclose);
}

/** With a sandbox, even queries run inside: what the agent wrote into the repository can make git run a program. */
function insideOf({ env, enclosure }: Pick<Host, 'env' | 'enclosure'>, refusals: string) {
  if (enclosure === undefined) return { env };
  const enclose: Enclose = (argv) => enclosure.enclose(argv, { refusals, isOffline: true });
  return { env: { ...env, ...enclosure.env }, enclose };
}

function programsIn(cwd: string, env: NodeJS.ProcessEnv, enclose?: Enclose): GitLook {
  return (argv) =>
    enclosed(argv, enclose, ([program = '', ...rest]) => {
      return new Promise((resolve) => {
        execFile(program, rest, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
          resolve({ ok: error === null, stdout, stderr });
        });
      });
    });
}

export async function headCommit(look: GitLook): Promise<string | null> {
  const { ok, stdout } = await look(['rev-parse', '--verify', '--quiet', 'HEAD']);
  return ok ? stdout.trim() : null;
}

/** Is the work committed? */
export async function workState(
  cwd: string,
  host: Pick<Host, 'env' | 'enclosure'>,
  refusals: string,
  limit?: Duration,
): Promise<WorkState> {
  return readWorkState({ cwd, ...insideOf(host, refusals) }, limit);
}

export interface StatusPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly enclose?: Enclose | undefined;
}

/** An agent can make git wait forever, with a pipe in place of an ignore file. */
const STATUS_LIMIT: Duration = 30_000;

export async function readWorkState({ cwd, env, enclose }: StatusPlace, limit = STATUS_LIMIT): Promise<WorkState> {
  const asked = ['git', '--no-optional-locks', ...STATUS_ARGS];
  const look = (argv: readonly string[]) => runLimited({ argv, cwd, env: { ...env, LC_ALL: 'C' }, limit });
  const { end, stdout, stderr } = await enclosed(asked, enclose, look);
  if (end === 'expired') return { kind: 'unknown', reason: tookLonger(limit) };
  return workStateFrom({ ok: end === 'ok', stdout, stderr });
}

/** For queries before any agent runs, for which a person waits. */
const QUICK_LOOK: Duration = 5000;

/** How many files the next commit would contain, apart from our own; 0 if that is not known. */
export async function uncommittedFiles(scope: CommitScope, cwd: string, host: Host): Promise<number> {
  return (await statusEntries(scope, cwd, host)).length;
}

/** Files, or folders of them, that git neither tracks nor ignores, apart from our own; none if that is not known. */
export async function untrackedFiles({ command }: Pick<CommitScope, 'command'>, cwd: string, host: Host) {
  const entries = await statusEntries({ command, stage: 'all' }, cwd, host);
  return entries.flatMap((entry) => (entry.startsWith('?? ') ? [entry.slice('?? '.length)] : []));
}

/** Runs outside any sandbox. An earlier agent may have planted what git would run: then git is not asked. */
async function statusEntries({ command, stage }: CommitScope, cwd: string, host: Host): Promise<string[]> {
  if (basename(command) !== 'git' || (host.enclosure?.outsideProblem() ?? null) !== null) return [];
  const untracked = `--untracked-files=${stage === 'all' ? 'normal' : 'no'}`;
  // Git does not look into nested repositories: it would run what their configuration names.
  const only = ['--ignore-submodules=all', '--no-renames', '-z', untracked];
  const argv = ['git', '--no-optional-locks', ...QUIET, 'status', '--porcelain', ...only];
  const { end, stdout } = await runLimited({ argv, cwd, env: host.env, limit: QUICK_LOOK });
  const changed = end === 'ok' ? stdout.split('\0').filter((entry) => entry !== '') : [];
  return changed.filter((entry) => !OWN_FILES.test(entry.slice('XY '.length)));
}

/** Disables the programs that a repository's settings name. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** False if there is no repository. */
export async function isIgnored(path: string, cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { ok } = await gitIn(cwd, env)([...QUIET, 'check-ignore', '--quiet', '--', path]);
  return ok;
}

/** Does git know in whose name to commit? True if that cannot be determined. */
export async function hasIdentity({ command }: CommitScope, cwd: string, { env, enclosure }: Host): Promise<boolean> {
  if (basename(command) !== 'git' || (enclosure?.outsideProblem() ?? null) !== null) return true;
  const { end } = await runLimited({ argv: ['git', 'var', 'GIT_COMMITTER_IDENT'], cwd, env, limit: QUICK_LOOK });
  return end !== 'failed';
}

export function tookLonger(limit: Duration): string {
  return `git took longer than ${limit / 1000} seconds`;
}

/** The logs of guardrails, wherever in the repository a loop works. */
export const LOGS = '**/.ralph/*.log';

/** Keeps our files out of commits without `.gitignore`. If an agent may have redirected `.git`, nothing is written. */
export function excludeFromGit(cwd: string, pattern: string): void {
  try {
    const git = believedGit(realPath(cwd));
    // For a worktree, the main repository's file.
    if (git !== null) addPatterns(join(git.commonFolder, 'info', 'exclude'), [[pattern]], { makes: true });
  } catch {
    // Then git sees these files, which does no other harm.
  }
}

/**
 * Adds the missing patterns, each with the comment before it. False if it is not a plain file, which is left as it is:
 * git ignores such a file if it is a link.
 */
export function addPatterns(path: string, patterns: readonly (readonly string[])[], options?: HeldOptions): boolean {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const present = isThere ? readPlain(path) : '';
  if (present === null) return false;
  const lines = present.split('\n').map((line) => line.trim());
  const missing = patterns.filter((one) => !lines.includes(one.at(-1) ?? '')).flat();
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) appendPlain(path, `${gap}${missing.join('\n')}\n`, options);
  return true;
}
