/**
 * What a list asks for may grow and be divided, never shrink: a criterion stays on its story, word for word, or moves to a
 * story that the same iteration adds, where it is still to be proven.
 */
import type { Snapshot } from './snapshot.ts';
import type { TasksFile } from './tasks.ts';
import { changed, cut, quoted } from './wording.ts';

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
