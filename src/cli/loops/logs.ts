/** `ralph logs`: what the agents of a loop printed, as the console shows it, and the outcome of each iteration. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopMachine } from '../../core/machine/machine.ts';
import type { Recorded } from '../../core/record.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { type LoggedRun, loopLog, runLines } from '../../views/loop-log.ts';
import { machineOf } from '../../views/machines.ts';
import { foundLoop, type LoopsContext, unknownKind } from './context.ts';

export interface LogsFlags {
  readonly follow?: boolean;
  readonly iteration?: number;
}

/** How often to read a transcript that grows. */
const LOOK_EVERY_MS = 200;

export async function logsCommand(
  name: string | null,
  { follow = false, iteration }: LogsFlags,
  context: LoopsContext & { readonly signal: AbortSignal },
): Promise<number> {
  const { store, say } = context;
  const signal = AbortSignal.any([context.signal, context.unread]);
  const { loop } = await foundLoop(context, { name });
  const machine = await machineOf(loop.loopKind);
  if (machine === null) throw unknownKind(loop);
  const shown = { machine, loop, context, only: iteration ?? null, signal };
  const isLive = follow && loop.ending === null;
  const last = isLive ? await showLive(shown) : await showAll(shown, await store.records(loop.id));
  if (iteration !== undefined && last < iteration && !signal.aborted) {
    say(`Loop ${loop.id} has made ${last} iterations.`);
    return 1;
  }
  return 0;
}

interface Shown {
  readonly machine: LoopMachine<unknown>;
  readonly loop: ReadableLoop;
  readonly context: LoopsContext;
  /** Show only this iteration; null for all. */
  readonly only: number | null;
  /** Aborted by Ctrl-C, or when the reader of the output has gone. */
  readonly signal: AbortSignal;
}

async function showAll(shown: Shown, records: readonly Recorded[]): Promise<number> {
  const log = logOf(shown);
  for (const record of records) {
    if (shown.signal.aborted) break;
    const run = log.take(record);
    if (run !== null) await copyRun(run, shown);
  }
  return log.iteration();
}

/** Follows the loop until it ends or the signal is aborted. */
async function showLive(shown: Shown): Promise<number> {
  const { store } = shown.context;
  const log = logOf(shown);
  const over = new AbortController();
  const either = AbortSignal.any([shown.signal, over.signal]);
  const waiting: Recorded[] = [];
  const reading = (async () => {
    for await (const record of store.follow(shown.loop.id, 0, either)) waiting.push(record);
  })();
  let run: RunShown | null = null;
  try {
    while (!either.aborted) {
      const [next] = waiting;
      const isEnded = next !== undefined && run !== null;
      if (run !== null) await run.more(isEnded);
      if (next === undefined) {
        await sleep(LOOK_EVERY_MS, undefined, { signal: either }).catch(() => undefined);
        continue;
      }
      waiting.shift();
      const begun = log.take(next);
      run = begun === null ? null : runShown(begun, shown);
      if (next.result.kind === 'ended' && waiting.length === 0) break;
    }
  } finally {
    over.abort();
    await reading;
  }
  return log.iteration();
}

/** Prints the lines of each record; `take` returns the run that it begins, if any. */
function logOf({ machine, context, only }: Shown) {
  const { environment, say, width, columns } = context;
  const log = loopLog(machine, { mask: environment.mask, width, columns: columns ?? undefined, only });
  return {
    iteration: log.iteration,
    take(record: Recorded): LoggedRun | null {
      const { lines, run } = log.take(record);
      for (const { text, style } of lines) say(text, style);
      return run;
    },
  };
}

async function copyRun(run: LoggedRun, shown: Shown): Promise<void> {
  const { more } = runShown(run, shown);
  await more(true);
}

type RunShown = ReturnType<typeof runShown>;

function runShown(run: LoggedRun, { context, loop, signal }: Shown) {
  const { store, environment, say } = context;
  const lines = runLines(run, environment.mask, say);
  let from = 0;
  const more = async (isEnd: boolean): Promise<void> => {
    while (!signal.aborted) {
      const part = await store.transcript(loop.id, run.transcript, { from });
      if (part === null || part.bytes.length === 0) break;
      from = part.next;
      lines.push(Buffer.from(part.bytes));
      await context.printed();
    }
    if (isEnd) lines.end();
  };
  return { more };
}
