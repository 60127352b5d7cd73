/** Checks whether there is a repository to commit to. Only warns: the agent may still create it. */
import { basename } from 'node:path';
import { type Finding, fine, warning } from '../core/finding.ts';
import type { LoopPlan } from '../engine/loop-plan.ts';
import { findProgram } from '../process/which.ts';
import { findGit } from '../state/git-place.ts';

export function repositoryFindings({ scm, cwd, env }: LoopPlan): Finding[] {
  if (scm === undefined || scm.tasks.length === 0) return [];
  const { command } = scm;
  const failing = `(${scm.tasks.map((task) => `${command} ${task}`).join(', ')} will fail)`;
  if (findProgram(command, env.PATH, cwd) === null) {
    return [
      warning(`scm.command is not installed: ${command} ${failing}`, 'install it, or take scm out of the settings'),
    ];
  }
  if (basename(command) !== 'git') return [];
  const git = findGit(cwd);
  if (git !== null) return [fine(`repository: ${git.entry}`)];
  return [warning(`the work tree is not in a git repository ${failing}`, 'to make it one, run: git init')];
}
