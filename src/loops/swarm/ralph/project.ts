/** What the state file says about a loop. */

import type { LoopState } from '../../../core/state.ts';
import type { Instant } from '../../../core/time.ts';
import type { Wanted } from '../../../engine/control.ts';
import type { RalphData } from './rules.ts';
import type { RalphState, RalphStatus } from './state-file.ts';
import { isoMicroseconds } from './times.ts';

export interface Seen {
  readonly createdAt: Instant;
  /** Of the last iteration that was started. */
  readonly iterationStartedAt: Instant;
  readonly order: Wanted;
  /** By the sandbox, of the run that is not over. */
  readonly refusals?: number;
  /** Why its supervisor gave up, though the loop is not over. */
  readonly problem?: string | null;
}

export function ralphStateOf(
  state: LoopState<RalphData>,
  { createdAt, iterationStartedAt, order, refusals = 0, problem = null }: Seen,
): RalphState {
  const { request, inputs } = state.data;
  const kind = request.sandbox?.kind ?? null;
  return {
    worker_name: request.name,
    prompt_file: request.promptFile,
    max_iterations: inputs?.max_iterations ?? request.maxIterations,
    current_iteration: startedIterations(state),
    status: statusOf(state, order, problem),
    started: isoMicroseconds(createdAt),
    last_iteration_started: isoMicroseconds(iterationStartedAt),
    consecutive_failures: state.failuresInARow,
    total_failures: state.failures,
    done_pattern: inputs === null ? request.donePattern : inputs.done_pattern,
    inactivity_timeout: inputs?.inactivity_timeout ?? request.inactivityTimeout,
    ...(kind === 'none' || kind === null
      ? {}
      : { sandbox: kind, sandbox_refusals: (state.usage.refusals ?? 0) + refusals }),
  };
}

/** An iteration whose inputs are being read has not begun. */
function startedIterations({ iteration, phase, tries }: LoopState<RalphData>): number {
  return phase.at === 'inputs' && (tries.work ?? 1) === 1 ? iteration - 1 : iteration;
}

function statusOf({ phase }: LoopState<RalphData>, order: Wanted, problem: string | null): RalphStatus {
  if (phase.at === 'over' || phase.at === 'end') {
    return ['done', 'iteration-limit', 'stopped'].includes(phase.ending.kind) ? 'stopped' : 'failed';
  }
  if (order === 'pause') return 'paused';
  return problem === null ? 'running' : 'failed';
}
