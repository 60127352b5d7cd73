/** Which loops can be continued, and which another loop has taken the place of. Pure. */

import { largerBudget } from '../core/budget/terms.ts';
import { usedUpWords } from '../core/closing/used-up.ts';
import { canContinue } from '../core/ending.ts';
import { questionOf } from '../core/state.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';

/** By the kind of the loop: what continues it, in a sentence. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  session: 'It runs inside a session. Open that session again, and type: /ralph-loop --resume',
  job: 'A job is run once. Start it again: ralph job …',
  'ralph-loop': 'It belongs to a program that uses the library, which continues it.',
};

/** How a loop is continued that `ralph resume` does not continue; null for the others. */
export function continuedElsewhere({ loopKind }: Pick<ReadableLoop, 'loopKind'>): string | null {
  return ELSEWHERE[loopKind] ?? null;
}

export function isResumable({ ending, loopKind }: Pick<ReadableLoop, 'ending' | 'loopKind'>): boolean {
  if (continuedElsewhere({ loopKind }) !== null) return false;
  if (ending === null) return true;
  // A task that waits is continued by a loop of its own; of swarm a stopped worker is gone.
  if (loopKind === 'task') return ending.kind !== 'done';
  return canContinue(ending) && !(loopKind === 'swarm' && ending.kind === 'stopped');
}

/** It asks a person something, or waits for one. */
export function isAsking({ ending, phase }: Pick<ReadableLoop, 'ending' | 'phase'>): boolean {
  if (ending === null) return questionOf({ phase }) !== null;
  return ['decision', 'waiting', 'blocked'].includes(ending.kind);
}

/** What it asked has been answered: the answer waits until the loop is continued. */
export function isAnswered(loop: Pick<ReadableLoop, 'ending' | 'phase' | 'messages'>): boolean {
  // One that waits goes on by an answer alone, one that is over with whatever was said.
  return isAsking(loop) && loop.messages.some(({ as }) => loop.ending !== null || as === 'answer');
}

/** What was said to a loop that another one took the place of went to that one. */
export function withoutTaken(loop: ReadableLoop, loops: readonly StoredLoop[]): ReadableLoop {
  return successorOf(loop, loops) === null ? loop : { ...loop, messages: [] };
}

/** The newer loop of the same task, which goes on with what this one left; null for none. `loops` are oldest first. */
export function successorOf(loop: ReadableLoop, loops: readonly StoredLoop[]): ReadableLoop | null {
  if (loop.loopKind !== 'task' || loop.ending === null) return null;
  const isOfSameTask = (other: StoredLoop): other is ReadableLoop =>
    isReadable(other) && other.loopKind === 'task' && other.cwd === loop.cwd;
  const newest = loops.findLast(isOfSameTask);
  return newest === undefined || newest.id === loop.id ? null : newest;
}

/** By the id of each loop that has one: the same as `successorOf` says, in one go. `loops` are oldest first. */
export function successorsIn(loops: readonly ReadableLoop[]): ReadonlyMap<string, ReadableLoop> {
  const tasks = loops.filter(({ loopKind }) => loopKind === 'task');
  const newest = new Map(tasks.map((loop) => [loop.cwd, loop]));
  const pairs = tasks.map(({ id, cwd, ending }) => [id, ending === null ? undefined : newest.get(cwd)] as const);
  return new Map(pairs.flatMap(([id, other]) => (other === undefined || other.id === id ? [] : [[id, other]])));
}

/** Those that no other loop took the place of. `loops` are oldest first. */
export function notSucceeded(loops: readonly ReadableLoop[]): ReadableLoop[] {
  const successors = successorsIn(loops);
  return loops.filter(({ id }) => !successors.has(id));
}

/** What has to be raised before the loop can go on; empty for nothing. */
export function resumeFlags({ ending }: Pick<ReadableLoop, 'ending'>): string {
  if (ending?.kind === 'iteration-limit') return ` -m ${ending.limit * 2}`;
  return ending?.kind === 'budget' && ending.of !== 'until' ? ` ${largerBudget(ending)}` : '';
}

/** Why it would end again at once if it were continued without more, and what to type; null where that is not known. */
export function usedUp(loop: Pick<ReadableLoop, 'ending' | 'loopKind'>, short: string): string | null {
  const { ending, loopKind } = loop;
  const words = ending === null || !isResumable(loop) ? null : usedUpWords(ending);
  // A task that is continued is given more attempts. What a story may cost does not end the others.
  const mayGoOn = loopKind === 'task' || (ending !== null && 'story' in ending && ending.story !== undefined);
  return words === null || mayGoOn
    ? null
    : `It has ${words}. To continue, run: ralph resume ${short}${resumeFlags(loop)}`;
}
