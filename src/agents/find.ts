/** Which adapter speaks with a command: the command's base name tells. */
import { basename } from 'node:path';
import type { AgentAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { plain } from './plain.ts';
import { scripted } from './scripted.ts';

const BY_COMMAND: ReadonlyMap<string, AgentAdapter> = new Map([
  ['claude', claude],
  ['scripted-agent.cjs', scripted],
]);

export function adapterFor(command: string): AgentAdapter {
  return BY_COMMAND.get(basename(command)) ?? plain;
}
