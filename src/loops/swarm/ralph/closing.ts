/** How a loop of seed 000 ended, for its last lines, and how to continue it. */
import { join } from 'node:path';
import type { Clock, ClosingSummary, Left, NextCommand, WorkState } from '../../../core/closing/closing-summary.ts';
import { describeLeft, endingDetails } from '../../../core/closing/closing-summary.ts';
import { describeExit } from '../../../core/outcome.ts';
import { type LoopState, startedIterations } from '../../../core/state.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { FoundRalph } from './find.ts';
import { canResume, editable, type RalphData } from './rules.ts';

type State = LoopState<RalphData>;

/** `cwd`: the reader's folder; commands for another folder have to name that folder. */
export function ralphClosing(found: FoundRalph, work: WorkState, cwd: string, clock: Clock): ClosingSummary {
  const { state } = found;
  const left = leftOf(found);
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.workedMs,
    usage: state.usage,
    red: [],
    // A configuration problem is already shown above, as an error.
    details: [...detailsOf(found, left), ...(left.kind === 'configuration' ? [] : endingDetails(left, clock))],
    work,
    next: nextCommands(found, left, work, cwd),
  };
}

function leftOf({ state, problem }: FoundRalph): Left {
  if (state.phase.at === 'over') return state.phase.ending;
  return problem === null ? { kind: 'interrupted' } : { kind: 'configuration', reason: problem };
}

function detailsOf({ state, folder, lastRun }: FoundRalph, left: Left): string[] {
  const { done_pattern: pattern } = editable(state.data);
  if (left.kind === 'done') return [`The agent's output matched "${pattern ?? ''}". Nothing else was checked.`];
  if (left.kind === 'iteration-limit' && pattern !== null) return [`The agent's output never matched "${pattern}".`];
  if (left.kind === 'iteration-limit') return ['Whether the work is done is unknown: there is no --done-pattern.'];
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
  if (command === null)
    return [{ command: `swarm clean ${worker}`, why: 'remove the worker, its logs and its worktree' }];
  return [{ command, why: CONTINUE[left.kind] ?? 'continue' }];
}

/** Null for a loop that cannot be continued. */
export function continueCommand({ iteration, data }: State, left: Left): string | null {
  if (left.kind !== 'interrupted' && !canResume(left)) return null;
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
