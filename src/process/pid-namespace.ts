/**
 * A pid namespace per run: when its init ends, the kernel ends everything else in it. The init is a shell that keeps
 * the agent as its child: as pid 1 itself an agent would ignore SIGTERM and lose its signal's exit code.
 */
import { spawnSync } from 'node:child_process';

/** `exit $?` keeps the shell from replacing itself with its last command. */
const INIT = '"$@"; exit $?';

/** The command that runs `argv` in a namespace of its own, with its own /proc; it ends when its parent shell ends. */
export function inPidNamespace(argv: readonly string[], asRoot: boolean): [string, ...string[]] {
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
    INIT,
    'ralph-init',
    ...argv,
  ];
}

export function pidNamespacesWork(asRoot: boolean): boolean {
  const [command, ...args] = inPidNamespace(['true'], asRoot);
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
