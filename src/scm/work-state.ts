/** Is the work committed? One question to git, asked when a loop is over. */
import type { WorkState } from '../core/closing-summary.ts';
import { STATUS_ARGS, workStateFrom } from '../core/git-status.ts';
import type { Host } from '../process/host.ts';
import { type GitLook, gitIn } from './git.ts';

/** In a sandbox even this look is taken inside: what the agent wrote into the repository can make git run a program. */
export async function workState(
  cwd: string,
  { env, enclosure }: Pick<Host, 'env' | 'enclosure'>,
  refusals: string,
): Promise<WorkState> {
  const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
  return readWorkState(gitIn(cwd, { ...env, ...enclosure?.env, LC_ALL: 'C' }, enclose));
}

export async function readWorkState(look: GitLook): Promise<WorkState> {
  return workStateFrom(await look(STATUS_ARGS));
}
