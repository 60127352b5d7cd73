/** What a stories loop says when it is over, below the seed's own words. */
import {
  type ClosingSummary,
  describeLeft,
  type Left,
  type NextCommand,
  type WorkState,
} from '../../core/closing-summary.ts';
import { describeExit } from '../../core/outcome.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import { runAgain } from './commands/run-again.ts';
import { DECIDE_FILE } from './files/messages.ts';
import type { StoriesData } from './story-state.ts';
import { commandsOf } from './verify-rules.ts';

/** How many stories the list has, and how many of them count. */
export interface StoryCounts {
  readonly complete: number;
  readonly total: number;
}

export function storiesClosing(
  state: LoopState<StoriesData>,
  left: Left,
  work: WorkState,
  stories: StoryCounts,
): ClosingSummary {
  const { data, usage } = state;
  const red = data.verified?.red ?? [];
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.workedMs,
    usage,
    red: red.map(({ command, exit, log }) => ({ command, exit: describeExit(exit), log })),
    // Why it ended is told above, in a line of its own.
    details: [
      `${stories.complete} of ${stories.total} ${stories.total === 1 ? 'story' : 'stories'} complete.`,
      ...verifyDetails(data, left),
    ],
    work,
    next: nextCommands(state, left, work),
  };
}

function verifyDetails(data: StoriesData, left: Left): string[] {
  const commands = commandsOf(data);
  if (left.kind !== 'done') return [];
  if (commands.length > 0) return [`Run by ralph in the agent's work tree, and green: ${commands.join(', ')}.`];
  return ['Nothing was checked by ralph itself: the reviews are all there is.'];
}

function nextCommands({ data }: LoopState<StoriesData>, left: Left, work: WorkState): NextCommand[] {
  const { request } = data;
  switch (left.kind) {
    case 'done':
      return [
        ...(work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : []),
        { command: 'ralph stories archive', why: 'file this plan away, and begin the next one' },
      ];
    case 'interrupted':
      return [{ command: 'ralph stories resume', why: 'continue' }];
    case 'stopped':
    case 'waiting':
      return [];
    case 'iteration-limit':
      return [
        { command: runAgain({ ...request, maxIterations: left.limit * 2 }), why: 'continue with more iterations' },
      ];
    default:
      return [{ command: runAgain(request), why: whyAgain(left, request.ralphDir) }];
  }
}

function whyAgain({ kind }: Left, ralphDir: string): string {
  switch (kind) {
    case 'decision':
      return `continue, once you have answered in ${ralphDir}/${DECIDE_FILE}`;
    case 'auth':
      return 'continue, once the agent is logged in';
    case 'usage-limit':
      return 'continue, once the limit is reset';
    case 'configuration':
      return 'continue, once that is fixed';
    case 'kept-failing':
    case 'infrastructure':
      return 'continue, once the agent works again';
    case 'tampered':
      return 'start again, once you have looked at what was changed (git log -p)';
    default:
      return 'continue, once the reason is gone';
  }
}
