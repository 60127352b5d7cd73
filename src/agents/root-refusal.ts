/** Claude Code works without asking anybody for root only where it is told that it may: it would end at once, each time. */
import { basename } from 'node:path';
import { RalphError } from '../core/error.ts';

export function refuseForRoot(command: string, isRoot: boolean, env: NodeJS.ProcessEnv): void {
  if (basename(command) !== 'claude' || !isRoot || isSet(env.IS_SANDBOX)) return;
  throw new RalphError('ROOT', 'Claude Code refuses --dangerously-skip-permissions to root', {
    hint: 'Run ralph as another user; or, in a container that may be lost, set IS_SANDBOX=1.',
    exitCode: 2,
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}
