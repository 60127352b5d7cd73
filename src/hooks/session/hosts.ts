/** The agents that can host a loop inside a session. */
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { SessionHost } from './host.ts';
import { opencode } from './opencode.ts';

const HOSTS: readonly SessionHost[] = [claude, codex, gemini, opencode];

export function hostNamed(name: string | undefined): SessionHost | null {
  return HOSTS.find((host) => host.name === name) ?? null;
}
