/** The list of agents, and which profile belongs to a command, by the command's base name. */
import { basename } from 'node:path';
import type { AgentsAccess } from '../core/agent-access.ts';
import { amp } from './amp/profile.ts';
import { claude } from './claude/profile.ts';
import { claudeParser } from './claude/stream.ts';
import { codex } from './codex/profile.ts';
import { copilot } from './copilot/profile.ts';
import { gemini } from './gemini/profile.ts';
import { opencode } from './opencode/profile.ts';
import { pi } from './pi/profile.ts';
import { plain } from './plain/profile.ts';
import type { AgentProfile } from './profile.ts';
import { qwen } from './qwen/profile.ts';

/** The agents that people install, the best tested first: ralph picks the first that is installed. */
export const AGENTS: readonly AgentProfile[] = [claude, codex, gemini, opencode, copilot, qwen, pi, amp];

export const DEFAULT_AGENT = claude.name;

/** The agent that comes with ralph: it plays a script, prints what Claude Code would print, and needs no account. */
const scripted: AgentProfile = {
  ...plain,
  name: 'scripted',
  title: 'the scripted agent',
  commandLine: ({ command, flags, prompt }) => ({ argv: [command, ...flags, '-p', prompt], promptOnStdin: false }),
  parser: claudeParser,
};

const BY_COMMAND: ReadonlyMap<string, AgentProfile> = new Map([
  ...AGENTS.map((adapter) => [adapter.name, adapter] as const),
  ['scripted-agent.cjs', scripted],
]);

/** What a sandbox must allow for the agents of a loop, given their commands. */
export function agentsAccess(...commands: readonly string[]): AgentsAccess {
  return {
    agents: [...new Set(commands)].map((command) => ({ command, ...profileFor(command).sandbox })),
    inDocker: AGENTS.flatMap(({ title, sandbox }) => (sandbox?.docker === undefined ? [] : title)),
    projectConfig: AGENTS.flatMap(({ projectConfig = [] }) => projectConfig),
    baseUrls: AGENTS.flatMap(({ baseUrls = [] }) => baseUrls),
  };
}

export function profileFor(command: string): AgentProfile {
  return BY_COMMAND.get(basename(command)) ?? plain;
}
