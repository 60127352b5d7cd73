/** Asks git while an agent waits. `child_process` is slow to load, so it is loaded only when needed. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WorkState } from '../../core/closing/closing-summary.ts';
import { STATUS_ARGS, type StatusAnswer, workStateFrom } from '../../core/closing/git-status.ts';
import { digestOf } from '../../core/text/digest.ts';

const PATIENCE_MS = 5000;

/** What git prints; null if it fails. */
export function askGit(folder: string, ...args: readonly string[]): string | null {
  const { ok, stdout } = runGit(folder, args);
  return ok ? stdout : null;
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

export function workStateIn(folder: string): WorkState {
  return workStateFrom(runGit(folder, STATUS_ARGS));
}

/** A different fingerprint means that the work tree has changed; null if git cannot tell. */
export function treeFingerprint(cwd: string): string | null {
  const status = askGit(cwd, 'status', '--porcelain');
  if (status === null) return null;
  const changes = askGit(cwd, 'diff', 'HEAD') ?? askGit(cwd, 'diff') ?? '';
  return digestOf([askGit(cwd, 'rev-parse', 'HEAD') ?? '', status, changes].join('\n'));
}

/**
 * The agent may have moved to another worktree: returns the folder in the worktree of `now` that corresponds to
 * `begun`. Null if both are in the same worktree, or in different repositories, where the loop's work does not belong.
 */
export function placeInWorktree(begun: string, now: string): string | null {
  if (now === begun || now === '') return null;
  const [before, after] = [worktreeOf(begun), worktreeOf(now)];
  if (before === null || after === null) return null;
  if (before.repository !== after.repository || before.top === after.top) return null;
  const place = resolve(after.top, before.inside);
  return existsSync(place) ? place : after.top;
}

function worktreeOf(folder: string): { top: string; repository: string; inside: string } | null {
  const asked = ['--path-format=absolute', '--show-toplevel', '--git-common-dir', '--show-prefix'];
  const [top = '', repository = '', inside = ''] = askGit(folder, 'rev-parse', ...asked)?.split('\n') ?? [];
  return top === '' || repository === '' ? null : { top, repository, inside };
}
