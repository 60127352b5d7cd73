/** A program that a test started: what it has printed so far, and how it ended. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';

export interface Program {
  readonly pid: number;
  /** Resolves when this text has appeared on stdout or stderr. */
  says(text: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Signals the process group, as a terminal does; the program must have been started detached. */
  signalGroup(signal: NodeJS.Signals): void;
  readonly exited: Promise<Exited>;
}

export interface Exited {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** `stdin` is written, in pieces if it comes in pieces, and closed; without it there is nothing to read. */
export function startProgram(
  argv: readonly [string, ...string[]],
  options: SpawnOptions & { stdin?: string | AsyncIterable<string> },
): Program {
  const { stdin, ...rest } = options;
  const [command, ...args] = argv;
  const child = spawn(command, args, { ...rest, stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  const said: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const text = (stream: 'stdout' | 'stderr'): string => Buffer.concat(said[stream]).toString('utf8');
  child.stdin?.on('error', () => {
    // A program does not have to read its stdin.
  });
  if (stdin !== undefined && child.stdin !== null) Readable.from(stdin).pipe(child.stdin);
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      said[stream].push(chunk);
      child.emit('said');
    });
  }
  const exited = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: (code ?? signal) as number | string,
    stdout: text('stdout'),
    stderr: text('stderr'),
  }));
  return {
    pid: child.pid ?? 0,
    exited,
    signal: (signal) => void child.kill(signal),
    signalGroup: (signal) => void process.kill(-(child.pid ?? 0), signal),
    async says(wanted) {
      const has = (): boolean => text('stdout').includes(wanted) || text('stderr').includes(wanted);
      for (; !has(); await Promise.race([once(child, 'said'), exited])) {
        if (child.exitCode === null && child.signalCode === null) continue;
        await exited;
        if (!has())
          throw new Error(`it ended without saying "${wanted}"; it said:\n${text('stdout')}\n${text('stderr')}`);
      }
    },
  };
}
