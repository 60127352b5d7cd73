/** How reliably everything that a run starts can be ended, by levels. Picks the strongest that works here. */
import { spawnSync } from 'node:child_process';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { type CgroupHome, findCgroupHome, moveToOwnCgroup } from './cgroup.ts';
import type { ContainmentLevel } from './levels.ts';

export type Containment =
  | { readonly level: 'cgroup'; readonly home: CgroupHome }
  | { readonly level: 'pid-namespace'; readonly asRoot: boolean }
  /** Best effort: a double fork with an emptied environment and its own session escapes. */
  | { readonly level: 'group' };

type ChooseHome = Parameters<typeof findCgroupHome>[0];

/** Null picks the strongest. */
export function containmentOf(level: ContainmentLevel | null, choose?: ChooseHome): Containment {
  if (level === null) return take('cgroup', choose) ?? take('pid-namespace') ?? { level: 'group' };
  const containment = take(level, choose);
  if (containment !== null) return containment;
  const hint = 'Leave RALPH_CONTAINMENT unset to use the strongest way that works here.';
  throw new RalphError('CONTAINMENT', `this machine cannot contain a run by "${level}"`, { hint });
}

function take(level: ContainmentLevel, choose?: ChooseHome): Containment | null {
  if (level === 'group') return { level };
  if (process.platform !== 'linux') return null;
  if (level === 'cgroup') {
    const home = (choose === undefined ? moveToOwnCgroup() : null) ?? findCgroupHome(choose);
    return home === null ? null : { level, home };
  }
  const asRoot = process.getuid?.() === 0;
  return pidNamespacesWork(asRoot) ? { level, asRoot } : null;
}

const LOOK_EVERY: Duration = 20;

/**
 * When its init ends, the kernel ends everything else in a pid namespace. The init is a shell: an agent that was pid 1
 * itself would ignore SIGTERM and lose its signal's exit code. What the agent leaves behind gets SIGTERM, and `grace`
 * to end.
 */
export function inPidNamespace(argv: readonly string[], asRoot: boolean, grace: Duration = 0): [string, ...string[]] {
  const user = asRoot ? [] : ['--user', '--map-current-user'];
  const init = ['sh', '-c', initScript(grace), 'ralph-init'];
  return ['unshare', ...user, '--pid', '--fork', '--kill-child', '--mount-proc', '--', ...init, ...argv];
}

/** -1 is everything but the init. With each `sleep`, the shell reaps ended children, which would count as living. */
function initScript(grace: Duration): string {
  // `exit` keeps the shell from replacing itself with its last command.
  if (grace <= 0) return '"$@"; exit $?';
  const isLeft = `[ $i -lt ${Math.ceil(grace / LOOK_EVERY)} ] && kill -0 -1`;
  const wait = `i=0; while ${isLeft}; do sleep ${LOOK_EVERY / 1000} || sleep 1 || break; i=$((i + 1)); done`;
  return `"$@"; code=$?; { kill -TERM -1; ${wait}; } 2>/dev/null; exit $code`;
}

export function pidNamespacesWork(asRoot: boolean): boolean {
  const [command, ...args] = inPidNamespace(['true'], asRoot);
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
