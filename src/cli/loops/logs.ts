/** `ralph logs`: what the agents of a loop printed, as the console shows it, and what came of each iteration. */
import { setTimeout as sleep } from 'node:timers/promises';
import { profileFor } from '../../agents/index.ts';
import type { AgentChoice } from '../../core/action.ts';
import { hasPassed } from '../../core/check.ts';
import { describeLeft, MARKS } from '../../core/closing/closing-summary.ts';
import type { LoopMachine } from '../../core/machine.ts';
import { describeFailure } from '../../core/outcome.ts';
import type { Recorded } from '../../core/record.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { LoopStore, ReadableLoop } from '../../engine/store/loop-store.ts';
import { outputFile } from '../../state/run-files.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { textSplitter } from '../../stream/text-lines.ts';
import { machineOf } from '../../views/machines.ts';
import { checkLine, failureLines, ruleLine } from '../terminal/verdict-lines.ts';
import { foundLoop, type LoopsContext, unknownKind } from './context.ts';

export interface LogsFlags {
  readonly follow?: boolean;
  readonly iteration?: number;
}

/** How often a transcript is looked at that grows. */
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
  /** The one iteration that is shown; null for all. */
  readonly only: number | null;
  /** By a person, or because no one reads any more. */
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

/** Until the loop ends, or the signal. */
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

interface Run {
  readonly agent: AgentChoice;
  readonly transcript: string;
}

/** Folds records one by one; says what they mean, and gives the run that each begins, if it does. */
function logOf({ machine, context, loop, only }: Shown) {
  const { say } = context;
  let state: LoopState<unknown> | null = null;
  let headed = 0;
  return {
    iteration: () => state?.iteration ?? 0,
    take(record: Recorded): Run | null {
      state = state === null ? machine.begin(record) : machine.apply(state, record);
      const { iteration, phase } = state;
      const isShown = only === null || iteration === only;
      const { result } = record;
      if (isShown && phase.at === 'await' && headed !== iteration) {
        const { limit } = machine.about(state);
        say(ruleLine(`${iteration}${limit === null ? '' : `/${limit}`}`, context.columns ?? undefined), 'dim');
        headed = iteration;
      }
      if (isShown) verdictLines(record, machine.about(state).checks ?? [], state, context);
      // What is asked for a commit message is shown by what comes of it.
      if (!isShown || result.kind !== 'started' || phase.at !== 'await' || phase.purpose !== 'work') return null;
      const action = machine.next(state);
      if (action.do !== 'await') return null;
      const transcript = machine.transcript(state, action.handle) ?? `runs/${outputFile(action.handle.name)}`;
      return loop.loopKind === 'session' ? null : { agent: action.agent, transcript };
    },
  };
}

/** As the console shows it. */
function verdictLines(
  { result }: Recorded,
  checks: readonly string[],
  state: LoopState<unknown>,
  { environment, say, width }: LoopsContext,
): void {
  const plain = (_style: string, text: string): string => text;
  switch (result.kind) {
    case 'ran':
      if (result.outcome.kind !== 'worked') say(`${MARKS.failed} ${describeFailure(result)}`, 'red');
      return;
    case 'checked':
      say(checkLine(result, checks, plain, width), hasPassed(result) ? 'green' : 'red');
      for (const line of failureLines(result, state.cwd, { mask: environment.mask, paint: plain, width })) say(line);
      return;
    case 'published':
      if (result.status === 'failed') say(`${MARKS.failed} ${result.task}: ${result.detail}`, 'red');
      else if (result.status === 'done')
        say(`${MARKS.done} ${result.task} ${result.detail.slice(0, 7)}`.trimEnd(), 'green');
      return;
    case 'ended': {
      const { mark, outcome } = describeLeft(result.ending, startedIterations(state));
      say(`${MARKS[mark]} ${outcome}`, mark === 'done' ? 'green' : 'yellow');
      return;
    }
    default:
  }
}

async function copyRun(run: Run, shown: Shown): Promise<void> {
  const { more } = runShown(run, shown);
  await more(true);
}

type RunShown = ReturnType<typeof runShown>;

function runShown({ agent, transcript }: Run, { context, loop, signal }: Shown) {
  const { store, environment, say } = context;
  const parser = profileFor(agent.command).parser(agent);
  const format = eventFormatter({ ...DEFAULT_FORMAT, mask: environment.mask });
  const lines = textSplitter({
    skip: () => false,
    onLine: (line) => {
      for (const event of parser.parse(line)) {
        const text = format(event);
        if (text !== null) say(text);
      }
    },
    onLongLine: (head) => say(`${head.toString('utf8', 0, 200)}…`),
  });
  let from = 0;
  const more = async (isEnd: boolean): Promise<void> => {
    while (!signal.aborted) {
      const part: Awaited<ReturnType<LoopStore['transcript']>> = await store.transcript(loop.id, transcript, { from });
      if (part === null || part.bytes.length === 0) break;
      from = part.next;
      lines.push(Buffer.from(part.bytes));
      await context.printed();
    }
    if (isEnd) lines.end();
  };
  return { more };
}
