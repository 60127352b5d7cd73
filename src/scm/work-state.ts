/** Is the work committed? One question to git, asked when a loop is over. */
import type { WorkState } from '../core/closing-summary.ts';
import type { Host } from '../process/host.ts';
import { type GitLook, gitIn, OWN_FILES } from './git.ts';

/** In a sandbox even this look is taken inside: what the agent wrote into the repository can make git run a program. */
export async function workState(
  cwd: string,
  { env, enclosure }: Pick<Host, 'env' | 'enclosure'>,
  refusals: string,
): Promise<WorkState> {
  const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
  return readWorkState(gitIn(cwd, { ...env, ...enclosure?.env, LC_ALL: 'C' }, enclose));
}

async function readWorkState(look: GitLook): Promise<WorkState> {
  const { ok, stdout, stderr } = await look(['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']);
  if (!ok) {
    if (/not a git repository/i.test(stderr)) return { kind: 'no-repository' };
    const [reason = ''] = stderr.trim().split('\n');
    return { kind: 'unknown', reason: reason === '' ? 'git could not be asked' : reason };
  }
  const entries = stdout.split('\0');
  const head = entries.find((entry) => entry.startsWith('# branch.oid '))?.slice('# branch.oid '.length) ?? '(initial)';
  const files = changedFiles(entries);
  return files > 0 || head === '(initial)' ? { kind: 'uncommitted', files } : { kind: 'committed', commit: head };
}

/** A renamed file has its old name in an entry of its own, which begins with no sign. */
function changedFiles(entries: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? '';
    const kind = entry.slice(0, 2);
    if (kind === '2 ') index++;
    if (['1 ', '2 ', 'u ', '? '].includes(kind) && !OWN_FILES.test(pathOf(entry))) count++;
  }
  return count;
}

/** The path is what follows the fields, whose number depends on the kind of the entry. */
function pathOf(entry: string): string {
  const fields: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 };
  return entry
    .split(' ')
    .slice(fields[entry[0] ?? ''] ?? 0)
    .join(' ');
}
