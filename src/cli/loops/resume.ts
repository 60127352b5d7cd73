/** `ralph resume`: tells a waiting supervisor to continue; without one, this process becomes the supervisor. */
import { dirname, join } from 'node:path';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { isFields } from '../../core/text/json.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import type { Found } from '../../views/found-loop.ts';
import { continuedElsewhere, isResumable } from '../../views/resumable.ts';
import { goOn, over, refuseSucceeded, refuseUnlessPaused, supervisorWords } from '../../views/steer.ts';
import { proofChangeFrom } from '../program/flags/proof.ts';
import { type ResumeFlags, resumeCommand as resumeRunCommand } from '../run.ts';
import { foundLoop, type LoopsContext } from './context.ts';
import { refuseOwnAgent, steeringOf } from './steer.ts';

/** `here`: the folder of the running file. */
export interface Program {
  readonly self: readonly [string, ...string[]];
  readonly here: string;
}

export async function resumeCommand(
  name: string | null,
  flags: ResumeFlags,
  context: LoopsContext,
  program: Program,
): Promise<number> {
  const found = await meantLoop(name, context);
  const { loop, short } = found;
  refuseOwnAgent(loop, context);
  refuseForeign(loop, short);
  refuseSucceeded(found);
  if (loop.ending === null && loop.supervisor !== null) return tellToGoOn(found, flags, context);
  const start = STARTERS[loop.loopKind];
  if (start === undefined)
    throw new RalphError('LOOP_KIND', `loops of the kind "${loop.loopKind}" cannot be continued`);
  if (flags.maxCostPerStory !== undefined && loop.loopKind !== 'stories')
    throw new RalphError('LOOP_KIND', `loop ${short} has no stories: --max-cost-per-story does not apply to it`);
  if (Object.keys(proofChangeFrom(flags)).length > 0 && !PROVING.includes(loop.loopKind))
    throw new RalphError(
      'LOOP_KIND',
      `loop ${short} proves nothing: --allow-edit and --accept-flaky do not apply to it`,
    );
  if (flags.reviewAgent !== undefined && loop.loopKind !== 'run')
    throw new RalphError('LOOP_KIND', `loop ${short} (${loop.loopKind}) keeps the reviewer that it began with`, {
      hint: 'Only ralph run can be continued with another --review-agent.',
    });
  // A loop of `ralph run` that is over prints again how it ended.
  if (!isResumable(loop) && loop.loopKind !== 'run')
    throw over(found, 'There is nothing to continue.', steeringOf(context));
  const request = await requestOf(loop, context);
  return start({ loop, request, flags, program });
}

/** If no loop can be resumed from here, an unfinished one is found, and refused with what to do instead. */
async function meantLoop(name: string | null, context: LoopsContext): Promise<Found> {
  const among = (is: (loop: ReadableLoop) => boolean) => ({ name, among: { is, what: 'unfinished loop' } });
  try {
    return await foundLoop(context, among(isResumable));
  } catch (error) {
    if (name !== null || !(error instanceof RalphError) || error.code !== 'NO_LOOP') throw error;
    return foundLoop(
      context,
      among(({ ending }) => ending === null),
    );
  }
}

function refuseForeign(loop: ReadableLoop, short: string): void {
  const hint = continuedElsewhere(loop);
  if (hint !== null) throw new RalphError('LOOP_KIND', `loop ${short} cannot be continued from here`, { hint });
}

async function tellToGoOn(found: Found, flags: ResumeFlags, context: LoopsContext): Promise<number> {
  const { loop, short } = found;
  const who = supervisorWords(loop);
  refuseUnlessPaused(found);
  if (flags.maximumIterations !== undefined) {
    const hint = 'Resume it without -m.';
    throw new RalphError('RUNNING', `loop ${short} is still running${who}, with the limit that it began with`, {
      hint,
    });
  }
  if (Object.keys(proofChangeFrom(flags)).length > 0) {
    const hint = `Stop it first (ralph stop ${short}), or resume it without --allow-edit and --accept-flaky.`;
    throw new RalphError('RUNNING', `loop ${short} is still running${who}, with the proof that it began with`, {
      hint,
    });
  }
  if (flags.reviewAgent !== undefined) {
    const hint = `Stop it first (ralph stop ${short}), or resume it without --review-agent.`;
    throw new RalphError('RUNNING', `loop ${short} is still running${who}, with the reviewer that it began with`, {
      hint,
    });
  }
  const lines = await goOn(found, steeringOf(context));
  // With `--json`, its events are printed where it runs.
  if (flags.json !== true) for (const line of lines) context.say(line);
  return 0;
}

/** The kinds that can prove their work. */
const PROVING = ['run', 'stories'];

interface Start {
  readonly loop: ReadableLoop;
  readonly request: Readonly<Record<string, unknown>>;
  readonly flags: ResumeFlags;
  readonly program: Program;
}

/** The command of each loop kind that resumes it. */
const STARTERS: Readonly<Record<string, (start: Start) => Promise<number>>> = {
  run: ({ loop, flags, program }) => resumeRunCommand(loop.id, flags, program.self),
  async stories({ loop, request, flags, program }) {
    const { resumeCommand } = await import('../stories/run.ts');
    const ralphDir = text(request.ralphDir);
    const maxIterations = flags.maximumIterations;
    const { maximumIterations: _limit, ...others } = flags;
    return resumeCommand({ projectDir: loop.cwd, ...others, ...defined({ ralphDir, maxIterations }) }, program);
  },
  async task({ request, flags, program }) {
    const { taskResumeCommand } = await import('../task/resume.ts');
    const [project, task, folder] = [text(request.project), text(request.task), text(request.folder)];
    const root = folder === undefined ? undefined : dirname(dirname(folder));
    const { maximumIterations: maxRestarts, verbose: _verbose, detach: _detach, ...others } = flags;
    return taskResumeCommand({ ...others, ...defined({ project, task, root, maxRestarts }) }, program);
  },
  async swarm({ loop, request, flags, program }) {
    const { runInSwarm } = await import('../swarm/context.ts');
    const { resumeWith } = await import('../../loops/swarm/ralph/worker.ts');
    const { runLoop } = await import('../swarm/ralph/run.ts');
    const [node] = program.self;
    return runInSwarm((own) => {
      // A supervisor that it starts in the background is `swarm`, not `ralph`.
      const self = [node, join(program.here, '../../bin/swarm.cjs')] as const;
      const swarm = { ...own, self, home: text(request.home) ?? own.home };
      const change = defined({ maxIterations: flags.maximumIterations });
      return resumeWith(runLoop, swarm, loop.about.name ?? '', change);
    });
  },
};

/** The request in the first record of the loop. Its fields are not checked: a journal can be edited. */
export async function requestOf({ id }: ReadableLoop, { store }: LoopsContext): Promise<Start['request']> {
  const first = await store.first(id);
  const options = first?.result.kind === 'created' ? first.result.options : null;
  return isFields(options) ? options : {};
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
