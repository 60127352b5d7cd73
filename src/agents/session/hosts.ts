/** The agents that can host a loop inside a session. The hook's bundle holds all of this, so it must load fast. */
import { claude } from '../claude/hook.ts';
import { codex } from '../codex/hook.ts';
import { gemini } from '../gemini/hook.ts';
import { opencode } from '../opencode/hook.ts';
import type { SessionHost } from './host.ts';

const HOSTS: readonly SessionHost[] = [claude, codex, gemini, opencode];

export function hostNamed(name: string | undefined): SessionHost | null {
  return HOSTS.find((host) => host.name === name) ?? null;
}
