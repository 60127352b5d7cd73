/** A loop's line in the registry, for people and other programs; the journal is the truth. */
import type { Ending } from '../core/ending.ts';
import { isOver, type LoopState } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import { statusPath } from './paths.ts';
import { writeProjection } from './projection.ts';

export interface LoopStatus {
  readonly v: 1;
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly iteration: number;
  readonly phase: string;
  /** Null while the loop can still go on. */
  readonly ending: Ending | null;
}

export function statusOf<Data>(state: LoopState<Data>, createdAt: Instant): LoopStatus {
  const { id, loopKind, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, loopKind, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
}

export function writeStatus(loop: string, status: LoopStatus): void {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}\n`);
}
