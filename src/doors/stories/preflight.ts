/** What must hold before an agent may run without anybody's leave, outside of a sandbox. */
import { RalphError } from '../../core/error.ts';
import { callsClaude } from './agent.ts';
import type { StoriesRequest } from './request.ts';

export interface Machine {
  readonly isRoot: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly pluginDir: string | null;
}

/** Claude Code overrides a Stop hook that has refused so many times in a row; usually after 8. */
const STOP_HOOK_BLOCKS = 30;

export function refuseUnsafe(request: StoriesRequest, { isRoot, env, pluginDir }: Machine): void {
  if (!callsClaude(request)) return;
  if (pluginDir === null) {
    throw new RalphError('NO_PLUGIN', 'the ralph plugin was not found, and without its guard nothing runs directly', {
      hint: 'Install ralph again, or name the folder of its plugin in RALPH_PLUGIN_DIR.',
      exitCode: 2,
    });
  }
  if (isRoot && !isSet(env.IS_SANDBOX)) {
    throw new RalphError('ROOT', 'Claude Code refuses --dangerously-skip-permissions to root', {
      hint: 'Run ralph as another user; or, in a container that may be lost, set IS_SANDBOX=1.',
      exitCode: 2,
    });
  }
}

/** What the agents of a loop find in their environment besides the user's own. */
export function loopEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    RALPH_GUARD: 'on',
    RALPH_NODE: process.execPath,
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP ?? String(STOP_HOOK_BLOCKS),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}
