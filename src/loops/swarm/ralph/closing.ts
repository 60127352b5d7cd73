/** What a loop says when its supervisor leaves it: at its end, paused by a signal, or for want of a prompt. */
import { join } from 'node:path';
import {
  type ClosingSummary,
  describeLeft,
  endingDetails,
  type Left,
  type NextCommand,
  type WorkState,
} from '../../../core/closing-summary.ts';
import { canContinue } from '../../../core/ending.ts';
import { describeExit } from '../../../core/outcome.ts';
import { type LoopState, startedIterations } from '../../../core/state.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Instant } from '../../../core/time.ts';
import { addRun } from '../../../core/usage.ts';
import type { FoundRalph } from './find.ts';
import { editable, type RalphData } from './rules.ts';

export interface AtClosing {
  readonly work: WorkState;
  /** Where the reader is: a command for another folder has to name it. */
  readonly cwd: string;
  readonly now: Instant;
  clock(at: Instant): string;
}

export function ralphClosing(found: FoundRalph, { work, cwd, now, clock }: AtClosing): ClosingSummary {
  const { state } = found;
  const left = leftOf(found);
  // An agent that its supervisor has left to itself still runs, and what it costs is not known yet.
  const isAtWork = state.phase.at === 'await';
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.workedMs + (isAtWork ? Math.max(0, now - state.at) : 0),
    usage: isAtWork ? addRun(state.usage, null) : state.usage,
    red: [],
    details: [
      ...patternDetails(found, left),
      ...lastRunDetails(found, left),
      // What a person can fix is said above, as an error.
      ...(left.kind === 'configuration' ? [] : endingDetails(left, clock)),
    ],
    work,
    next: nextCommands(found, left, work, cwd),
  };
}

function leftOf({ state, problem }: FoundRalph): Left {
  if (state.phase.at === 'over') return state.phase.ending;
  return problem === null ? { kind: 'interrupted' } : { kind: 'configuration', reason: problem };
}

function patternDetails({ state }: FoundRalph, left: Left): string[] {
  const { done_pattern: pattern } = editable(state.data);
  if (left.kind === 'done') return [`The agent's output matched "${pattern ?? ''}". Nothing else was checked.`];
  if (left.kind !== 'iteration-limit') return [];
  return [
    pattern === null
      ? 'Whether the work is done is unknown: there is no --done-pattern.'
      : `The agent's output never matched "${pattern}".`,
  ];
}

/** Of a loop that ended by its agent's failures. */
function lastRunDetails({ folder, lastRun }: FoundRalph, left: Left): string[] {
  if (left.kind !== 'kept-failing' || lastRun?.outcome.kind !== 'failed') return [];
  const log = join(folder, lastRun.transcript.path);
  return [`The last run failed (${describeExit(lastRun.outcome.exit)}, log ${log}).`];
}

function nextCommands({ state, cwd: where }: FoundRalph, left: Left, work: WorkState, cwd: string): NextCommand[] {
  const { name } = state.data.request;
  const git = where === cwd ? 'git' : `git -C ${quoteWord(where)}`;
  const worker = quoteWord(name);
  if (left.kind === 'done') {
    if (work.kind === 'committed') return [{ command: `${git} log --stat -3`, why: 'the latest commits' }];
    return work.kind === 'uncommitted' ? [{ command: `${git} status`, why: 'what is not committed' }] : [];
  }
  const command = continueCommand(state, left);
  if (command === null) {
    return [{ command: `swarm clean ${worker}`, why: 'remove the worker, its logs and its worktree' }];
  }
  const kill = { command: `swarm kill ${worker}`, why: 'end the agent, which still runs, and the loop' };
  return [{ command, why: CONTINUE[left.kind] ?? 'continue' }, ...(state.phase.at === 'await' ? [kill] : [])];
}

/** Null for a loop that is over for good. */
export function continueCommand({ iteration, data }: LoopState<RalphData>, left: Left): string | null {
  if (left.kind !== 'interrupted' && !canContinue(left)) return null;
  const limit = editable(data).max_iterations;
  const more = iterationsMade(iteration, left) < limit ? '' : ` --max-iterations ${limit * 2}`;
  return `swarm ralph resume ${quoteWord(data.request.name)}${more}`;
}

/** After the limit or after failures a loop continues with the next iteration; otherwise the last one is repeated. */
export function iterationsMade(iteration: number, { kind }: Left): number {
  return kind === 'iteration-limit' || kind === 'kept-failing' ? iteration : iteration - 1;
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  'iteration-limit': 'continue with more iterations',
  configuration: 'continue, once that is fixed',
  'kept-failing': 'continue, once the agent works again',
};
