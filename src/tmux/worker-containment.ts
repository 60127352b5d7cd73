/**
 * How a worker's processes are held together: by a cgroup leaf of the worker's own where one can be made, which outlives
 * whoever made it. What a worker starts by `swarm` is a worker of its own: its leaf lies beside, never inside.
 */
import {
  type Containment,
  type ContainmentLevel,
  containmentOf,
  strongestContainment,
} from '../process/containment/containment.ts';
import { MARK_PREFIX } from './command.ts';

export function workerContainment(level: ContainmentLevel | null): Containment {
  const found = level === null ? strongestContainment(outsideOfWorkers) : containmentOf(level, outsideOfWorkers);
  // Not a pid namespace: the pid that people are told would not be the worker's, and a pane is started by tmux.
  return found.level === 'pid-namespace' ? { level: 'group' } : found;
}

function outsideOfWorkers(own: string): string {
  const parts = own.split('/');
  const worker = parts.findIndex((part) => part.startsWith(`ralph-${MARK_PREFIX}`));
  return worker < 0 ? own : parts.slice(0, worker).join('/');
}
