/** `ralph stories run`: the loop in a terminal. */
import type { Driven } from '../../engine/drive.ts';
import type { Self } from '../../loops/stories/isolation.ts';
import { runStories, type StoriesOptions } from '../../loops/stories/loop.ts';
import type { CommandProject } from '../../loops/stories/project.ts';
import { type StoriesRequest, storiesRequest } from '../../loops/stories/request.ts';
import { type SandboxFlags, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { handleSignals } from '../terminal/signals.ts';
import { inTerminal, thisTerminal } from '../terminal.ts';
import { storiesConsole } from './console.ts';
import { type ProjectFlags, pluginOf, projectOf } from './project.ts';
import { surveyStories } from './status.ts';

export interface StoriesRunFlags extends ProjectFlags, SandboxFlags {
  readonly maxIterations: number;
  readonly model?: string;
  readonly skipReview?: boolean;
  readonly reviewCap: number;
  readonly agent: string;
  readonly reviewAgent?: string;
  readonly reviewModel?: string;
  readonly failureBackoff?: number;
  readonly stuckAfter?: number;
  readonly verify: boolean;
  readonly verifyTimeout?: number;
  readonly dryRun?: boolean;
}

export interface Program {
  readonly release: string;
  /** The folder of the running file: the plugin lies near it. */
  readonly here: string;
  readonly self: Self;
}

export async function runCommand(flags: StoriesRunFlags, program: Program): Promise<number> {
  const project = projectOf(flags);
  const request = requestOf(flags, project);
  if (flags.dryRun === true) return (await import('./dry-run.ts')).dryRun(request, project, program, process.stdout);
  return hosted(project, program, (options) => runStories(request, options));
}

function requestOf(flags: StoriesRunFlags, { ralphDir }: CommandProject): StoriesRequest {
  return storiesRequest({
    ralphDir,
    maxIterations: flags.maxIterations,
    agent: flags.agent,
    model: flags.model || null,
    reviewAgent: flags.reviewAgent || null,
    reviewModel: flags.reviewModel || null,
    skipReview: flags.skipReview === true,
    reviewCap: flags.reviewCap,
    ...(flags.failureBackoff === undefined ? {} : { backoffUnitMs: flags.failureBackoff }),
    stuckAfter: flags.stuckAfter ?? null,
    verify: flags.verify,
    ...(flags.verifyTimeout === undefined ? {} : { verifyTimeoutMs: flags.verifyTimeout }),
    sandbox: sandboxFromFlags(flags),
  });
}

export function hosted(
  project: CommandProject,
  { release, here, self }: Program,
  host: (options: StoriesOptions) => Promise<Driven>,
): Promise<number> {
  const { environment } = project;
  const console = storiesConsole(thisTerminal(environment), () => surveyStories(project).stories);
  const around = { project, environment, release, pluginDir: pluginOf(environment, here), self };
  return inTerminal('stories', console, handleSignals(console.tell), (ports) => host({ ...around, ...ports }));
}
