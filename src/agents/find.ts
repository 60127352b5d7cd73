/** Which adapter speaks with a command: the command's base name tells. */
import { basename } from 'node:path';
import type { AgentAdapter } from './adapter.ts';
import { amp } from './amp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { plain } from './plain.ts';
import { qwen } from './qwen.ts';
import { scripted } from './scripted.ts';

/** The agents that people install, the best tried first. */
export const AGENTS: readonly AgentAdapter[] = [claude, codex, gemini, opencode, copilot, qwen, pi, amp];

const BY_COMMAND: ReadonlyMap<string, AgentAdapter> = new Map([
  ...AGENTS.map((adapter) => [adapter.name, adapter] as const),
  ['scripted-agent.cjs', scripted],
]);

export function adapterFor(command: string): AgentAdapter {
  return BY_COMMAND.get(basename(command)) ?? plain;
}
