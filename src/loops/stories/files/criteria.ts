/** Reads each story's acceptance criteria from the list as it was when the last iteration began. */
import { RalphError } from '../../../core/error.ts';
import type { Criterion } from '../../../core/proof/receipt.ts';
import type { Recorded } from '../../../core/record.ts';
import { isFields } from '../../../core/text/json.ts';
import { readTasks } from '../list/tasks.ts';
import { copiesIn } from './copies.ts';

/** Null if the loop has no copy of a list that can be read. `loop`: its folder. */
export function storyCriteria(records: readonly Recorded[], loop: string): Criterion[] | null {
  const inputs = records.findLast(({ result }) => result.kind === 'inputs' && isFields(result.inputs))?.result;
  const name = inputs?.kind === 'inputs' && isFields(inputs.inputs) ? inputs.inputs.tasks : null;
  const read = readTasks(typeof name === 'string' ? copyOf(name, loop) : null);
  if (!read.isValid) return null;
  return read.tasks.userStories.map(({ id, title, acceptanceCriteria }) => ({ id, text: title, acceptanceCriteria }));
}

function copyOf(name: string, loop: string): string | null {
  try {
    return copiesIn(loop).text(name);
  } catch (error) {
    // A copy was changed. The receipt can do without: the records still say what was checked.
    if (error instanceof RalphError) return null;
    throw error;
  }
}
