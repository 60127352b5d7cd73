/** `swarm logs`, `peek`, `attach`, `send`, `interrupt` and `eof`: show what workers print, and type into them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { RalphError } from '../../core/error.ts';
import { isWorkerAlive, paneOf, sendText, windowOf } from '../../loops/swarm/workers/liveness.ts';
import type { WorkerRecord } from '../../loops/swarm/workers/record.ts';
import { findWorker, readWorkers, workerNamed } from '../../loops/swarm/workers/registry.ts';
import { refused, type Swarm, workerFiles } from '../../loops/swarm/workers/swarm.ts';
import { ifThere } from '../../process/files.ts';
import { TmuxError } from '../../tmux/command.ts';
import type { Pane } from '../../tmux/pane.ts';
import { logIsWhole, serverIsAlive } from '../../tmux/window.ts';

const CLEAR_SCREEN = '\x1b[2J\x1b[H';

interface LogFlags {
  readonly follow?: boolean;
  /** Also what has scrolled off the screen; `lines` is how much of that. */
  readonly history?: boolean;
  readonly lines: number;
}

export async function logsCommand(swarm: Swarm, name: string, flags: LogFlags): Promise<number> {
  const { follow = false } = flags;
  const record = findWorker(swarm, name);
  if (record === undefined) {
    swarm.warn(`swarm: no worker named '${name}'`);
    return 1;
  }
  if (follow && record.tmux !== null) return followScreen(swarm, record, flags);
  const file = workerFiles(swarm.home, name).logs.stdout;
  if (follow && existsSync(file)) return followFile(file);
  const output = await outputOf(swarm, record, flags);
  if (output === null) {
    swarm.warn(`swarm: no logs found for ${name}`);
    return 1;
  }
  swarm.show(output);
  return 0;
}

async function outputOf(swarm: Swarm, record: WorkerRecord, { history = false, lines }: LogFlags) {
  const { name } = record;
  const { logs, window: folder } = workerFiles(swarm.home, name);
  if (record.tmux === null) return ifThere(() => readFileSync(logs.stdout, 'utf8'));
  if (isWorkerAlive(swarm, record)) {
    const pane = await paneOf(swarm, record);
    return lastLines(await pane.capture(history ? lines : 0), Number.POSITIVE_INFINITY);
  }
  const window = windowOf(swarm.home, name);
  if (window !== null && serverIsAlive(window)) await logIsWhole(folder, window);
  const log = ifThere(() => readFileSync(logs.tmux, 'utf8'));
  return log === null ? null : lastLines(asText(log), lines);
}

/** The last lines, without empty ones at the end, and with a line end. */
function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.length === 1 && lines[0] === '' ? '' : `${lines.join('\n')}\n`;
}

/** The text of a terminal's stream, without cursor movements and colours. */
function asText(stream: string): string {
  return stripVTControlCharacters(stream)
    .replaceAll('\r\n', '\n')
    .replaceAll(/\r|\p{Cc}(?<!\n|\t)/gu, '');
}

/** Follows the screen until the worker has ended, or until Ctrl-C. */
async function followScreen(swarm: Swarm, record: WorkerRecord, flags: LogFlags): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  for (let runs = true; runs && !stop.signal.aborted; ) {
    runs = isWorkerAlive(swarm, record);
    // If the worker ends during this, its output is shown once more, from its log.
    const output = await outputOf(swarm, record, flags).catch(() => null);
    swarm.show(`${CLEAR_SCREEN}${lastLines(output ?? '', 30)}`);
    if (runs) await sleep(1000, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return 0;
}

async function followFile(file: string): Promise<number> {
  let tail: ChildProcess | null = null;
  const end = (): void => void tail?.kill('SIGTERM');
  // Before the start, because Ctrl-C can come as soon as there is a line to see.
  process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end);
  tail = spawn('tail', ['-f', file], { stdio: ['ignore', 'inherit', 'inherit'] });
  return (await exitCode(tail)) ?? 0;
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

export async function peekCommand(swarm: Swarm, name: string | undefined, flags: { lines: number; all?: boolean }) {
  const { lines, all = false } = flags;
  if (!all && name === undefined) throw refused('worker name required (or use --all)');
  await inPanes(swarm, all ? null : workerNamed(swarm, name ?? '', 2), async (pane, worker) => {
    const captured = await pane.capture(lines).catch((error: unknown) => {
      if (error instanceof TmuxError) throw refused(`failed to capture pane for '${worker}': ${error.message}`);
      throw error;
    });
    const shown = lastLines(captured, lines);
    swarm.show(all ? `=== ${worker} ===\n${shown}\n` : shown);
  });
}

/** Hands the terminal to tmux, with the worker's window in front. */
export async function attachCommand(swarm: Swarm, name: string): Promise<number> {
  const [program = 'tmux', ...args] = (await attachTarget(swarm, name)).words;
  return (await exitCode(spawn(program, args, { env: swarm.env, stdio: 'inherit' }))) ?? 1;
}

/** Selects a worker's window in its session, and returns the command that shows it. */
export async function attachTarget(swarm: Swarm, name: string) {
  const { tmux } = await paneOf(swarm, workerNamed(swarm, name));
  const window = windowOf(swarm.home, name);
  if (window === null) throw refused(`worker '${name}' not found`);
  // By ids, because the window may have been renamed or moved to another session.
  const session = (await tmux.run(['display-message', '-p', '-t', window.paneId, '#{session_id}'])).trim();
  await tmux.run(['select-window', '-t', `${session}:${window.windowId}`]);
  // A client of the same server is switched, because tmux refuses to attach a server inside itself.
  const isSameServer = swarm.env.TMUX?.startsWith(`${window.address.socketPath},`) === true;
  const words = ['tmux', ...tmux.prefix, isSameServer ? 'switch-client' : 'attach-session', '-t', session];
  return { words, isSameServer };
}

export async function sendCommand(swarm: Swarm, words: readonly string[], { enter = true, raw = false, all = false }) {
  const text = words.at(-1) ?? '';
  if (words.length > (all ? 1 : 2)) throw refused('too many arguments: quote the text', 2);
  if (!all && words.length < 2) throw refused('--name required when not using --all');
  await inPanes(swarm, all ? null : workerNamed(swarm, words[0] ?? ''), async (pane, name) => {
    await sendText(pane, text, { raw, enter });
    swarm.say(`sent to ${name}`);
  });
}

export async function interruptCommand(swarm: Swarm, name: string | undefined, { all = false }): Promise<void> {
  if (!all && name === undefined) throw refused('worker name required when not using --all');
  await inPanes(swarm, all ? null : workerNamed(swarm, name ?? ''), async (pane, worker) => {
    await pane.press('C-c');
    swarm.say(`interrupted ${worker}`);
  });
}

export async function eofCommand(swarm: Swarm, name: string): Promise<void> {
  await (await paneOf(swarm, workerNamed(swarm, name))).press('C-d');
  swarm.say(`sent eof to ${name}`);
}

/** Acts in the pane of one worker, or of all that run in a window, skipping the others without a message. */
async function inPanes(swarm: Swarm, worker: WorkerRecord | null, act: (pane: Pane, name: string) => Promise<void>) {
  if (worker !== null) return act(await paneOf(swarm, worker), worker.name);
  for (const record of readWorkers(swarm)) {
    if (record.tmux === null || !isWorkerAlive(swarm, record)) continue;
    const pane = await paneOf(swarm, record).catch((error: unknown) => {
      // It has ended since it was found alive.
      if (error instanceof RalphError) return null;
      throw error;
    });
    if (pane !== null) await act(pane, record.name);
  }
}
