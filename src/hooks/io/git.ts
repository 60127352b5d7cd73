/** Asks git while an agent waits. Starting a program is slow, so what does it is loaded in the moment of need. */
import type { StatusAnswer } from '../../core/git-status.ts';

const PATIENCE_MS = 5000;

/** What git prints; null where it cannot tell. */
export function askGit(folder: string, ...args: readonly string[]): string | null {
  const { ok, stdout } = runGit(folder, args);
  return ok ? stdout : null;
}

export function runGit(folder: string, args: readonly string[]): StatusAnswer {
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const { status, stdout, stderr } = spawnSync('git', ['-C', folder, '--no-optional-locks', ...args], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  // Without git there is no output at all.
  return { ok: status === 0, stdout: stdout ?? '', stderr: stderr ?? '' };
}
