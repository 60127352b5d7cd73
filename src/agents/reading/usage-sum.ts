/** Adds up the figures of a run that tells them call by call. What is never told stays unknown. */
import type { AgentEvent, CallUsage } from '../../core/events.ts';

const NAMES = ['costUsd', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

export type Usage = Pick<CallUsage, (typeof NAMES)[number]>;

/** For those who watch the cost while the run goes on; nothing where the call told no figures. */
export function usageEvents(id: unknown, usage: Usage): readonly AgentEvent[] {
  return Object.keys(usage).length === 0 ? [] : [{ type: 'usage', id: String(id), ...usage }];
}

/** For figures in which what was read from a cache, or written to it, stands beside the input tokens. */
export function withCache(usage: Usage): Usage {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return inputTokens === undefined
    ? usage
    : { ...usage, inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens };
}

export interface UsageSum {
  add(more: Usage): void;
  sum(): Usage;
}

export function usageSum(): UsageSum {
  const sum: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  return {
    add(more) {
      for (const name of NAMES) {
        const figure = more[name];
        if (figure !== undefined) sum[name] = (sum[name] ?? 0) + figure;
      }
    },
    sum: () => ({ ...sum }),
  };
}
