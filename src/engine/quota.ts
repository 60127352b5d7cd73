/**
 * Shares usage windows between loops: what this loop's agents report is stored for others, and what others stored comes
 * in with this loop's inputs.
 */
import { basename } from 'node:path';
import type { LoopTerms } from '../core/budget/terms.ts';
import { agentOf } from '../core/faults/agent-choice.ts';
import type { Instant } from '../core/time.ts';
import { rootOf } from '../state/paths.ts';
import { type QuotaSample, readQuotas, writeQuota } from '../state/quota-file.ts';
import type { LoopEvent } from './drive.ts';
import type { Perform } from './performers/perform.ts';

/** `isRehearsed`: what a scripted model reports says nothing about an account. */
export function quotaSharing(loop: string, isRehearsed: boolean) {
  const root = rootOf(loop);
  const rehearsed = isRehearsed ? ({ isRehearsal: true } as const) : {};
  /** By agent: the time of the newest sample that this loop knows. */
  const known = new Map<string, Instant>();
  const isNews = ({ agent, at, isRehearsal }: QuotaSample): boolean =>
    isRehearsal === rehearsed.isRehearsal && at > (known.get(agent) ?? 0);
  return {
    /** For `ralph quota`, which asks no loop in particular, and for the other loops. */
    keep<Data>({ record, state }: LoopEvent<Data> & { type: 'record' }): void {
      const { result, at } = record;
      if (result.kind !== 'ran' || result.quota === undefined || state.worker === null) return;
      const agent = basename(agentOf(state.worker).command);
      known.set(agent, at);
      writeQuota(root, { agent, at, windows: result.quota, ...rehearsed });
    },
    /** Only a loop that must leave some of the quota to its user needs to know. */
    withNews(perform: Perform, { reserve = 0 }: LoopTerms): Perform {
      if (reserve === 0) return perform;
      return async (action, at) => {
        const performed = await perform(action, at);
        if (performed.result.kind !== 'inputs') return performed;
        const news = readQuotas(root).filter(isNews);
        for (const sample of news) known.set(sample.agent, sample.at);
        if (news.length === 0) return performed;
        const quota = news.map(({ agent, at: taken, windows }) => ({ agent, at: taken, windows }));
        return { ...performed, result: { ...performed.result, quota } };
      };
    },
  };
}
