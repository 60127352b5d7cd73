/** What must hold before an agent may run without anybody's leave. */
import { resolve } from 'node:path';
import { missingAgent, refuseForRoot } from '../../agents/unstartable.ts';
import { RalphError } from '../../core/error.ts';
import { findProgram } from '../../process/which.ts';
import { agentsOf, needsPlugin, STOP_HOOK_BLOCKS } from './agent.ts';
import { isSandboxed, type StoriesRequest, sandboxOf } from './request.ts';

export interface Machine {
  readonly isRoot: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly pluginDir: string | null;
}

export function refuseUnsafe(request: StoriesRequest, { isRoot, env, pluginDir }: Machine): void {
  if (!needsPlugin(request)) return;
  if (pluginDir === null) {
    const without = isSandboxed(request) ? 'its Stop hook no loop begins' : 'its guard nothing runs directly';
    throw new RalphError('NO_PLUGIN', `the ralph plugin was not found, and without ${without}`, {
      hint: 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.',
      exitCode: 2,
    });
  }
  // In a sandbox it is told that it is in one.
  if (!isSandboxed(request)) for (const command of agentsOf(request)) refuseForRoot(command, isRoot, env);
}

/** Before a new loop takes the place of an earlier one. In a Docker Sandbox there is an agent of its own. */
export function refuseMissingAgents(request: StoriesRequest, cwd: string, path: string | undefined): void {
  if (sandboxOf(request) === 'docker') return;
  for (const command of agentsOf(request)) {
    if (findProgram(command, path, cwd) !== null) continue;
    const { reason, hint } = missingAgent(command, { path, cwd, choosingHint: CHOOSING_HINT });
    throw new RalphError('NO_AGENT', reason, { hint, exitCode: 2 });
  }
}

export const CHOOSING_HINT = 'name another with --agent.';

/** What `verifyCommands` find: the user's own, without what is meant for the agents' hooks. */
export function withoutLoopVariables(env: NodeJS.ProcessEnv, users: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['RALPH_GUARD', 'RALPH_NODE', 'RALPH_ALLOWED_COMMANDS', STOP_HOOK_BLOCKS.variable];
  const others = Object.entries(env).filter(([name]) => !names.includes(name));
  const own = Object.entries(users).filter(([name]) => names.includes(name));
  return Object.fromEntries([...others, ...own]);
}

/** What the agents of a loop find in their environment besides the user's own. */
export function loopEnvironment(env: NodeJS.ProcessEnv, request: StoriesRequest, cwd: string): NodeJS.ProcessEnv {
  return {
    ...env,
    // A machine of its own needs no guard. In the operating system's sandbox it is a second rail: what the agent may
    // write there, it could still destroy.
    ...(sandboxOf(request) === 'docker' ? {} : { RALPH_GUARD: 'on' }),
    RALPH_NODE: process.execPath,
    RALPH_ALLOWED_COMMANDS: resolve(cwd, request.ralphDir, 'allowed-commands.txt'),
    [STOP_HOOK_BLOCKS.variable]: env[STOP_HOOK_BLOCKS.variable] ?? STOP_HOOK_BLOCKS.count,
  };
}
