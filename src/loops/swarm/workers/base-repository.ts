/** git in the repository that worktrees are made of: workers in a sandbox may write there, and git runs what it names. */
import { existsSync, realpathSync } from 'node:fs';
import { pathOutsideOf } from '../../../runners/sandbox/own-environment.ts';
import { plantedCommondir } from '../../../state/git-place.ts';
import { readWorkers } from './registry.ts';
import { refused, type Swarm } from './swarm.ts';

/** With it git leads to another repository, hooks and settings included. git itself never puts it there. */
export function bentRepository(folder: string): string | null {
  const planted = existsSync(folder) ? plantedCommondir(realpathSync(folder)) : null;
  return planted === null ? null : `git would obey another repository, because of ${planted}`;
}

export function refuseBentRepository(folder: string): void {
  const problem = bentRepository(folder);
  if (problem !== null) throw refused(problem, 1, 'Look at it, and remove it.');
}

/** Once a worker of this home is, or was, in a sandbox, git neither runs hooks nor is it found in the work tree. */
export function environmentOfGit(swarm: Swarm, isSandboxed: boolean): NodeJS.ProcessEnv {
  const { cwd, env } = swarm;
  const isCareful = isSandboxed || readWorkers(swarm).some(({ metadata }) => (metadata.sandbox ?? null) !== null);
  return isCareful ? { ...env, ...settingsFor(env), PATH: pathOutsideOf(cwd, env) } : env;
}

function settingsFor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const first = Number(env.GIT_CONFIG_COUNT) || 0;
  return {
    GIT_CONFIG_COUNT: String(first + 2),
    [`GIT_CONFIG_KEY_${first}`]: 'core.hooksPath',
    [`GIT_CONFIG_VALUE_${first}`]: '/dev/null',
    [`GIT_CONFIG_KEY_${first + 1}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${first + 1}`]: 'false',
  };
}
