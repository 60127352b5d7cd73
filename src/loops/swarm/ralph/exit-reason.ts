/** Why a loop is over, in the words of `iterations.log`. */
import type { Ending } from '../../../core/ending.ts';

export function exitReason({ kind }: Ending): string {
  return REASONS[kind] ?? kind;
}

const REASONS: Partial<Record<Ending['kind'], string>> = {
  done: 'done_pattern',
  'iteration-limit': 'max_iterations',
  stopped: 'killed',
  'kept-failing': 'failed',
};
