/** What the console of `ralph stories` says at the end. */
import { endingDetails } from '../../core/closing/closing-summary.ts';
import { canContinue, type Ending } from '../../core/ending.ts';
import { provedWords } from '../../core/proof/claims.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { StoriesData } from '../../loops/stories/state.ts';
import { commandsOf, EMPTY_REPLIES } from '../../loops/stories/state.ts';
import { clockTime } from '../terminal/words.ts';

export type State = LoopState<StoriesData>;

export function isDone({ phase }: State): boolean {
  return phase.at === 'end' && phase.ending.kind === 'done';
}

export function doneLines({ data }: State): string[] {
  const { promised, verified, request } = data;
  const unsaid = 'All stories verified complete via tasks.json (no promise tag).';
  const said = promised?.kind === 'complete' ? 'All stories complete and verified!' : unsaid;
  const commands = commandsOf(data);
  const proved = data.proof.last === null ? [] : [capitalized(provedWords(data.proof.last))];
  if (commands.length > 0 && verified !== null)
    return [said, `Verified by ralph's own run of: ${commands.join(', ')}`, ...proved];
  const without = 'No verifyCommands: ralph ran no checks of its own';
  return [said, request.verify ? without : 'verifyCommands were not run by ralph (--no-verify)'];
}

const capitalized = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

export function endingLines(ending: Ending, done: string[]): string[] {
  switch (ending.kind) {
    case 'done':
      return done;
    case 'iteration-limit':
      return [`Max iterations (${ending.limit}) reached without completion.`];
    case 'kept-failing':
      return [`ERROR: ${ending.failures} consecutive failures. Aborting.`];
    case 'blocked':
      return [`BLOCKED: ${ending.reason}`];
    case 'decision':
      return [`DECISION NEEDED: ${ending.reason}`];
    case 'auth':
      return [`ERROR: ${ending.reason}`, 'hint: log the agent in, or give it a valid key'];
    case 'usage-limit': {
      const lifted = ending.resetAt === null ? '' : `; it resets at ${clockTime(ending.resetAt)}`;
      return [`ERROR: usage limit: ${ending.reason}${lifted}`];
    }
    case 'budget':
      return endingDetails(ending, clockTime);
    case 'stopped':
    case 'waiting':
      return canContinue(ending) ? [] : ['Stopped for good.'];
    default: {
      const what = `ERROR: ${ending.reason}${ending.reason === EMPTY_REPLIES ? '. Aborting.' : ''}`;
      return linesOf(what, 'hint' in ending && `hint: ${ending.hint}`);
    }
  }
}
