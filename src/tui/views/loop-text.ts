/** Figures and words about one loop for rows and headings, safe to show. Pure. */
import { plural, shortCount } from '../../core/budget/usage.ts';
import { questionOf } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { roughly } from '../../views/loop-words.ts';
import { isAnswered, isResumable } from '../../views/resumable.ts';
import type { LoopItem } from '../data.ts';
import { oneLine } from '../text.ts';

/** The name of the folder, followed by that of the worker or task, if it has one. */
export function projectOf({ about, cwd }: ReadableLoop): string {
  const folder = (about.startedFrom ?? about.cwd ?? cwd).split('/').findLast((part) => part !== '') ?? '/';
  return oneLine([folder, about.name].filter(Boolean).join(' '));
}

export function agentOf({ about, fallback }: ReadableLoop): string {
  return oneLine(fallback ?? about.agent?.split('/').at(-1) ?? '–');
}

/** Input and output together; `–` if unknown, which is not zero. */
export function tokensOf({ usage }: ReadableLoop): string {
  if (usage.runs === 0 || usage.runsWithoutTokens === usage.runs) return '–';
  return `${shortCount(usage.inputTokens + usage.outputTokens)}${usage.runsWithoutTokens > 0 ? '+' : ''}`;
}

/** How long its agent has printed nothing; empty if none is at work. */
export function quietOf({ activity, condition }: LoopItem, now: Instant): string {
  return activity === null || condition.is !== 'working' ? '' : roughly(now - activity.changedAt);
}

/** What is most worth knowing: what the loop asks, what it is doing, why it ended, or its task. */
export function lastOf({ loop, activity, task, condition }: LoopItem): string {
  const { ending, lastFailure, lastCommit, messages } = loop;
  const waiting = messages.length === 0 || isAnswered(loop) ? null : plural(messages.length, 'message');
  const words = ((): string => {
    const question = questionOf(loop);
    if (question !== null && !isAnswered(loop)) return question;
    if (ending?.kind === 'done') return task ?? (lastCommit === null ? '' : `committed ${lastCommit.slice(0, 7)}`);
    if (ending !== null && 'reason' in ending && ending.reason) return ending.reason;
    if (condition.is === 'left' && isResumable(loop)) return ['press r to resume', task].filter(Boolean).join(' · ');
    if (ending !== null) return lastFailure ?? task ?? '';
    return activity?.text ?? task ?? '';
  })();
  return oneLine([waiting, words].filter(Boolean).join(' · '));
}

/** Whether each word of the filter occurs in what the list shows of the loop. */
export function matches(item: LoopItem, filter: string): boolean {
  const { loop, short, condition } = item;
  const words = [short, loop.id, loop.loopKind, projectOf(loop), agentOf(loop), condition.words, item.task ?? ''];
  const text = [...words, lastOf(item)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
