/** Which loops can be resumed, and which were succeeded by another loop. Pure. */

import { largerBudget } from '../core/budget/terms.ts';
import { usedUpWords } from '../core/closing/used-up.ts';
import { canContinue } from '../core/ending.ts';
import { questionOf } from '../core/state.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';

/** How to continue the loop kinds that `ralph resume` cannot. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  session: 'It runs inside a session. Open that session again, and type: /ralph-loop --resume',
  job: 'A job is run once. Start it again: ralph job …',
  'ralph-loop': 'It belongs to a program that uses the library, which continues it.',
};

/** How to continue a loop that `ralph resume` cannot continue; null for all others. */
export function continuedElsewhere({ loopKind }: Pick<ReadableLoop, 'loopKind'>): string | null {
  return ELSEWHERE[loopKind] ?? null;
}

export function isResumable({ ending, loopKind }: Pick<ReadableLoop, 'ending' | 'loopKind'>): boolean {
  if (continuedElsewhere({ loopKind }) !== null) return false;
  if (ending === null) return true;
  // Unless it is done, a task continues in a new loop. A swarm worker that was stopped is gone.
  if (loopKind === 'task') return ending.kind !== 'done';
  return canContinue(ending) && !(loopKind === 'swarm' && ending.kind === 'stopped');
}

/** The loop asks a person something, or waits for one. */
export function isAsking({ ending, phase }: Pick<ReadableLoop, 'ending' | 'phase'>): boolean {
  if (ending === null) return questionOf({ phase }) !== null;
  return ['decision', 'waiting', 'blocked'].includes(ending.kind);
}

/** Its question was answered, and the answer waits until the loop continues. */
export function isAnswered(loop: Pick<ReadableLoop, 'ending' | 'phase' | 'messages'>): boolean {
  // A waiting loop needs an answer; one that has ended continues with any message.
  return isAsking(loop) && loop.messages.some(({ as }) => loop.ending !== null || as === 'answer');
}

/** Without its messages, if another loop succeeded it: that loop got them. */
export function withoutTaken(loop: ReadableLoop, loops: readonly StoredLoop[]): ReadableLoop {
  return successorOf(loop, loops) === null ? loop : { ...loop, messages: [] };
}

/** The newest loop of the same task, if it is not this one: it continues this one's work. `loops`: oldest first. */
export function successorOf(loop: ReadableLoop, loops: readonly StoredLoop[]): ReadableLoop | null {
  if (loop.loopKind !== 'task' || loop.ending === null) return null;
  const isOfSameTask = (other: StoredLoop): other is ReadableLoop =>
    isReadable(other) && other.loopKind === 'task' && other.cwd === loop.cwd;
  const newest = loops.findLast(isOfSameTask);
  return newest === undefined || newest.id === loop.id ? null : newest;
}

/** `successorOf` for many loops in one pass, by the id of each loop that has a successor. `loops`: oldest first. */
export function successorsIn(loops: readonly ReadableLoop[]): ReadonlyMap<string, ReadableLoop> {
  const tasks = loops.filter(({ loopKind }) => loopKind === 'task');
  const newest = new Map(tasks.map((loop) => [loop.cwd, loop]));
  const pairs = tasks.map(({ id, cwd, ending }) => [id, ending === null ? undefined : newest.get(cwd)] as const);
  return new Map(pairs.flatMap(([id, other]) => (other === undefined || other.id === id ? [] : [[id, other]])));
}

/** The loops that have no successor. `loops`: oldest first. */
export function notSucceeded(loops: readonly ReadableLoop[]): ReadableLoop[] {
  const successors = successorsIn(loops);
  return loops.filter(({ id }) => !successors.has(id));
}

/** The flags that raise the limit that ended the loop; empty if none did. */
export function resumeFlags({ ending }: Pick<ReadableLoop, 'ending'>): string {
  if (ending?.kind === 'iteration-limit') return ` -m ${ending.limit * 2}`;
  return ending?.kind === 'budget' && ending.of !== 'until' ? ` ${largerBudget(ending)}` : '';
}

/** If a resumed loop would end again at once: why, and what to type instead; otherwise null. */
export function usedUp(loop: Pick<ReadableLoop, 'ending' | 'loopKind'>, short: string): string | null {
  const { ending, loopKind } = loop;
  const words = ending === null || !isResumable(loop) ? null : usedUpWords(ending);
  // A continued task gets more attempts, and the budget of one story does not end the others.
  const mayGoOn = loopKind === 'task' || (ending !== null && 'story' in ending && ending.story !== undefined);
  return words === null || mayGoOn
    ? null
    : `It has ${words}. To continue, run: ralph resume ${short}${resumeFlags(loop)}`;
}
