/** Asks a program which flags it takes: releases of one agent differ, and an unknown flag ends a run at once. */
import { spawnSync } from 'node:child_process';
import type { AgentProfile } from './profile.ts';

const ANSWER_WITHIN_MS = 20_000;
const asked = new Map<string, string | null>();

/** Null where there is nothing to ask, or no answer. A program is asked once. */
export function helpOf(adapter: AgentProfile, program: string | null, env: NodeJS.ProcessEnv): string | null {
  if (adapter.helpArguments === undefined || program === null) return null;
  const known = asked.get(program);
  if (known !== undefined) return known;
  const { status, stdout } = spawnSync(program, adapter.helpArguments, {
    env: { ...adapter.environment, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: ANSWER_WITHIN_MS,
  });
  const help = status === 0 ? stdout : null;
  asked.set(program, help);
  return help;
}
