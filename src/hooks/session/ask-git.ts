/** What git says. Loaded in the moment of need: starting a program is slow. */
import type { WorkState } from '../../core/closing-summary.ts';
import { STATUS_ARGS, type StatusAnswer, workStateFrom } from '../../core/git-status.ts';

const PATIENCE_MS = 5000;

/** Null where it cannot tell. */
export function askGit(folder: string, ...args: readonly string[]): string | null {
  const { ok, stdout } = runGit(folder, args);
  return ok ? stdout : null;
}

export function workStateIn(folder: string): WorkState {
  return workStateFrom(runGit(folder, STATUS_ARGS));
}

function runGit(folder: string, args: readonly string[]): StatusAnswer {
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
