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
import { startedIterations } from '../../../core/state.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Instant } from '../../../core/time.ts';
import type { FoundRalph } from './find.ts';

export interface AtClosing {
  readonly work: WorkState;
  /** Where the reader is: a command for another folder has to name it. */
  readonly cwd: string;
  clock(at: Instant): string;
}

export function ralphClosing(found: FoundRalph, { work, cwd, clock }: AtClosing): ClosingSummary {
  const { state } = found;
  const left = leftOf(found);
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.workedMs,
    usage: state.usage,
    red: [],
    details: [
      ...patternDetails(found, left),
      ...lastRunDetails(found, left),
      // What a person can fix is told above, as an error.
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
  const { inputs, request } = state.data;
  const pattern = inputs === null ? request.donePattern : inputs.done_pattern;
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
  if (left.kind === 'iteration-limit') {
    const command = `swarm ralph resume ${worker} --max-iterations ${left.limit * 2}`;
    return [{ command, why: 'continue with more iterations' }];
  }
  if (left.kind !== 'interrupted' && !canContinue(left)) {
    return [{ command: `swarm clean ${worker}`, why: 'remove the worker, its logs and its worktree' }];
  }
  return [{ command: `swarm ralph resume ${worker}`, why: CONTINUE[left.kind] ?? 'continue' }];
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  configuration: 'continue, once that is fixed',
  'kept-failing': 'continue, once the agent works again',
};
