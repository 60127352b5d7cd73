/** The agents that can host a loop inside a session. */
import { claude } from './claude.ts';
import type { SessionHost } from './host.ts';

const HOSTS: readonly SessionHost[] = [claude];

export function hostNamed(name: string | undefined): SessionHost | null {
  return HOSTS.find((host) => host.name === name) ?? null;
}
