/** Continues a stories loop where its records end, also after an ending whose reason may be gone. */
import { resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { type LoopMachine, loopMachine } from '../../core/machine.ts';
import type { LoopState } from '../../core/state.ts';
import { plural } from '../../core/usage.ts';
import { continueLoop, type OpenLoop } from '../../engine/loop.ts';
import type { ListedLoop } from '../../state/registry.ts';
import { isIterationOver } from './closing.ts';
import { runAgain } from './commands/run-again.ts';
import { putBlockAway } from './files/archive-previous-logs.ts';
import { consumeDecision } from './files/consume-decision.ts';
import type { StoriesRequest } from './request.ts';
import { storiesRules } from './rules.ts';
import type { StoriesData } from './story-state.ts';

/** With what else than before a loop is continued. */
export type ContinueStories = Partial<Pick<StoriesRequest, 'maxIterations'>>;

export interface Continued {
  readonly loop: OpenLoop<StoriesData>;
  /** What is to be said about it. */
  readonly says: readonly string[];
}

const machine: LoopMachine<StoriesData> = loopMachine(storiesRules);

/** A person may have edited while it stood still, and answered what it ended with. A refusal closes the loop. */
export function continueStories(
  reopened: OpenLoop<StoriesData>,
  found: ListedLoop,
  change: ContinueStories,
): Continued {
  const { state, folder: loop } = reopened;
  const { cwd, id, data } = state;
  const { ralphDir } = data.request;
  try {
    refuseToContinue(state, change);
    if (state.phase.at !== 'over') {
      const options = Object.keys(change).length === 0 ? undefined : change;
      return { loop: continueLoop(machine, reopened, options, Date.now()), says: [] };
    }
    const { answer, putAway } = consumeDecision(cwd, ralphDir, found);
    const options = { ...change, ...(answer === null ? {} : { answer }) };
    const open = continueLoop(machine, reopened, options, Date.now());
    const papers = { cwd, folder: resolve(cwd, ralphDir), ralphDir, loop: { id, folder: loop } };
    return { loop: open, says: [...putAway(loop), ...putBlockAway(papers)] };
  } catch (error) {
    reopened.close();
    throw error;
  }
}

function refuseToContinue({ phase, iteration, data }: LoopState<StoriesData>, change: ContinueStories): void {
  const ending = phase.at === 'over' ? phase.ending : null;
  if (ending?.kind === 'tampered') {
    throw new RalphError('TAMPERED', `the last stories loop cannot be continued: ${ending.reason}`, {
      hint: `Look at what was changed (git log -p), then start again: ${runAgain(data.request)}`,
      exitCode: 2,
    });
  }
  const made = isIterationOver(ending) ? iteration : iteration - 1;
  const limit = change.maxIterations ?? data.request.maxIterations;
  if (made < limit) return;
  const why = change.maxIterations === undefined ? `its limit is ${limit}` : '-n must be higher';
  throw new RalphError('STORIES_OPTION', `the loop has already made ${plural(made, 'iteration')}: ${why}`, {
    hint: `To continue with more, run: ralph stories resume -n ${made * 2}`,
    exitCode: 2,
  });
}
