/** Continues the newest stories loop of a project where its records end, also after an ending whose reason may be gone. */
import { canContinue } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import type { LoopState } from '../../core/state.ts';
import { plural } from '../../core/usage.ts';
import { tellLoop, wantedOf } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import { homeOf, hostOf } from '../../engine/host.ts';
import { continueLoop, type OpenLoop, reopenLoop } from '../../engine/loop.ts';
import { loopFolder } from '../../state/paths.ts';
import { unlessUnreadable } from '../../state/registry.ts';
import { isIterationOver } from './closing.ts';
import { takeOverMarker } from './files/active-file.ts';
import { copiesIn } from './files/copies.ts';
import { consumeDecision, putBlockAway } from './files/messages.ts';
import { newestStories } from './find-loop.ts';
import { wholeInputs } from './inputs.ts';
import { hostStories, type StoriesOptions } from './loop.ts';
import { listIn } from './project.ts';
import { runAgain, type StoriesRequest } from './request.ts';
import { storiesMachine } from './rules.ts';
import type { StoriesData, StoriesInputs } from './state.ts';

/** With what else than before a loop is continued. */
export type ContinueStories = Partial<Pick<StoriesRequest, 'maxIterations'>>;

export async function resumeStories(options: StoriesOptions, change: ContinueStories = {}): Promise<Driven> {
  const { environment, project, tell } = options;
  const { cwd } = project;
  const found = newestStories(environment.root, cwd);
  if (found === null || (found.ending !== null && !canContinue(found.ending))) {
    throw new RalphError('NOTHING_TO_RESUME', `no unfinished stories loop in ${cwd}`, {
      hint: unlessUnreadable(environment.root, 'Start one: ralph stories run'),
    });
  }
  const host = hostOf(environment);
  takeOverMarker(cwd, host.place, tell);
  const home = homeOf(environment, host);
  const copies = copiesIn(loopFolder(environment.root, found.id));
  const again = (_request: StoriesRequest, masked: StoriesInputs) => wholeInputs(masked, copies);
  const reopened = reopenLoop(storiesMachine, found.id, cwd, home, again);
  const { loop, says } = continued(reopened, change);
  const begin = (): void => {
    for (const line of says) tell(line);
    if (wantedOf(loop.folder) === 'pause') tellLoop(loop.folder, 'resume');
  };
  const refused = (error: unknown): never => {
    throw error;
  };
  return hostStories(loop, host, options, { passedOver: { docker: null, os: null }, refused, begin });
}

/** A person may have edited while it stood still, and answered what it ended with. A refusal closes the loop. */
function continued(reopened: OpenLoop<StoriesData>, change: ContinueStories) {
  const { state, folder } = reopened;
  const ending = state.phase.at === 'over' ? state.phase.ending : null;
  try {
    refuseToContinue(state, change);
    if (ending === null) {
      const options = Object.keys(change).length === 0 ? undefined : change;
      return { loop: continueLoop(storiesMachine, reopened, options, Date.now()), says: [] };
    }
    const project = listIn(state.cwd, state.data.request.ralphDir);
    const { answer, putAway } = consumeDecision(project, ending);
    const options = { ...change, ...(answer === null ? {} : { answer }) };
    const loop = continueLoop(storiesMachine, reopened, options, Date.now());
    return { loop, says: [...putAway(folder), ...putBlockAway(project, folder)] };
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
    });
  }
  const made = isIterationOver(ending) ? iteration : iteration - 1;
  const limit = change.maxIterations ?? data.request.maxIterations;
  if (made < limit) return;
  const why = change.maxIterations === undefined ? `its limit is ${limit}` : '-n must be higher';
  throw new RalphError('STORIES_OPTION', `the loop has already made ${plural(made, 'iteration')}: ${why}`, {
    hint: `To continue with more, run: ralph stories resume -n ${made * 2}`,
  });
}
