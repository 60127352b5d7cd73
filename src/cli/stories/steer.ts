/** `ralph stories pause` and `resume`. */
import { RalphError } from '../../core/error.ts';
import { resumeStories } from '../../doors/stories/loop.ts';
import { type SurveyedLoop, surveyStories } from '../../doors/stories/survey.ts';
import { giveOrder } from '../../engine/orders.ts';
import { thisPlace } from '../../process/identity.ts';
import { loopFolder } from '../../state/paths.ts';
import { type PlaceFlags, placeOf, type StoriesPlace } from './place.ts';
import { inTerminal } from './run.ts';

export type { PlaceFlags } from './place.ts';

export async function pauseCommand(flags: PlaceFlags): Promise<number> {
  const place = placeOf(flags);
  const { id, state, pid } = loopOf(place) ?? { id: null, state: 'ended', pid: null };
  if (id === null || pid === null) {
    const hint =
      state === 'interrupted' ? 'It was interrupted; to go on: ralph stories resume' : 'Start one: ralph stories run';
    throw new RalphError('NOT_RUNNING', `no stories loop runs in ${place.projectDir}`, { hint, exitCode: 1 });
  }
  giveOrder(loopFolder(place.environment.root, id), 'pause');
  const words = state === 'running' ? 'Pausing after the current iteration' : 'Already paused';
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume\n`);
  return Promise.resolve(0);
}

export async function resumeCommand(flags: PlaceFlags, release: string, here: string): Promise<number> {
  const place = placeOf(flags);
  const loop = loopOf(place);
  if (loop !== null && loop.id !== null && (loop.state === 'paused' || loop.state === 'pausing')) {
    giveOrder(loopFolder(place.environment.root, loop.id), 'run');
    process.stdout.write(`[ralph] Resumed (pid ${loop.pid})\n`);
    return 0;
  }
  return inTerminal(place, release, here, [], resumeStories);
}

function loopOf({ projectDir, ralphDir, environment }: StoriesPlace): SurveyedLoop | null {
  return surveyStories({ projectDir, ralphDir, root: environment.root, place: thisPlace() }).loop;
}
