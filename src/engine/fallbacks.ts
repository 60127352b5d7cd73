/** Turns the agents named with `--fallback` into commands that can be started. */
import { basename } from 'node:path';
import { withModel } from '../agents/installed.ts';
import type { AgentChoice } from '../core/action.ts';
import type { LoopTerms } from '../core/budget/terms.ts';
import { RalphError } from '../core/error.ts';
import { type Fallback, keyOf } from '../core/faults/agent-choice.ts';

/** `codex`, or `claude:sonnet` for another model. */
export type FallbackSpec = Readonly<{ agent: string; model: string | null }>;

export type StartedAgent = Pick<AgentChoice, 'command' | 'flags'>;

/** `flagsOf`: the flags that an agent is started with in this loop. The loop's own agent keeps the flags it has. */
export function termsWith(
  {
    terms,
    fallbacks: specs,
  }: { readonly terms?: LoopTerms | undefined; readonly fallbacks?: readonly FallbackSpec[] | undefined },
  own: StartedAgent,
  flagsOf: (command: string) => readonly string[],
): LoopTerms | undefined {
  if (specs === undefined) return terms;
  const fallbacks = specs.map((spec) => namedAgent(spec, own, flagsOf, '--fallback'));
  const same = fallbacks.find((fallback) => keyOf(fallback) === keyOf(own));
  if (same !== undefined) {
    const hint = `Name another agent, or another model of it: --fallback ${same.name}:<model>`;
    throw new RalphError('FALLBACK', `--fallback ${same.name} is the agent that the loop works with`, { hint });
  }
  return { ...terms, fallbacks };
}

/** As it will be started. `flag`: the option that named it. */
export function namedAgent(
  { agent, model }: FallbackSpec,
  own: StartedAgent,
  flagsOf: (command: string) => readonly string[],
  flag: string,
): Fallback {
  const program = basename(agent);
  // Another model of the loop's own agent is started from the same path.
  const isOwn = agent === own.command || agent === basename(own.command);
  const command = isOwn ? own.command : agent;
  const base = isOwn ? own.flags : flagsOf(agent);
  const flags = model === null ? base : withModel(command, base, model, `Name the agent alone: ${flag} <agent>`);
  return { name: model === null ? program : `${program}:${model}`, command, flags };
}

/** A sandbox is fixed when its loop begins, and only fits the agents known at that time. */
export function refuseOutsiders(
  sandbox: string | null | undefined,
  known: readonly string[],
  specs: readonly FallbackSpec[] = [],
  flag = '--fallback',
): void {
  const names = known.map((command) => basename(command));
  const other = specs.find(({ agent }) => !known.includes(agent) && !names.includes(agent));
  if (other === undefined || sandbox === 'none' || sandbox == null) return;
  const message = `${flag} ${other.agent}: the sandbox of this loop was made for ${names.join(', ')}`;
  const hint = `Name another model of the same agent, or start a new loop with ${flag}.`;
  throw new RalphError('FALLBACK', message, { hint });
}
