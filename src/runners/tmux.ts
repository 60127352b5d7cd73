/**
 * Runs an agent in a tmux pane that a person can attach to. Each run has a server of its own, on a socket of its own,
 * so nothing of the user's is ever touched. What the pane shows is piped to the transcript, and the exit status is in
 * a file: a supervisor that comes after a crash adopts the run where it stands.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { endRun, isGone } from '../process/end.ts';
import { readExitFile, withExitFile } from '../process/exit-wrapper.ts';
import { follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { LaunchError, launch } from '../process/launch.ts';
import { readTrace, type Trace } from '../process/trace.ts';
import { OUTPUT_FILE, type Runner } from './runner.ts';

export interface TmuxOptions {
  readonly host: Host;
  readonly grace: Duration;
}

/** Files are watched; this is for the pane that dies without a word. */
const LOOK_EVERY: Duration = 200;
const LOOK_AGAIN: Duration = 5;
/** What the pane wrote last reaches the transcript through one more process, which says when it is through. */
const PIPED_FILE = 'piped';
const LAST_WORDS_TAKE_AT_MOST: Duration = 2000;

export function tmuxRunner({ host, grace }: TmuxOptions): Runner {
  return {
    name: 'tmux',
    async start({ folder, mark, argv, cwd, env, stdin }) {
      writeFileSync(join(folder, OUTPUT_FILE), '', { mode: 0o600 });
      const program = stdin === undefined ? argv : ['sh', '-c', 'exec "$@" <"$0"', join(folder, stdin), ...argv];
      const socket = socketName(mark);
      const { exited } = await launch(
        {
          argv: tmuxCommand(socket, folder, cwd, program),
          cwd,
          // A pane is no part of the terminal that ralph was started in.
          env: { ...env, TMUX: undefined, TMUX_PANE: undefined },
          folder,
          mark,
          stdout: 'tmux.log',
          stderr: 'tmux-errors.log',
          // A pid namespace would end the server together with the command that starts it.
          containment: host.containment.rung === 'cgroup' ? host.containment : { rung: 'group' },
        },
        host.place,
      );
      const exit = await exited;
      if (exit.by !== 'code' || exit.code !== 0)
        throw new LaunchError('tmux', new Error(readFileSync(join(folder, 'tmux-errors.log'), 'utf8')));
    },
    async await(folder, watch_) {
      const trace = readTrace(folder);
      if (trace === null) return { by: 'unseen' };
      const follower = follow(folder, [{ name: OUTPUT_FILE, onChunk: (chunk) => watch_.onOutput(chunk) }]);
      const end = (): void => void endRun(trace, grace);
      watch_.signal.addEventListener('abort', end, { once: true });
      if (watch_.signal.aborted) end();
      try {
        const exit = await exitOf(folder, trace);
        await lastWords(folder);
        await endRun(trace, 0);
        follower.drain();
        return exit;
      } finally {
        watch_.signal.removeEventListener('abort', end);
        follower.close();
      }
    },
    async close() {
      // A pane goes on by itself until somebody adopts it.
    },
  };
}

/** To look at a run: `tmux -L <this> attach`. */
export function socketName(mark: string): string {
  return `ralph-${createHash('sha256').update(mark).digest('hex').slice(0, 12)}`;
}

/** The pane waits until its output is piped, so that no first line is lost. */
function tmuxCommand(socket: string, folder: string, cwd: string, argv: readonly string[]): [string, ...string[]] {
  const tmux = ['tmux', '-L', socket, '-f', '/dev/null'] as const;
  const waiting = ['sh', '-c', 'tmux wait-for piped; exec "$@"', 'ralph-pane'];
  const pane = [...waiting, ...withExitFile(argv, folder)];
  const pipe = `cat >${quoted(join(folder, OUTPUT_FILE))}; : >${quoted(join(folder, PIPED_FILE))}`;
  return [
    ...tmux,
    'new-session',
    '-d',
    '-x',
    '200',
    '-y',
    '50',
    '-c',
    cwd,
    ...pane.map(literal),
    ';',
    'pipe-pane',
    pipe,
    ';',
    'wait-for',
    '-S',
    'piped',
  ];
}

/** tmux takes an argument that ends in a semicolon as the end of its command. */
function literal(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function exitOf(folder: string, trace: Trace): Promise<Exit> {
  return new Promise((resolve) => {
    const look = (): void => {
      // The pane first: a status that was written in between is still found.
      const ended = isGone(trace);
      const exit = readExitFile(folder);
      if (exit === null && !ended) return;
      watcher.close();
      clearInterval(timer);
      resolve(exit ?? { by: 'unseen' });
    };
    const watcher = watch(folder, (_event, name) => {
      if (name === 'exit') look();
    });
    const timer = setInterval(look, LOOK_EVERY);
    look();
  });
}

async function lastWords(folder: string): Promise<void> {
  const deadline = performance.now() + LAST_WORDS_TAKE_AT_MOST;
  while (!existsSync(join(folder, PIPED_FILE)) && performance.now() < deadline) await sleep(LOOK_AGAIN);
}
