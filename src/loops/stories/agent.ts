/** Which agent an iteration calls, and with which flags it works without asking. */
import { profileFor } from '../../agents/index.ts';
import type { AgentChoice } from '../../core/action.ts';
import type { IterationMode } from './list/allowed-changes.ts';
import { type StoriesRequest, sandboxOf } from './request.ts';

export function agentFor(request: StoriesRequest, mode: IterationMode, pluginDir: string | null): AgentChoice {
  const isReview = mode === 'review';
  const command = (isReview ? request.reviewAgent : null) ?? request.agent;
  // A model of one agent means nothing to another.
  const usual = command === request.agent ? request.model : null;
  const model = (isReview ? request.reviewModel : null) ?? usual;
  const flags = [
    ...(profileFor(command).autonomy ?? []),
    ...(loadsPlugin(command) && pluginDir !== null ? ['--plugin-dir', pluginDir] : []),
    ...(sandboxOf(request) === 'docker' ? ['--settings', INSIDE_DOCKER] : []),
    ...(model === null ? [] : ['--model', model]),
  ];
  return { command, flags, mode: 'stream' };
}

/** Claude Code overrides a Stop hook that has refused so many times in a row; usually after 8. */
export const STOP_HOOK_BLOCKS = { variable: 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', count: '30' } as const;

/** The environment that an agent is started with ends at the machine's border. Only Claude Code runs in there. */
const INSIDE_DOCKER = JSON.stringify({ env: { [STOP_HOOK_BLOCKS.variable]: STOP_HOOK_BLOCKS.count } });

/** Only Claude Code has the plugin's hooks; the others' adapters bring their own flags. */
export function loadsPlugin(command: string): boolean {
  return profileFor(command).loadsPlugin === true;
}

export function needsPlugin(request: StoriesRequest): boolean {
  return agentsOf(request).some(loadsPlugin);
}

/** The one that implements comes first. */
export function agentsOf({ agent, reviewAgent, skipReview }: StoriesRequest): [string, ...string[]] {
  return skipReview || reviewAgent === null || reviewAgent === agent ? [agent] : [agent, reviewAgent];
}
