/** What a person should know before the first iteration is paid for. */
import { basename } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { findProgram } from '../../process/which.ts';
import { findGit } from '../../state/git-place.ts';

/** An agent may still make the repository, so the loop begins all the same. */
export function scmWarning({ scm }: Settings, cwd: string, env: NodeJS.ProcessEnv): string | null {
  if (scm === undefined || scm.tasks.length === 0) return null;
  const { command } = scm;
  const tasks = scm.tasks.map((task) => `${command} ${task}`).join(', ');
  if (findProgram(command, env.PATH, cwd) === null) {
    return `warning: scm.command is not installed: ${command} (${tasks} will fail)`;
  }
  if (basename(command) !== 'git' || findGit(cwd) !== null) return null;
  return `warning: ${cwd} is not in a git repository (${tasks} will fail); to make it one, run: git init`;
}
