/**
 * Which agent a loop starts while some are limited: the first free one, in the order in which they were named. An
 * earlier one takes over again once its limit has ended. Pure.
 */
import type { AgentChoice } from '../action.ts';
import { percent, type QuotaWindow, windowName } from '../budget/quota.ts';
import type { Fault } from '../outcome.ts';
import { formatDuration } from '../text/duration.ts';
import type { Instant } from '../time.ts';
import { limitEnd } from './outage.ts';

/** An agent that works while those before it are limited (`--fallback`), and how it is started. */
export interface Fallback extends Omit<AgentChoice, 'mode'> {
  /** The name that people use: `codex`, `claude:sonnet`. */
  readonly name: string;
}

/** What keeps an agent from being started. */
export type Unavailable = Limited | Failing | { readonly is: 'dropped' };

/** A fallback whose last runs failed. After too many, it is left out until the loop's own agent has worked again. */
export interface Failing {
  readonly is: 'failing';
  readonly inARow: number;
  /** The last failure, such as `exit 1: no such model`. */
  readonly reason: string;
}

const FAILURES_THAT_LEAVE_OUT = 3;

export const isLeftOut = (why: Unavailable | undefined): boolean =>
  why?.is === 'dropped' || (why?.is === 'failing' && why.inARow >= FAILURES_THAT_LEAVE_OUT);

export interface Limited {
  readonly is: 'limited';
  /** `reserve`: it could work, but the rest of its window is reserved for a person (`--reserve`). */
  readonly by: 'limit' | 'reserve';
  readonly until: Instant;
  /** As the agent reported it; null if it did not. */
  readonly resetAt: Instant | null;
  readonly reason: string;
  /** How often in a row it has been limited since it last worked. */
  readonly inARow: number;
}

/** By `keyOf`. A limited agent stays in it until it has worked again. */
export type UnavailableAgents = Readonly<Record<string, Unavailable>>;

/** The same program with another model is another agent. */
export const keyOf = ({ command, flags }: Pick<AgentChoice, 'command' | 'flags'>): string =>
  [command, ...flags].join('\0');

export interface NextAgent {
  readonly agent: AgentChoice;
  /** Null for the loop's own. */
  readonly fallback: Fallback | null;
  /** The limit that it has to wait for; null if it can be started. */
  readonly limited: Limited | null;
}

/** The agent of a run that was started. */
export interface Worker {
  /** The agent that the loop works with unless it is limited. */
  readonly own: AgentChoice;
  /** The fallback that works instead; null if none does. */
  readonly fallback: Fallback | null;
}

/** Is the agent known to be unavailable, now or until a person or another run changes that? */
export const isKnownToBeKept = (why: Unavailable | undefined, at: Instant): boolean =>
  why !== undefined && (why.is !== 'limited' || why.until > at);

/** `own`: the agent that the loop works with unless it is limited; it is never dropped. */
export function nextAgent(
  own: AgentChoice,
  fallbacks: readonly Fallback[],
  unavailable: UnavailableAgents,
  at: Instant,
): NextAgent {
  const limitOf = (agent: Pick<AgentChoice, 'command' | 'flags'>): Limited | null => {
    const why = unavailable[keyOf(agent)];
    return why?.is === 'limited' && why.until > at ? why : null;
  };
  const usable: NextAgent[] = [
    { agent: own, fallback: null, limited: limitOf(own) },
    ...(own.isOther === true ? [] : fallbacks)
      .filter((fallback) => !isLeftOut(unavailable[keyOf(fallback)]))
      .map((fallback) => ({ agent: choiceOf(fallback, own), fallback, limited: limitOf(fallback) })),
  ];
  const free = usable.find(({ limited }) => limited === null);
  return free ?? usable.reduce((first, one) => (endOf(one) < endOf(first) ? one : first));
}

/** Its output is shown, or not, as the own agent's would be. */
function choiceOf({ command, flags }: Fallback, { mode }: AgentChoice): AgentChoice {
  return { command, flags, mode };
}

export function agentOf({ own, fallback }: Worker): AgentChoice {
  return fallback === null ? own : choiceOf(fallback, own);
}

/** The name that people use. */
export function nameOf({ agent: { command }, fallback }: Pick<NextAgent, 'agent' | 'fallback'>): string {
  return fallback?.name ?? programOf({ command });
}

/** The program's name, without its folder. */
export const programOf = ({ command }: Pick<AgentChoice, 'command'>): string =>
  command.slice(command.lastIndexOf('/') + 1);

const endOf = ({ limited }: NextAgent): Instant => limited?.until ?? 0;

/** `unitMs` and `id`: see `limitEnd`. */
export function withLimit(
  unavailable: UnavailableAgents,
  agent: AgentChoice,
  fault: Extract<Fault, { kind: 'limit' }>,
  outage: LimitedAt,
): UnavailableAgents {
  const before = unavailable[keyOf(agent)];
  const inARow = Math.max(before?.is === 'limited' ? before.inARow + 1 : 1, outage.faultsInARow);
  const { until, resetAt } = limitEnd(fault, { ...outage, faultsInARow: inARow });
  const { reason } = fault;
  return { ...unavailable, [keyOf(agent)]: { is: 'limited', by: 'limit', until, resetAt, reason, inARow } };
}

/** The rest of the window is reserved for a person: the agent is not started before the window resets. */
export function withReserve(
  unavailable: UnavailableAgents,
  agent: AgentChoice,
  { window, reserve, toldAt, ...outage }: LimitedAt & Reserved,
): UnavailableAgents {
  const { used, resetsAt } = window;
  const age = toldAt === undefined ? '' : ` (as of ${formatDuration(Math.max(0, outage.at - toldAt))} ago)`;
  const reason = `${percent(used)} of its ${windowName(window)} window is used${age}, and ${percent(reserve)} is reserved`;
  const { until, resetAt } = limitEnd({ kind: 'limit', reason, resetAt: resetsAt }, { ...outage, faultsInARow: 1 });
  const limited: Limited = { is: 'limited', by: 'reserve', until, resetAt, reason, inARow: 0 };
  return { ...unavailable, [keyOf(agent)]: limited };
}

interface Reserved {
  readonly window: QuotaWindow;
  readonly reserve: number;
  /** When the agent reported it, if that was not in the run that has just ended. */
  readonly toldAt?: Instant;
}

type LimitedAt = Parameters<typeof limitEnd>[1];

export function withoutLimit(unavailable: UnavailableAgents, agent: AgentChoice): UnavailableAgents {
  const { [keyOf(agent)]: _, ...others } = unavailable;
  return others;
}

export function withFailing(unavailable: UnavailableAgents, agent: AgentChoice, reason: string): UnavailableAgents {
  const before = unavailable[keyOf(agent)];
  const inARow = before?.is === 'failing' ? before.inARow + 1 : 1;
  return { ...unavailable, [keyOf(agent)]: { is: 'failing', inARow, reason } };
}

/** The loop's own agent has worked: the next time it is limited, every fallback gets another chance. */
export function withoutFailing(unavailable: UnavailableAgents): UnavailableAgents {
  return Object.fromEntries(Object.entries(unavailable).filter(([, { is }]) => is !== 'failing'));
}

export function withDropped(unavailable: UnavailableAgents, agent: Fallback): UnavailableAgents {
  return { ...unavailable, [keyOf(agent)]: { is: 'dropped' } };
}
