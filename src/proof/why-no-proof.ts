/** Why a loop cannot prove its work, as far as this is known before it begins. */
import { RalphError } from '../core/error.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';
import { findGit } from '../state/git-place.ts';

/** Null if it can. `kind`: the kind of sandbox. */
export function whyNoProof(cwd: string, kind: SandboxRequest['kind']): RalphError | null {
  if (findGit(cwd) === null) {
    const hint = 'Make it one (git init, and a first commit), or run with --no-prove.';
    return new RalphError('NO_REPOSITORY', `--prove needs a git repository, and ${cwd} is in none`, { hint });
  }
  if (kind !== 'docker') return null;
  const what = "--prove runs your checks in a clean checkout, which Docker's sandbox does not share";
  return new RalphError('NO_PROOF', what, { hint: 'Use --sandbox=os, or run with --no-prove.' });
}
