/** `ralph stories pause` and `resume`. */
import { RalphError } from '../../core/error.ts';
import { tellLoop } from '../../engine/control.ts';
import { type SurveyedLoop, surveyStories } from '../../loops/stories/commands/survey.ts';
import { resumeStories } from '../../loops/stories/loop.ts';
import { isInside } from '../../process/end.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { readLastTrace } from '../../process/trace.ts';
import { loopFolder } from '../../state/paths.ts';
import { runsFolder } from '../../state/run-files.ts';
import { listPlaceOf, type PlaceFlags, type StoriesPlace } from './place.ts';
import { inTerminal, type Program } from './run.ts';

export type { PlaceFlags } from './place.ts';

export async function pauseCommand(flags: PlaceFlags): Promise<number> {
  const place = listPlaceOf(flags);
  const { id, state, pid } = loopOf(place) ?? { id: null, state: 'ended', pid: null };
  if (id === null || pid === null) {
    const hint =
      state === 'interrupted' ? 'It was interrupted; to go on: ralph stories resume' : 'Start one: ralph stories run';
    throw new RalphError('NOT_RUNNING', `no stories loop runs in ${place.projectDir}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(place, id);
  tellLoop(loopFolder(place.environment.root, id), 'pause');
  const words = state === 'running' ? 'Pausing after the current iteration' : 'Already paused';
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume\n`);
  return Promise.resolve(0);
}

export async function resumeCommand(flags: PlaceFlags, program: Program): Promise<number> {
  const place = listPlaceOf(flags);
  const loop = loopOf(place);
  if (loop !== null && loop.id !== null) refuseOwnAgent(place, loop.id);
  if (loop !== null && loop.id !== null && (loop.state === 'paused' || loop.state === 'pausing')) {
    tellLoop(loopFolder(place.environment.root, loop.id), 'resume');
    process.stdout.write(`[ralph] Resumed (pid ${loop.pid})\n`);
    return 0;
  }
  return inTerminal(place, program, resumeStories);
}

/** In a pause a person may approve what they like: an agent would make one for itself. */
function refuseOwnAgent({ environment: { root, variables } }: StoriesPlace, id: string): void {
  const trace = readLastTrace(runsFolder(loopFolder(root, id)));
  if (variables.RALPH_LOOP !== id && (trace === null || !isInside(trace, process))) return;
  throw new RalphError('OWN_AGENT', 'a loop is not steered by its own agent', {
    hint: 'To hand something to a person, say so: <promise>DECIDE:the question</promise>',
    exitCode: 1,
  });
}

function loopOf({ projectDir, ralphDir, environment }: StoriesPlace): SurveyedLoop | null {
  return surveyStories({ projectDir, ralphDir, root: environment.root, place: thisMachine() }).loop;
}
