/** Starts a program in its own session, which outlives this process and its terminal, and waits until it has begun. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../core/outcome.ts';

export interface DetachedProgram {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Its output is appended to this file. */
  readonly log: string;
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
  /** Called with the messages that it sends to us, if any. */
  readonly onMessage?: (message: unknown) => void;
  hasBegun(): boolean;
  /** Stops waiting, and ends the program as Ctrl-C would. */
  readonly cancel?: AbortSignal;
}

export interface Detached {
  readonly pid: number;
  /** Null: it has begun, and goes on. */
  readonly ended: Exit | null;
  /** What it has printed so far. */
  readonly said: string;
}

const LOOK_EVERY_MS = 20;

export async function startDetached(program: DetachedProgram): Promise<Detached> {
  const { argv, cwd, env, log, input, onMessage, hasBegun, cancel } = program;
  const file = openSync(log, 'a', 0o600);
  const { size } = fstatSync(file);
  const [command, ...args] = argv;
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: [
      input === undefined ? 'ignore' : 'pipe',
      file,
      file,
      ...(onMessage === undefined ? [] : (['ipc'] as const)),
    ],
  });
  closeSync(file);
  child.unref();
  if (onMessage !== undefined) child.on('message', onMessage).channel?.unref();
  // If it ends without reading, its exit reports that.
  child.stdin?.on('error', () => undefined).end(input);
  await once(child, 'spawn');
  const end = (): void => void child.kill('SIGINT');
  cancel?.addEventListener('abort', end, { once: true });
  if (cancel?.aborted === true) end();
  const exit = (): Exit | null => {
    if (child.signalCode !== null) return { by: 'signal', signal: child.signalCode };
    return child.exitCode === null ? null : { by: 'code', code: child.exitCode };
  };
  while (exit() === null && !hasBegun()) await sleep(LOOK_EVERY_MS);
  cancel?.removeEventListener('abort', end);
  if (child.connected) child.disconnect();
  return { pid: child.pid ?? 0, ended: exit(), said: readFileSync(log).toString('utf8', size) };
}
