/** What a person should know before the first iteration is paid for. */
import { accessSync, constants } from 'node:fs';
import { basename, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { RalphError } from '../../core/error.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { makeFolders } from '../../process/files.ts';
import { findProgram } from '../../process/which.ts';
import { findGit } from '../../state/git-place.ts';

/** What guardrails need: a pipe for their output, and a folder for their logs. */
export function refuseUncheckable({ guardrails }: Settings, cwd: string, env: NodeJS.ProcessEnv): void {
  if (guardrails.length === 0) return;
  if (findProgram('mkfifo', env.PATH, cwd) === null) {
    throw new RalphError('MKFIFO', 'guardrails cannot be run: mkfifo is not installed', {
      hint: 'Install it (it is part of coreutils), or add its folder to PATH.',
    });
  }
  const folder = join(cwd, '.ralph');
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new RalphError('LOG_FOLDER', `cannot write the logs of guardrails to ${folder}: ${reasonOf(error)}`, {
      hint: 'Make it writable, then run the command again.',
    });
  }
}

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
