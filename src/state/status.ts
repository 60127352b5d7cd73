/** A loop's line in the registry, for people and other programs; the journal is the truth. */
import { isOver, type LoopState } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import { statusPath } from './paths.ts';
import { writeProjection } from './projection.ts';
import type { ListedLoop } from './registry.ts';

export interface LoopStatus extends ListedLoop {
  readonly v: 1;
  readonly iteration: number;
  readonly phase: string;
}

export function statusOf<Data>(state: LoopState<Data>, createdAt: Instant): LoopStatus {
  const { id, loopKind, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, loopKind, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
}

export function writeStatus(loop: string, status: LoopStatus): void {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}\n`);
}
