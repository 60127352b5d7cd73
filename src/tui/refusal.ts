/** Why a key does nothing for a loop, as far as that is known without trying. Pure. */
import { isPaused } from '../core/state.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { hasPane } from '../runners/tmux.ts';
import { continuedElsewhere, isAnswered, isAsking, isResumable, usedUp } from '../views/resumable.ts';
import type { LoopItem } from './data.ts';

/** The keys that do not act on every loop. */
const LOOP_KEYS = ['p', 'r', 's', 't', 'a', 'A'] as const;
export type LoopKey = (typeof LOOP_KEYS)[number];

export const isLoopKey = (char: string): char is LoopKey => LOOP_KEYS.some((key) => key === char);

const CONTINUING: readonly LoopKey[] = ['r', 't', 'a'];
const ANSWER_FIRST = 'It waits for an answer: press a.';

type Item = Pick<LoopItem, 'loop' | 'short' | 'successor'>;

/** A sentence for the user who pressed the key; null if the key acts. */
export function refusalOf(key: LoopKey, item: Item): string | null {
  const { loop, successor } = item;
  if (successor !== null && CONTINUING.includes(key)) return `It is over: its task goes on in loop ${successor}.`;
  switch (key) {
    case 'p':
      return loop.ending === null ? unpausable(loop) : overWords(loop, 'there is nothing to pause');
    case 's':
      return loop.ending === null ? unstoppable(loop) : overWords(loop, 'there is nothing to stop');
    case 'r':
      return unresumable(loop) ?? usedUp(loop, item.short);
    case 't':
      return isListening(loop) ? null : overWords(loop, 'there will be no further prompt');
    case 'a':
      return unanswerable(loop);
    case 'A':
      return unattachable(loop);
  }
}

const overWords = ({ ending }: ReadableLoop, fact: string): string =>
  `It is ${ending?.kind === 'done' ? 'done' : 'over'}: ${fact}.`;

/** Messages to a loop that has ended wait until it is resumed. */
const isListening = (loop: ReadableLoop): boolean => loop.ending === null || isResumable(loop);

function unanswerable(loop: ReadableLoop): string | null {
  const over = isListening(loop) ? null : overWords(loop, 'there will be no further prompt');
  if (isAsking(loop)) return over;
  return `It is not asking anything. ${over ?? 'To tell its agent something, press t.'}`;
}

function unpausable(loop: ReadableLoop): string | null {
  if (isLeft(loop)) return standsStill(loop);
  if (loop.wanted === 'stop') return STOPS_ALREADY;
  if (isPaused(loop) && isUnanswered(loop)) return ANSWER_FIRST;
  if (isPaused(loop)) return `It is already paused.${howToResume(loop)}`;
  return loop.wanted === 'pause' ? `It already pauses after this iteration.${howToResume(loop)}` : null;
}

function unstoppable(loop: ReadableLoop): string | null {
  // Stopping also ends an agent that outlived its supervisor, but not one of swarm: that has a window of its own.
  if (isLeft(loop)) return loop.phase.at === 'await' && loop.loopKind !== 'swarm' ? null : standsStill(loop);
  return loop.wanted === 'stop' ? STOPS_ALREADY : null;
}

const STOPS_ALREADY = 'It already stops after this iteration.';

const isLeft = ({ supervisor, loopKind }: ReadableLoop): boolean => supervisor === null && loopKind !== 'session';

const standsStill = (loop: ReadableLoop): string =>
  `It has no supervisor, so it makes no progress.${howToResume(loop)}`;

const howToResume = (loop: ReadableLoop): string => (unresumable(loop) === null ? ' To resume it, press r.' : '');

const isUnanswered = (loop: ReadableLoop): boolean => isAsking(loop) && !isAnswered(loop);

function unresumable(loop: ReadableLoop): string | null {
  if (loop.ending?.kind === 'done') return overWords(loop, 'there is nothing to resume');
  const elsewhere = continuedElsewhere(loop);
  if (elsewhere !== null) return elsewhere;
  if (loop.ending !== null && !isResumable(loop)) return overWords(loop, 'it cannot be resumed');
  // A resume would start the agent again without the answer that it needs.
  if (isUnanswered(loop) && (loop.ending !== null || loop.supervisor !== null)) return ANSWER_FIRST;
  if (loop.ending !== null || loop.supervisor === null) return null;
  if (isPaused(loop) || loop.wanted === 'pause') return null;
  return loop.wanted === 'stop'
    ? 'It stops after this iteration. To resume it then, press r.'
    : 'It is running: there is nothing to resume.';
}

function unattachable({ loopKind, ending, phase }: ReadableLoop): string | null {
  if (loopKind === 'session') return 'It runs inside a session: look at it there.';
  const isInPane = ending === null && (loopKind === 'swarm' || (phase.at === 'await' && hasPane(phase.handle)));
  return isInPane ? null : 'None of its agents is at work in a pane.';
}
