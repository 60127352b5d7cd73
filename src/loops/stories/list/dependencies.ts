/** A story whose turn can never come will not be done: no iteration may make one, as none may delete one. */
import type { Snapshot } from './snapshot.ts';
import type { Story, TasksFile } from './tasks.ts';
import { cut, quoted } from './wording.ts';

type Waiting = Pick<Story, 'passes' | 'reviewStatus' | 'dependsOn'>;

/** Told are those that could be reached before, and new ones. */
export function unreachableStories(before: Snapshot, { userStories }: TasksFile): string[] {
  if (userStories.every(({ dependsOn = [] }) => dependsOn.length === 0)) return [];
  const after = new Map(userStories.map((story) => [story.id, story]));
  const [were, are] = [neverReady(before), neverReady(after)];
  return userStories
    .filter(({ id }) => are.has(id) && !(before.has(id) && (were.has(id) || before.get(id)?.dependsOn === undefined)))
    .map(({ id, dependsOn = [] }) => {
      const blame = dependsOn.filter((one) => are.has(one) || !after.has(one));
      return `Story ${cut(id)} can never be done: its dependsOn names ${blame.map(quoted).join(', ')}, which is not in the list or waits for it in turn. Let it depend on stories that can be done.`;
    });
}

/** Those that wait for one that is not there, or for each other. */
function neverReady(stories: ReadonlyMap<string, Waiting>): ReadonlySet<string> {
  const waitingFor = new Map<string, Set<string>>();
  const waiters = new Map<string, string[]>();
  for (const [id, { passes, reviewStatus, dependsOn = [] }] of stories) {
    // What is begun goes on, whatever it waited for.
    const others = new Set(passes || reviewStatus !== null ? [] : dependsOn);
    waitingFor.set(id, others);
    for (const other of others) {
      const known = waiters.get(other);
      if (known === undefined) waiters.set(other, [id]);
      else known.push(id);
    }
  }
  const ready = [...waitingFor.keys()].filter((id) => waitingFor.get(id)?.size === 0);
  // It grows while it is read.
  for (const id of ready) {
    waitingFor.delete(id);
    for (const waiter of waiters.get(id) ?? []) {
      const others = waitingFor.get(waiter);
      others?.delete(id);
      if (others?.size === 0) ready.push(waiter);
    }
  }
  return new Set(waitingFor.keys());
}
