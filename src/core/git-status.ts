/** What `git status` says about the work, for a loop's closing lines. Callers run git themselves. */
import type { WorkState } from './closing-summary.ts';

export const STATUS_ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal'] as const;

/** The harness's own files are not forgotten work. */
export const OWN_FILES = /(^|\/)\.ralph\//;

/** The answer to `git` with those arguments, in the C locale. */
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
  const head = entries.find((entry) => entry.startsWith('# branch.oid '))?.slice('# branch.oid '.length) ?? '(initial)';
  const { files, own } = changedFiles(entries);
  if (files > 0 || head === '(initial)') return { kind: 'uncommitted', files };
  return { kind: 'committed', commit: head, ...(own > 0 ? { except: '.ralph/' } : {}) };
}

/** A renamed file has its old name in an entry of its own, which begins with no sign. */
function changedFiles(entries: readonly string[]): { readonly files: number; readonly own: number } {
  let files = 0;
  let own = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? '';
    const kind = entry.slice(0, 2);
    if (kind === '2 ') index++;
    if (!['1 ', '2 ', 'u ', '? '].includes(kind)) continue;
    if (OWN_FILES.test(pathOf(entry))) own++;
    else files++;
  }
  return { files, own };
}

/** The path is what follows the fields, whose number depends on the kind of the entry. */
function pathOf(entry: string): string {
  const fields: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 };
  return entry
    .split(' ')
    .slice(fields[entry[0] ?? ''] ?? 0)
    .join(' ');
}
