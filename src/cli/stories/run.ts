/** `ralph stories run`: the loop in a terminal. */
import { RalphError } from '../../core/error.ts';
import { maskFor } from '../../core/mask.ts';
import { exitCodeOf, runStories, type StoriesOptions } from '../../doors/stories/loop.ts';
import { storiesRequest } from '../../doors/stories/request.ts';
import { surveyStories } from '../../doors/stories/survey.ts';
import type { Driven } from '../../engine/drive.ts';
import { thisPlace } from '../../process/identity.ts';
import { handleSignals } from '../signals.ts';
import { storiesConsole } from './console.ts';
import { type PlaceFlags, placeOf, pluginOf, type StoriesPlace } from './place.ts';
import { storyTable } from './status.ts';

export interface StoriesRunFlags extends PlaceFlags {
  readonly maxIterations: number;
  readonly model?: string;
  /** True forces a sandbox, false forces none. */
  readonly sandbox?: boolean;
  readonly skipReview?: boolean;
  readonly reviewCap: number;
  readonly agent: string;
  readonly reviewAgent?: string;
  readonly reviewModel?: string;
  /** In milliseconds. */
  readonly failureBackoff?: number;
}

export function runCommand(flags: StoriesRunFlags, release: string, here: string): Promise<number> {
  const place = placeOf(flags);
  if (flags.sandbox === true)
    throw new RalphError('NO_SANDBOX', '--sandbox specified but Docker Sandbox is not available.', { exitCode: 2 });
  const request = storiesRequest({
    ralphDir: place.ralphDir,
    maxIterations: flags.maxIterations,
    agent: flags.agent,
    model: flags.model || null,
    reviewAgent: flags.reviewAgent || null,
    reviewModel: flags.reviewModel || null,
    skipReview: flags.skipReview === true,
    reviewCap: flags.reviewCap,
    ...(flags.failureBackoff === undefined ? {} : { backoffUnitMs: flags.failureBackoff }),
  });
  const start = flags.sandbox === false ? [] : ['Docker Sandbox not available — using direct mode'];
  return inTerminal(place, release, here, start, (options) => runStories(request, options));
}

export async function inTerminal(
  { projectDir, ralphDir, environment }: StoriesPlace,
  release: string,
  here: string,
  start: readonly string[],
  turn: (options: StoriesOptions) => Promise<Driven>,
): Promise<number> {
  const { show, tell, begins, ready, close } = storiesConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color: process.stdout.isTTY && environment.color,
    mask: maskFor(environment.variables),
    start,
  });
  const signals = handleSignals(tell);
  const { stop, cancel } = signals;
  const isRoot = process.getuid?.() === 0;
  const pluginDir = pluginOf(environment, here);
  const survey = { projectDir, ralphDir, root: environment.root, place: thisPlace() };
  const around = { projectDir, environment, release, pluginDir, isRoot };
  try {
    const driven = await turn({ ...around, emit: show, tell, begins, ready, stop, cancel });
    close(driven);
    // What the reviews cost, and which approvals want a human's eye.
    for (const line of storyTable(surveyStories(survey).stories)) tell(line);
    return exitCodeOf(driven);
  } finally {
    signals.release();
  }
}
