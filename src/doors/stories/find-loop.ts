/** The stories loop of a project: the newest one counts. */
import type { StateRoot } from '../../state/paths.ts';
import { listLoops } from '../../state/registry.ts';
import type { LoopStatus } from '../../state/status.ts';

export function newestStories(root: StateRoot, cwd: string, except: string | null = null): LoopStatus | null {
  const fits = ({ id, door, cwd: where }: LoopStatus): boolean => door === 'stories' && where === cwd && id !== except;
  return listLoops(root).findLast(fits) ?? null;
}
