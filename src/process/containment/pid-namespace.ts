/**
 * A pid namespace per run: when its init ends, the kernel ends everything else in it. The init is a shell that keeps
 * the agent as its child: as pid 1 itself an agent would ignore SIGTERM and lose its signal's exit code.
 */
import { spawnSync } from 'node:child_process';
import type { Duration } from '../../core/time.ts';

const LOOK_EVERY: Duration = 20;

/**
 * The command that runs `argv` in a namespace of its own, with its own /proc; it ends when its parent shell ends. What the
 * program leaves behind is asked to end (SIGTERM) and has `grace` to do so.
 */
export function inPidNamespace(argv: readonly string[], asRoot: boolean, grace: Duration = 0): [string, ...string[]] {
  const user = asRoot ? [] : ['--user', '--map-current-user'];
  return [
    'unshare',
    ...user,
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--',
    'sh',
    '-c',
    initScript(grace),
    'ralph-init',
    ...argv,
  ];
}

/**
 * -1 is everybody in the namespace but its init. Each `sleep` makes the shell reap those who have ended, without which they
 * would count as living.
 */
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
