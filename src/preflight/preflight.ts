/** Reports everything that can be checked before a loop begins, all at once and without starting a program. */
import { type Finding, fine, fromError } from '../core/finding.ts';
import type { LoopPlan } from '../engine/loop-plan.ts';
import { findTmux, noTmux } from '../runners/tmux.ts';
import { agentFindings } from './agents.ts';
import { checkFindings } from './checks.ts';
import { diskFindings } from './disk.ts';
import { repositoryFindings } from './repository.ts';

/** Removes duplicates: a loop kind may refuse the same thing itself. */
export function preflight(plan: LoopPlan, stateRoot: string): Finding[] {
  const found = [
    ...plan.problems.map(fromError),
    ...agentFindings(plan),
    ...tmuxFindings(plan),
    ...repositoryFindings(plan),
    ...checkFindings(plan),
    ...diskFindings(diskPlaces(stateRoot, plan.cwd)),
  ];
  return found.filter(({ what }, index) => found.findIndex((other) => other.what === what) === index);
}

export function diskPlaces(stateRoot: string, cwd: string) {
  return [
    {
      name: 'state directory',
      path: stateRoot,
      fix: 'ralph gc removes what old loops left; or set XDG_STATE_HOME to a folder on another disk',
    },
    { name: 'work tree', path: cwd, fix: 'make room: a full disk stops the loop' },
  ];
}

function tmuxFindings({ runner, env, cwd }: LoopPlan): Finding[] {
  if (runner !== 'tmux') return [];
  const program = findTmux(env, cwd);
  if (program !== null) return [fine(`tmux: ${program}`)];
  const { reason, hint } = noTmux;
  return [{ level: 'error', what: reason, fix: hint, code: 'NO_TMUX' }];
}
