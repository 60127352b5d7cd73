/**
 * What no iteration may lose, whatever its mode: a story, the commands that a reviewer runs, the chance of a story to be
 * done, and what a story asks for. A criterion stays on its story, word for word, or moves to a story that the same
 * iteration adds, where it is still to be proven.
 */
import type { Snapshot } from './snapshot.ts';
import type { Story, TasksFile } from './tasks.ts';
import { changed, cut, quoted } from './wording.ts';

export type Frozen = Pick<TasksFile, 'verifyCommands'>;

export function lostFrom(before: Snapshot, tasks: TasksFile, skipReview: boolean): string[] {
  const here = new Set(tasks.userStories.map(({ id }) => id));
  const deleted = [...before.keys()]
    .filter((id) => !here.has(id))
    .map(
      (id) =>
        `Story ${cut(id)} was deleted. Stories may be added, split and reordered, never removed: put it back under its id (a split story keeps its id for the first part).`,
    );
  // With reviews it depends on the mode whether criteria may move.
  const criteria = skipReview ? movedCriteria(before, tasks, (id) => !before.has(id)).problems : [];
  return [...deleted, ...unreachableStories(before, tasks), ...criteria];
}

/** An author who strikes out a command strikes it out of its reviewer's run. */
export function thawed(frozen: Frozen | null, { verifyCommands }: TasksFile): string[] {
  if (frozen === null || JSON.stringify(frozen.verifyCommands) === JSON.stringify(verifyCommands)) return [];
  return [
    `verifyCommands may not be changed by an iteration: ${changed('verifyCommands', frozen.verifyCommands, verifyCommands)}. Put it back as it was.`,
  ];
}

/** Stories whose turn can never come: those that could be reached before, and new ones. */
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
function neverReady(
  stories: ReadonlyMap<string, Pick<Story, 'passes' | 'reviewStatus' | 'dependsOn'>>,
): ReadonlySet<string> {
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

/**
 * `before` holds the stories whose criteria may move. One that is there twice must stay there twice. `split` are the
 * stories that gave some of theirs to a new one.
 */
export function movedCriteria(before: Snapshot, after: TasksFile, isNew: (id: string) => boolean) {
  const arrived = counted(
    after.userStories.flatMap(({ id, acceptanceCriteria }) => (isNew(id) ? acceptanceCriteria : [])),
  );
  const problems: string[] = [];
  const split = new Set<string>();
  for (const { id, acceptanceCriteria: is } of after.userStories) {
    const was = before.get(id)?.acceptanceCriteria;
    // A marker of another program need not tell what they were.
    if (was === undefined) continue;
    const gone = missingFrom(counted(is), was);
    const lost = missingFrom(arrived, gone);
    if (lost.length < gone.length) split.add(id);
    problems.push(
      ...lost.map(
        (criterion) =>
          `Story ${cut(id)} lost its acceptance criterion ${quoted(criterion)}. Criteria may be added, and move to a story that this iteration adds, never be struck out or reworded: put it back word for word. Illegal transition: ${changed('acceptanceCriteria', was, is)}.`,
      ),
    );
  }
  return { problems, split };
}

type Counts = Map<string, number>;

function counted(texts: readonly string[]): Counts {
  const counts: Counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Takes the wanted ones out of what is there, and gives those that it did not find. */
function missingFrom(there: Counts, wanted: readonly string[]): string[] {
  return wanted.filter((text) => {
    const left = there.get(text) ?? 0;
    there.set(text, left - 1);
    return left <= 0;
  });
}
