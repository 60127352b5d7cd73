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
import { hosted, type Program } from './run.ts';

export type { PlaceFlags } from './place.ts';

export interface ResumeFlags extends PlaceFlags {
  readonly maxIterations?: number;
}

export async function pauseCommand(flags: PlaceFlags): Promise<number> {
  const place = listPlaceOf(flags);
  const { id, state, pid, continueWith } = loopOf(place) ?? NO_LOOP;
  if (id === null || pid === null) {
    const hint = continueWith === null ? 'Start one: ralph stories run' : `To continue the last one: ${continueWith}`;
    throw new RalphError('NOT_RUNNING', `no stories loop runs in ${place.projectDir}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(place, id);
  tellLoop(loopFolder(place.environment.root, id), 'pause');
  const words = state === 'running' ? 'Pausing after the current iteration' : 'Already paused';
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume\n`);
  return Promise.resolve(0);
}

const NO_LOOP = { id: null, state: 'ended', pid: null, continueWith: null } as const;

export async function resumeCommand(flags: ResumeFlags, program: Program): Promise<number> {
  const place = listPlaceOf(flags);
  const { maxIterations } = flags;
  const loop = loopOf(place);
  if (loop !== null && loop.id !== null) refuseOwnAgent(place, loop.id);
  if (loop !== null && loop.id !== null && (loop.state === 'paused' || loop.state === 'pausing')) {
    if (maxIterations !== undefined) throw stillRuns(loop.pid);
    tellLoop(loopFolder(place.environment.root, loop.id), 'resume');
    process.stdout.write(`[ralph] Resumed (pid ${loop.pid})\n`);
    return 0;
  }
  const change = maxIterations === undefined ? {} : { maxIterations };
  return hosted(place, program, (options) => resumeStories(options, change));
}

function stillRuns(pid: number | null): RalphError {
  return new RalphError('RUNNING', `the loop is still there (pid ${pid}), with the limit that it began with`, {
    hint: 'Resume it without -n, or stop it first (Ctrl-C).',
    exitCode: 2,
  });
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
