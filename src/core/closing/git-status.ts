/** Reads the output of `git status` for a loop's closing lines. Callers run git themselves. */
import type { WorkState } from './closing-summary.ts';

export const STATUS_ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal'] as const;

/** The harness's own files are not forgotten work, so they are not counted. */
export const OWN_FILES = /(^|\/)\.ralph\//;

/** How many fields precede the path of a changed file depends on the kind of its entry. */
const CHANGED = /^(?:1(?: \S+){7}|2(?: \S+){8}|u(?: \S+){9}|\?) (.*)$/s;

/** The output of git with `STATUS_ARGS`, in the C locale. */
export interface StatusAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export function workStateFrom({ ok, stdout, stderr }: StatusAnswer): WorkState {
  if (!ok) {
    if (/not a git repository/i.test(stderr)) return { kind: 'no-repository' };
    const [reason = ''] = stderr.trim().split('\n');
    return { kind: 'unknown', reason: reason === '' ? 'git could not be asked' : reason };
  }
  const entries = stdout.split('\0');
  let commit = '(initial)';
  let files = 0;
  let own = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? '';
    if (entry.startsWith('# branch.oid ')) commit = entry.slice('# branch.oid '.length);
    const path = CHANGED.exec(entry)?.[1];
    if (path !== undefined && OWN_FILES.test(path)) own++;
    else if (path !== undefined) files++;
    // The old name of a renamed file is a separate entry.
    if (entry.startsWith('2 ')) index++;
  }
  if (files > 0 || commit === '(initial)') return { kind: 'uncommitted', files };
  return { kind: 'committed', commit, ...(own > 0 ? { except: '.ralph/' } : {}) };
}
