/** Does this machine have the operating system's sandbox? Asked before a loop begins, and again when it is opened. */
import { spawnSync } from 'node:child_process';
import { RalphError } from '../../core/error.ts';
import { findProgram } from '../../process/which.ts';
import { pathOutsideOf } from './own-environment.ts';

/** Debian's names for the packages are these, but for the last: ripgrep. */
const PROGRAMS = { linux: ['bwrap', 'socat', 'rg'], darwin: ['sandbox-exec', 'rg'] } as const;
const INSTALL = {
  linux: 'Install them, on Debian with: apt-get install bubblewrap socat ripgrep',
  darwin: 'Install ripgrep: brew install ripgrep',
} as const;

/** What the sandbox of this machine is like, or why there is none. `cwd`: the work tree, in which no program of ours is looked for. */
export function osSandboxSupport(given: NodeJS.ProcessEnv, cwd: string): { readonly sharesProc: boolean } | RalphError {
  const { platform } = process;
  const env = { ...given, PATH: pathOutsideOf(cwd, given) };
  if (platform !== 'linux' && platform !== 'darwin') {
    return unsupported(`there is none for ${platform}`, 'Use Linux, WSL2 or macOS.');
  }
  const missing = PROGRAMS[platform].filter((name) => findProgram(name, env.PATH, '/') === null);
  if (missing.length > 0) return unsupported(`${missing.join(', ')} not found`, INSTALL[platform]);
  return platform === 'linux' ? namespaceSupport(env) : { sharesProc: false };
}

function unsupported(reason: string, hint: string): RalphError {
  return new RalphError('NO_SANDBOX', `the operating system's sandbox cannot be used: ${reason}`, {
    hint: `${hint}; or run without: --no-sandbox`,
  });
}

/** A container may forbid a /proc of one's own, or namespaces altogether. */
function namespaceSupport(env: NodeJS.ProcessEnv): { readonly sharesProc: boolean } | RalphError {
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];
  const attempt = (...proc: string[]) =>
    spawnSync('bwrap', [...isolated, ...proc, '--', 'true'], { env, encoding: 'utf8' });
  if (attempt('--proc', '/proc').status === 0) return { sharesProc: false };
  const second = attempt('--bind', '/proc', '/proc');
  if (second.status === 0) return { sharesProc: true };
  const reason = second.stderr.trim().split('\n').at(-1) ?? '';
  const hint = 'Allow unprivileged user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  return unsupported(`namespaces are not allowed here (${reason})`, hint);
}
