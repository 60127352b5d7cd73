/** Keeps the machine awake while a loop runs, through a program (if there is one) that ends when we do, in any case. */
import { spawn } from 'node:child_process';
import { findSystemProgram } from './which.ts';

/** Each holds its lock while it runs: the first until its stdin is closed, the second until our process is gone. */
const KEEPERS: readonly { readonly command: string; args(pid: number): readonly string[] }[] = [
  {
    command: 'systemd-inhibit',
    args: () => ['--what=sleep:idle', '--who=ralph', '--why=a loop is running', '--mode=block', 'cat'],
  },
  { command: 'caffeinate', args: (pid) => ['-i', '-w', String(pid)] },
];

/**
 * Returns the function that allows sleep again. Without a lock, the machine may sleep; the loop continues afterwards.
 */
export function keepAwake(env: NodeJS.ProcessEnv, cwd: string): () => void {
  for (const { command, args } of KEEPERS) {
    const program = findSystemProgram(command, env.PATH, cwd);
    if (program === null) continue;
    const keeper = spawn(program, args(process.pid), {
      env: needed(env),
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // It could not be started, or there is no service to grant a lock.
    keeper.on('error', () => undefined);
    keeper.stdin.on('error', () => undefined);
    keeper.unref();
    return () => {
      keeper.stdin.end();
      keeper.kill();
    };
  }
  return () => undefined;
}

/** What it needs to find its session, and nothing else: variables can name code that programs run at their start. */
function needed({ HOME, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}
