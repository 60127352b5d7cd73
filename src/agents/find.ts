/** Which adapter speaks with a command: the command's base name tells. */
import { basename } from 'node:path';
import type { AgentAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { plain } from './plain.ts';
import { scripted } from './scripted.ts';

const BY_COMMAND: Readonly<Record<string, AgentAdapter>> = {
  claude,
  'scripted-agent.cjs': scripted,
};

export function adapterFor(command: string): AgentAdapter {
  return BY_COMMAND[basename(command)] ?? plain;
}
