/**
 * Which loop this process works for, as part of a run of its agent. The answer only ever takes rights away: a process
 * that pretends to be inside a loop can do less, and one that hides it could read the files of all loops anyway.
 * docs/mcp.md says what is not detected.
 */

import { ancestorsOf, ownCgroups } from '../process/ancestors.ts';
import { isInside } from '../process/end.ts';
import { ownIdentity } from '../process/identity/identity.ts';
import { MARK_VARIABLE } from '../process/identity/process-table.ts';
import { readLastTrace, type Trace } from '../process/trace.ts';
import { isLoopId, loopFolder, type StateRoot } from '../state/paths.ts';
import { runsFolder } from '../state/run-files.ts';
import { MARK_PREFIX } from '../tmux/worker-mark.ts';

const LOOP_VARIABLE = 'RALPH_LOOP';

export type LoopAround =
  | { readonly is: 'none' }
  | { readonly is: 'loop'; readonly id: string }
  /** It may be inside one, but what it can see names several loops, or a worker of `swarm` that is not known. */
  | { readonly is: 'unclear'; readonly ids: readonly string[] };

/** `unfinished`: the loops whose agents may be at work. */
export function loopAround(
  root: StateRoot,
  variables: NodeJS.ProcessEnv,
  unfinished: readonly { readonly id: string }[],
  pid = ownIdentity().pid,
): LoopAround {
  // A fork cannot leave its cgroup. With a loop inside a loop, the innermost cgroup counts.
  const cgroups = ownCgroups();
  const [cgroup] = cgroups.flatMap(loopOfLeaf).slice(-1);
  if (cgroup !== undefined) return { is: 'loop', id: cgroup };
  // The agent of a loop can start a worker of `swarm`, whose cgroup is then beside the loop's.
  const worker = cgroups.find((name) => name.startsWith(`ralph-${MARK_PREFIX}`));
  if (worker !== undefined) return { is: 'unclear', ids: [worker] };
  const ancestors = ancestorsOf(pid);
  const leaders = unfinished.flatMap(({ id }) => {
    const leader = lastTrace(root, id)?.leader;
    return leader == null ? [] : [{ id, leader }];
  });
  for (const { pid: number, startTime, boot } of ancestors) {
    const of = leaders.find(
      ({ leader }) => leader.pid === number && leader.boot === boot && isStart(startTime, leader),
    );
    if (of !== undefined) return { is: 'loop', id: of.id };
  }
  // In a pid namespace, environment variables are all there is. A process can clear its own, but not those of its
  // ancestors.
  const environments: readonly Variables[] = [variables, ...ancestors.map(variablesOf)];
  const [one, ...more] = new Set(environments.flatMap(saidLoop));
  if (one === undefined) {
    const mark = environments.flatMap(marksIn).find((name) => name.startsWith(MARK_PREFIX));
    return mark === undefined ? { is: 'none' } : { is: 'unclear', ids: [mark] };
  }
  return more.length === 0 ? { is: 'loop', id: one } : { is: 'unclear', ids: [one, ...more] };
}

/** Is this process part of the run that the loop started last? */
export function isOwnAgent(root: StateRoot, id: string, variables: NodeJS.ProcessEnv): boolean {
  const trace = lastTrace(root, id);
  return variables[LOOP_VARIABLE] === id || (trace !== null && isInside(trace, process));
}

const lastTrace = (root: StateRoot, id: string): Trace | null => readLastTrace(runsFolder(loopFolder(root, id)));

/**
 * The name is like `ralph-20261118-140539-0123abcd-1-work-1-1`, see `leafPath`; for an agent of `swarm`,
 * `ralph-swarm-<loop>-…`. A session's loops have other ids, and no leaves.
 */
function loopOfLeaf(name: string): string[] {
  const [, id] = /^ralph-(?:swarm-)?(\d{8}-\d{6}-[0-9a-f]{8})-/.exec(name) ?? [];
  return id === undefined ? [] : [id];
}

/** On macOS the time is in whole seconds, and presumed for a process that was only just started. */
function isStart(startTime: string, { startTime: wanted, slack = 0 }: NonNullable<Trace['leader']>): boolean {
  return startTime === wanted || Math.abs(Number(startTime) - Number(wanted)) <= slack;
}

type Variables = Readonly<Record<string, string | undefined>>;

function variablesOf({ variable }: ReturnType<typeof ancestorsOf>[number]): Variables {
  return {
    [LOOP_VARIABLE]: variable(LOOP_VARIABLE) ?? undefined,
    [MARK_VARIABLE]: variable(MARK_VARIABLE) ?? undefined,
  };
}

/** The innermost loop that one environment names: inner marks are appended to the outer ones. */
function saidLoop(variables: Variables): string[] {
  const id = variables[LOOP_VARIABLE] || marksIn(variables).findLast(isLoopId);
  return id === undefined ? [] : [id];
}

const marksIn = (variables: Variables): string[] => (variables[MARK_VARIABLE] ?? '').split(/[ /]/);
