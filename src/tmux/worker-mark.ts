/**
 * A worker's processes are identified by a mark in their environment, and by a cgroup leaf if one can be made. What a
 * worker starts with `swarm` is a worker of its own: its leaf is beside the other, and ending one leaves the other
 * alone.
 */
import { type Containment, containmentOf } from '../process/containment/containment.ts';
import type { ContainmentLevel } from '../process/containment/levels.ts';
import { MARK_VARIABLE } from '../process/identity/process-table.ts';

export const MARK_PREFIX = 'swarm-';

export function workerContainment(level: ContainmentLevel | null): Containment {
  const found = containmentOf(level, outsideOfWorkers);
  // Not a pid namespace: the pid shown to people would not be the worker's, and tmux, not we, starts the pane.
  return found.level === 'pid-namespace' ? { level: 'group' } : found;
}

function outsideOfWorkers(own: string): string {
  const parts = own.split('/');
  const worker = parts.findIndex((part) => part.startsWith(`ralph-${MARK_PREFIX}`));
  return worker < 0 ? own : parts.slice(0, worker).join('/');
}

/** The environment for what is started from within a worker but does not belong to it. */
export function withoutWorkerMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [MARK_VARIABLE]: marks, ...rest } = env;
  const others = marks?.split(' ').filter((mark) => !mark.startsWith(MARK_PREFIX)) ?? [];
  return others.length === 0 ? rest : { ...rest, [MARK_VARIABLE]: others.join(' ') };
}
