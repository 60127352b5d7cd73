/** How a loop is, at one glance: a mark, a word or two, and how much it wants to be looked at. Pure. */
import type { Ending } from '../core/ending.ts';
import { isPaused } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { isResumable } from './resumable.ts';

/** In the order in which a list shows them. */
export const CONDITIONS = ['needs-you', 'working', 'waiting', 'left', 'failed', 'done'] as const;
export type Condition = (typeof CONDITIONS)[number];

export const CONDITION_MARKS: Readonly<Record<Condition, string>> = {
  'needs-you': '!',
  working: '●',
  waiting: '◐',
  left: '✗',
  failed: '✗',
  done: '✓',
};

export interface LoopCondition {
  readonly is: Condition;
  readonly words: string;
}

/** `clock` writes an instant as people read it. */
export function conditionOf(loop: ReadableLoop, clock: (at: Instant) => string): LoopCondition {
  if (loop.ending !== null) return conditionOfEnding(loop, loop.ending, clock);
  const { phase } = loop;
  if (loop.loopKind === 'session') {
    if (isPaused(loop)) return { is: 'waiting', words: 'paused' };
    if (phase.at === 'step' && phase.what === 'resume') return { is: 'needs-you', words: 'waits for --resume' };
    return { is: 'working', words: 'in its session' };
  }
  if (loop.supervisor === null) return { is: 'left', words: 'no supervisor' };
  if (isPaused(loop)) return { is: 'waiting', words: 'paused' };
  if (loop.wanted !== 'run') return { is: 'working', words: loop.wanted === 'pause' ? 'pausing' : 'stopping' };
  switch (phase.at) {
    case 'await':
    case 'start':
      return { is: 'working', words: phase.purpose === 'work' ? workingWith(loop) : phase.purpose };
    case 'check':
      return { is: 'working', words: 'checking' };
    case 'publish':
      return { is: 'working', words: 'publishing' };
    case 'wait':
      return typeof phase.until === 'number'
        ? { is: 'waiting', words: `waits until ${clock(phase.until)}` }
        : { is: 'working', words: workingWith(loop) };
    default:
      return { is: 'working', words: workingWith(loop) };
  }
}

function workingWith({ about: { agent } }: ReadableLoop): string {
  const program = agent?.split('/').at(-1) ?? '';
  return program === '' ? 'working' : `working (${program})`;
}

function conditionOfEnding(loop: ReadableLoop, ending: Ending, clock: (at: Instant) => string): LoopCondition {
  switch (ending.kind) {
    case 'done':
      return { is: 'done', words: 'done' };
    case 'usage-limit':
      return {
        is: 'waiting',
        words: ending.resetAt === null ? 'usage limit' : `limit until ${clock(ending.resetAt)}`,
      };
    case 'unpublished':
      return { is: 'needs-you', words: 'not published' };
    case 'auth':
      return { is: 'needs-you', words: 'not logged in' };
    case 'blocked':
    case 'decision':
    case 'waiting':
      return { is: 'needs-you', words: 'needs you' };
    case 'stopped':
      return { is: isResumable(loop) ? 'left' : 'failed', words: ending.reason ?? 'stopped' };
    default:
      return { is: 'failed', words: FAILED[ending.kind] };
  }
}

const FAILED: Readonly<
  Record<'iteration-limit' | 'kept-failing' | 'configuration' | 'tampered' | 'infrastructure' | 'stuck', string>
> = {
  'iteration-limit': 'reached its limit',
  'kept-failing': 'kept failing',
  configuration: 'misconfigured',
  tampered: 'tampered with',
  infrastructure: 'service fault',
  stuck: 'stuck',
};
