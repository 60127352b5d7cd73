/** The state of a loop at a glance: a mark, a word or two, and how urgently it needs attention. Pure. */
import type { Ending } from '../core/ending.ts';
import { isPaused, type Phase } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { isAnswered, isAsking, isResumable } from './resumable.ts';

/** In the order of lists: the most urgent first. */
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

/** `clock` formats a time for people. */
export function conditionOf(loop: ReadableLoop, clock: (at: Instant) => string): LoopCondition {
  if (loop.ending !== null) return conditionOfEnding(loop, loop.ending, clock);
  const { phase } = loop;
  if (loop.loopKind === 'session') {
    if (isPaused(loop)) return { is: 'waiting', words: 'paused' };
    if (loop.wanted !== 'run') return obeying(loop);
    if (phase.at === 'step' && phase.what === 'resume') return { is: 'needs-you', words: 'waits for --resume' };
    return { is: 'working', words: 'in its session' };
  }
  if (isAsking(loop)) return conditionOfQuestion(loop);
  if (loop.supervisor === null) return { is: 'left', words: leftWords(loop) };
  if (isPaused(loop)) return { is: 'waiting', words: 'paused' };
  if (loop.wanted !== 'run') return obeying(loop);
  switch (phase.at) {
    case 'await':
    case 'start':
      return { is: 'working', words: phase.purpose === 'work' ? workingWith(loop) : phase.purpose };
    case 'check':
      return { is: 'working', words: 'checking' };
    case 'step':
      return { is: 'working', words: phase.what.startsWith('prove') ? 'proving' : workingWith(loop) };
    case 'publish':
      return { is: 'working', words: 'publishing' };
    case 'wait':
      if (typeof phase.until !== 'number') return { is: 'working', words: workingWith(loop) };
      return { is: 'waiting', words: `${waitsFor(phase)} ${clock(phase.until)}` };
    default:
      return { is: 'working', words: workingWith(loop) };
  }
}

function obeying({ wanted }: ReadableLoop): LoopCondition {
  return { is: 'working', words: wanted === 'pause' ? 'pausing' : 'stopping' };
}

/** Supervisors of earlier releases did not record that they leave, so it is unknown whether theirs died. */
function leftWords({ leaving }: ReadableLoop): string {
  if (leaving.is === 'left') return LEFT_BY[leaving.by ?? ''] ?? 'interrupted';
  return leaving.is === 'unsaid' ? 'supervisor died' : 'no supervisor';
}

const LEFT_BY: Readonly<Record<string, string>> = { SIGINT: 'stopped by Ctrl-C', SIGHUP: 'terminal closed' };

function waitsFor(phase: Phase & { at: 'wait' }): string {
  if (phase.then === 'first-iteration') return 'starts at';
  if (phase.for?.kind === 'reserve') return 'reserve until';
  return phase.for?.kind === 'limit' ? 'limit until' : 'waits until';
}

function workingWith({ about: { agent }, fallback }: ReadableLoop): string {
  const program = fallback ?? agent?.split('/').at(-1) ?? '';
  return program === '' ? 'working' : `working (${program})`;
}

function conditionOfQuestion(loop: ReadableLoop): LoopCondition {
  return isAnswered(loop) ? { is: 'waiting', words: 'answered' } : { is: 'needs-you', words: 'needs you' };
}

function conditionOfEnding(loop: ReadableLoop, ending: Ending, clock: (at: Instant) => string): LoopCondition {
  switch (ending.kind) {
    case 'done':
      return { is: 'done', words: 'done' };
    case 'usage-limit':
      // Nothing happens at that time unless you resume the loop.
      return {
        is: 'left',
        words: ending.resetAt === null ? 'usage limit' : `limit until ${clock(ending.resetAt)}`,
      };
    case 'budget':
      return { is: 'failed', words: ending.of === 'until' ? 'out of time' : `${ending.of} budget used up` };
    case 'unpublished':
      return { is: 'needs-you', words: 'not published' };
    case 'auth':
      return { is: 'needs-you', words: 'not logged in' };
    case 'blocked':
    case 'decision':
    case 'waiting':
      return conditionOfQuestion(loop);
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
