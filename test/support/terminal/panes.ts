/** A tmux server for a test, on a socket in the test's folder, with access to its panes. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { tmuxAt } from '../../../src/tmux/command.ts';
import { type Pane, paneAt } from '../../../src/tmux/pane.ts';
import { testFolder } from '../folder.ts';
import { processesOf } from '../programs/processes.ts';

const LOOK_EVERY_MS = 10;

export interface PaneServer {
  readonly folder: string;
  readonly socket: string;
  readonly env: NodeJS.ProcessEnv;
  tmux(...args: string[]): string;
  /** Starts a session with one pane that runs this argv, and returns the pane's id. */
  pane(session: string, ...argv: string[]): string;
  /** The pane, to read its screen and to type into it. */
  at(pane: string): Pane;
  /** Ends the server, and waits until it is gone. */
  kill(): Promise<void>;
}

export function paneServer(size: { columns?: number; rows?: number } = {}): PaneServer {
  const folder = testFolder();
  const { TMUX: _, TMUX_PANE: __, ...outer } = process.env;
  const env = { ...outer, TMUX_TMPDIR: folder };
  const socket = 'panes';
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-L', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  let server: number | null = null;
  const kill = async (): Promise<void> => {
    const isUp = (): boolean => processesOf(folder).some(({ pid }) => pid === server);
    if (!isUp()) return;
    tmux('kill-server');
    while (isUp()) await sleep(LOOK_EVERY_MS);
  };
  onTestFinished(kill);
  const { columns = 100, rows = 30 } = size;
  return {
    folder,
    socket,
    env,
    tmux,
    kill,
    pane(session, ...argv) {
      const made = ['new-session', '-d', '-s', session, '-x', String(columns), '-y', String(rows)];
      const [pane = '', pid] = tmux(...made, '-P', '-F', '#{pane_id} #{pid}', ...argv)
        .trim()
        .split(' ');
      server = Number(pid);
      return pane;
    },
    at: (pane) => paneAt(tmuxAt({ socket }, env), pane),
  };
}
