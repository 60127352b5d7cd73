/** `ralph stories pause` and `resume`. */
import { RalphError } from '../../core/error.ts';
import { tellLoop } from '../../engine/control.ts';
import { resumeStories } from '../../loops/stories/loop.ts';
import type { CommandProject } from '../../loops/stories/project.ts';
import { isInside } from '../../process/end.ts';
import { readLastTrace } from '../../process/trace.ts';
import { loopFolder } from '../../state/paths.ts';
import { runsFolder } from '../../state/run-files.ts';
import { listedProjectOf, type ProjectFlags } from './project.ts';
import { hosted, type Program } from './run.ts';
import { surveyStories } from './status.ts';

export interface ResumeFlags extends ProjectFlags {
  readonly maxIterations?: number;
}

export async function pauseCommand(flags: ProjectFlags): Promise<number> {
  const project = listedProjectOf(flags);
  const { id, state, pid, continueWith } = surveyStories(project).loop ?? NO_LOOP;
  if (id === null || pid === null) {
    const hint = continueWith === null ? 'Start one: ralph stories run' : `To continue the last one: ${continueWith}`;
    throw new RalphError('NOT_RUNNING', `no stories loop runs in ${project.cwd}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(project, id);
  tellLoop(loopFolder(project.environment.root, id), 'pause');
  const words = state === 'running' ? 'Pausing after the current iteration' : 'Already paused';
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to go on: ralph stories resume\n`);
  return Promise.resolve(0);
}

const NO_LOOP = { id: null, state: 'ended', pid: null, continueWith: null } as const;

export async function resumeCommand(flags: ResumeFlags, program: Program): Promise<number> {
  const project = listedProjectOf(flags);
  const { maxIterations } = flags;
  const { id, state, pid } = surveyStories(project).loop ?? NO_LOOP;
  if (id !== null) refuseOwnAgent(project, id);
  if (id !== null && (state === 'paused' || state === 'pausing')) {
    if (maxIterations !== undefined)
      throw new RalphError('RUNNING', `the loop is still there (pid ${pid}), with the limit that it began with`, {
        hint: 'Resume it without -n, or stop it first (Ctrl-C).',
      });
    tellLoop(loopFolder(project.environment.root, id), 'resume');
    process.stdout.write(`[ralph] Resumed (pid ${pid})\n`);
    return 0;
  }
  const change = maxIterations === undefined ? {} : { maxIterations };
  return hosted(project, program, (options) => resumeStories(options, change));
}

/** In a pause a person may approve what they like: an agent would make one for itself. */
function refuseOwnAgent({ environment: { root, variables } }: CommandProject, id: string): void {
  const trace = readLastTrace(runsFolder(loopFolder(root, id)));
  if (variables.RALPH_LOOP !== id && (trace === null || !isInside(trace, process))) return;
  throw new RalphError('OWN_AGENT', 'a loop is not steered by its own agent', {
    hint: 'To hand something to a person, say so: <promise>DECIDE:the question</promise>',
    exitCode: 1,
  });
}
