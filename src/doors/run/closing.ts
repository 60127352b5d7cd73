/** What `ralph run` says when it is over. */
import {
  type ClosingSummary,
  describeLeft,
  endingDetails,
  type Left,
  type NextCommand,
  type WorkState,
} from '../../core/closing-summary.ts';
import { canContinue } from '../../core/ending.ts';
import type { LoopState } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import type { RunData } from './rules.ts';

export function runClosing(
  state: LoopState<RunData>,
  left: Left,
  work: WorkState,
  clock: (at: Instant) => string,
): ClosingSummary {
  const { data, usage } = state;
  const iterations = usage.runs === 0 ? 0 : state.iteration;
  return {
    ...describeLeft(left, iterations),
    durationMs: state.at - state.startedAt,
    usage,
    red: data.feedback.map(({ command, exitCode, log }) => ({ command, exit: `exit ${exitCode}`, log })),
    details: [
      ...checkDetails(data, left), // A configuration error is told above.
      ...(left.kind === 'configuration' ? [] : endingDetails(left, clock)),
    ],
    work,
    next: nextCommands(state, left, work),
  };
}

function checkDetails({ inputs }: RunData, left: Left): string[] {
  if (left.kind !== 'done') return [];
  const checks = inputs?.guardrails.map(({ command }) => command) ?? [];
  if (checks.length === 0) return ['Nothing was checked: no guardrails are configured.'];
  return [`Passed in the agent's work tree: ${checks.join(', ')}.`];
}

function nextCommands({ id, data }: LoopState<RunData>, left: Left, work: WorkState): NextCommand[] {
  if (left.kind === 'done') {
    if (work.kind === 'committed') return [{ command: 'git log --stat -3', why: 'the latest commits' }];
    return work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : [];
  }
  if (left.kind === 'iteration-limit') {
    const more = (data.inputs?.maximumIterations ?? left.limit) * 2;
    return [{ command: `ralph resume ${id} -m ${more}`, why: 'continue with more iterations' }];
  }
  if (left.kind !== 'interrupted' && !canContinue(left)) return [];
  return [{ command: `ralph resume ${id}`, why: CONTINUE[left.kind] ?? 'continue' }];
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  auth: 'continue, once the agent is logged in',
  configuration: 'continue, once that is fixed',
  'usage-limit': 'continue, once the limit is reset',
  'kept-failing': 'continue, once the agent works again',
};
