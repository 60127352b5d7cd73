/** What people tell a loop: a queue in its folder. Exactly one record consumes each command, so a crash loses none. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopCommand, Until } from '../core/action.ts';
import { defined } from '../core/defined.ts';
import { isFields, parsedJson } from '../core/json.ts';
import type { Result } from '../core/record.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../process/files.ts';
import { watchFolder } from '../process/folder-watch.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { LONGEST_TIMER } from './performers/limits.ts';

const FOLDER = 'control';
const FILE = 'commands.jsonl';

export interface ControlCommand {
  readonly id: string;
  readonly at: Instant;
  readonly command: LoopCommand;
}

/** What a loop is meant to do, after everything that was said. */
export type Wanted = 'run' | 'pause' | 'stop';

export function sendCommand(loop: string, command: LoopCommand): void {
  makePrivateFolder(join(loop, FOLDER));
  const said: ControlCommand = { id: randomUUID(), at: Date.now(), command };
  // A writer that died in the middle of its line must not spoil this one.
  writeFile(join(loop, FOLDER, FILE), `\n${JSON.stringify(said)}\n`, { flag: 'a', mode: 0o600 });
}

export const wantedOf = (loop: string): Wanted => netOf(readControl(loop));

/** What is to be done about everything that was said since `consumed`, and the id up to which that is; null for nothing. */
export function pendingControl(loop: string, consumed: string | null) {
  const all = readControl(loop);
  const pending = all.slice(all.findIndex(({ id }) => id === consumed) + 1);
  const last = pending.at(-1);
  return last === undefined ? null : { upTo: last.id, wanted: netOf(pending) };
}

/** Calls back when a command may have come; returns the function that ends this. */
export function watchControl(loop: string, changed: () => void): () => void {
  const folder = join(loop, FOLDER);
  makePrivateFolder(folder);
  const watch = watchFolder(folder);
  const stop = watch.on(FILE, changed);
  return () => {
    stop();
    watch.close();
  };
}

/** Waits out a back-off, a rest between iterations or a pause, and reads what is said meanwhile. */
export async function waitFor(
  { until, consumed }: { readonly until: Until; readonly consumed: string | null },
  { loop, signal }: { readonly loop: string; readonly signal: AbortSignal },
): Promise<Result> {
  const told = (): Result | null => {
    if (signal.aborted) return { kind: 'interrupted', reason: 'told to stop while waiting' };
    const pending = pendingControl(loop, consumed);
    const command = pending === null ? undefined : commandFor(pending.wanted, until);
    const isOver = until === 'now' || (until !== 'command' && until <= Date.now());
    if (command === undefined && !isOver) return null;
    return { kind: 'waited', ...defined({ consumed: pending?.upTo, command }) };
  };
  // As a rule there is nothing to wait for, and nothing to watch.
  const atOnce = until === 'now' ? told() : null;
  if (atOnce !== null) return atOnce;
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        try {
          const result = told();
          clearTimeout(timer);
          if (result !== null) resolve(result);
          else if (typeof until === 'number') timer = setTimeout(look, Math.min(until - Date.now(), LONGEST_TIMER));
        } catch (error) {
          reject(error);
        }
      };
      // Watching first: what is said between the look and the watch would be missed.
      over.signal.addEventListener('abort', watchControl(loop, look));
      signal.addEventListener('abort', look, { signal: over.signal });
      look();
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** None where the loop does already what is wanted. */
function commandFor(wanted: Wanted, until: Until): LoopCommand | undefined {
  if (wanted === 'stop') return 'stop';
  if (until === 'command') return wanted === 'run' ? 'resume' : undefined;
  return wanted === 'pause' ? 'pause' : undefined;
}

/** A stop is not taken back; otherwise the last word counts. */
function netOf(commands: readonly ControlCommand[]): Wanted {
  if (commands.some(({ command }) => command === 'stop')) return 'stop';
  return commands.at(-1)?.command === 'pause' ? 'pause' : 'run';
}

/** A line that is empty, or cut off by its writer's death, was not said. */
function readControl(loop: string): ControlCommand[] {
  const text = textOf(join(loop, FOLDER, FILE));
  return text === null ? olderControl(loop) : text.split('\n').map(parsedJson).filter(isCommand);
}

function isCommand(said: unknown): said is ControlCommand {
  return isFields(said) && typeof said.id === 'string' && ['pause', 'resume', 'stop'].includes(String(said.command));
}

/** Releases before this one kept one word in a file. */
function olderControl(loop: string): ControlCommand[] {
  const word = textOf(join(loop, 'orders', 'order'))?.trim();
  return word === 'pause' || word === 'stop' ? [{ id: 'order', at: 0, command: word }] : [];
}

function textOf(path: string): string | null {
  // Asked at every wait, and as a rule it is not there: an exception would cost more than the rest of the wait.
  return existsSync(path) ? ifThere(() => readPlainText(path)) : null;
}
