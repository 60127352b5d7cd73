/** Whether this machine has the operating system's sandbox. Checked before a loop begins, and when it is opened. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { findProgram } from '../../process/which.ts';
import { installedAt, pathOutsideOf } from './own-environment.ts';

const PROGRAMS = { linux: ['bwrap', 'socat', 'rg'], darwin: ['sandbox-exec', 'rg'] } as const;
const INSTALL = {
  linux: 'Install them, on Debian with: apt-get install bubblewrap socat ripgrep',
  darwin: 'Install ripgrep: brew install ripgrep',
} as const;

interface Support {
  readonly sharesProc: boolean;
}

/**
 * What the sandbox of this machine is like, or why there is none. `cwd`: the work tree, in which none of our own
 * programs is looked for. `self`: the command line that starts this program.
 */
export function osSandboxSupport(given: NodeJS.ProcessEnv, cwd: string, self: readonly string[]): Support | RalphError {
  const { platform } = process;
  const env = { ...given, PATH: pathOutsideOf(cwd, given) };
  if (platform !== 'linux' && platform !== 'darwin') {
    return unsupported(`there is none for ${platform}`, 'Use Linux, WSL2 or macOS.');
  }
  const missing = PROGRAMS[platform].filter((name) => findProgram(name, env.PATH, '/') === null);
  if (missing.length > 0) return unsupported(`${missing.join(', ')} not found`, INSTALL[platform]);
  return platform === 'linux' ? linuxSupport(env, filterOf(self)) : { sharesProc: false };
}

/** The program that blocks Unix sockets is beside the CLI. Null if it is unclear which CLI is started. */
function filterOf(self: readonly string[]): string | null {
  const cli = installedAt(self).map((folder) => join(folder, 'dist/cli'));
  const found = cli.find((folder) => existsSync(join(folder, 'main.cjs')));
  return found === undefined ? null : join(found, 'vendor/seccomp', process.arch, 'apply-seccomp');
}

function unsupported(reason: string, hint: string): RalphError {
  return new RalphError('NO_SANDBOX', `the operating system's sandbox cannot be used: ${reason}`, {
    hint: `${hint}; or run without: --no-sandbox`,
  });
}

const OWN_PROC = ['--proc', '/proc'];
const SHARED_PROC = ['--bind', '/proc', '/proc'];

/** A container may forbid a separate /proc, namespaces altogether, or filters. */
function linuxSupport(env: NodeJS.ProcessEnv, filter: string | null): Support | RalphError {
  if (filter !== null && !existsSync(filter)) {
    return unsupported(`${filter}, which blocks sockets, is missing`, 'Install ralph again, on x64 or arm64');
  }
  const filtered = [...(filter === null ? [] : [filter]), 'true'];
  if (inNamespaces(env, OWN_PROC, filtered) === null) return { sharesProc: false };
  const sharesProc = inNamespaces(env, OWN_PROC, ['true']) !== null;
  const proc = sharesProc ? SHARED_PROC : OWN_PROC;
  const reason = inNamespaces(env, proc, ['true']);
  if (reason !== null) {
    const hint = 'Allow unprivileged user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0';
    return unsupported(`namespaces are not allowed here (${reason})`, hint);
  }
  const problem = inNamespaces(env, proc, filtered);
  return problem === null
    ? { sharesProc }
    : unsupported(`${filter} does not start (${problem})`, 'Allow seccomp filters');
}

/** Why the program fails there; null if it does not. */
function inNamespaces(env: NodeJS.ProcessEnv, proc: readonly string[], program: readonly string[]): string | null {
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];
  const { status, stderr } = spawnSync('bwrap', [...isolated, ...proc, '--', ...program], { env, encoding: 'utf8' });
  return status === 0 ? null : stderr.trim().split('\n').at(-1) || `exit code ${status}`;
}
