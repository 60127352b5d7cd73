/** Where a loop takes in what people say: at a wait, with its inputs, and while an agent works. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, LoopCommand } from '../core/action.ts';
import { defined } from '../core/defined.ts';
import type { Result } from '../core/record.ts';
import type { Duration, Instant } from '../core/time.ts';
import { watchFolder } from '../process/folder-watch.ts';
import { makePrivateFolder } from '../state/folders.ts';
import {
  CONTROL_FILE,
  CONTROL_FOLDER,
  commandFor,
  commandWhileAsking,
  hasAnswer,
  heardBeforeWork,
  heardIn,
  type Pending,
  pendingControl,
} from './control.ts';
import type { Perform, Performed } from './performers/perform.ts';

/**
 * Calls back when a command may have come; returns the function that stops this. The folder can be removed and put back
 * in between, but a watch stays with the original: the folder above shows when a new watch is needed.
 */
export function watchControl(loop: string, changed: () => void): () => void {
  const folder = join(loop, CONTROL_FOLDER);
  makePrivateFolder(folder);
  let unwatch = watchFile(folder, changed);
  const above = watchFolder(loop);
  above.on(CONTROL_FOLDER, () => {
    unwatch();
    unwatch = existsSync(folder) ? watchFile(folder, changed) : () => undefined;
    changed();
  });
  return () => {
    above.close();
    unwatch();
  };
}

function watchFile(folder: string, changed: () => void): () => void {
  const watch = watchFolder(folder);
  watch.on(CONTROL_FILE, changed);
  return watch.close;
}

/** A timer stands still while the machine sleeps, and ignores that the clock was set: the wait ends by the clock. */
const LOOK_EVERY: Duration = 10_000;

/** Replaces the machine's clock in tests. */
interface WaitClock {
  readonly now?: () => Instant;
  readonly everyMs?: Duration;
}

/** Waits out a back-off, a rest between iterations or a pause, and reads commands meanwhile. */
export async function waitFor(
  { until, consumed, isAsking }: Pick<Action & { do: 'wait' }, 'until' | 'consumed' | 'isAsking'>,
  { loop, signal, clock = {} }: { readonly loop: string; readonly signal: AbortSignal; readonly clock?: WaitClock },
): Promise<Result> {
  const { now = Date.now, everyMs = LOOK_EVERY } = clock;
  const heardCommand = (pending: Pending): LoopCommand | undefined =>
    isAsking === true ? commandWhileAsking(pending) : commandFor(pending, until === 'command');
  const told = (): Result | null => {
    if (signal.aborted) return { kind: 'interrupted', reason: 'told to stop while waiting' };
    const pending = pendingControl(loop, consumed);
    const command = pending === null ? undefined : heardCommand(pending);
    const isAnswered = isAsking === true && pending !== null && hasAnswer(pending);
    const isOver = until === 'now' || (until !== 'command' && until <= now());
    if (command === undefined && !isOver && !isAnswered) return null;
    return { kind: 'waited', ...(pending === null ? {} : heardIn(pending)), ...defined({ command }) };
  };
  // Usually there is nothing to wait for, and nothing to watch.
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
          else if (typeof until === 'number') timer = setTimeout(look, Math.min(until - now(), everyMs));
        } catch (error) {
          reject(error);
        }
      };
      // Watch first: a command between the look and the watch would be missed.
      over.signal.addEventListener('abort', watchControl(loop, look));
      signal.addEventListener('abort', look, { signal: over.signal });
      look();
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

const CUT_OFF = { kind: 'interrupted', reason: 'told to stop now', byCommand: true } as const;

/**
 * The same performer for a loop that can be steered: messages for its agent come with the inputs, and a command that
 * cannot wait ends the current action (an agent's run, a check, a step that nothing outside sees). The wait that
 * follows consumes the command. A commit or a push that has begun is finished: half of one would be worse.
 */
export function withControl(perform: Perform, loop: string, consumedBefore: string | null) {
  let consumed = consumedBefore;
  let cut: AbortController | null = null;
  let isWaiting = false;
  /** Reused for one action after the other until aborted: creating and joining signals adds to every run's cost. */
  let unused: { readonly outer: AbortSignal; readonly own: AbortController; readonly signal: AbortSignal } | null =
    null;
  const signalWithin = (outer: AbortSignal) => {
    if (unused === null || unused.outer !== outer || unused.own.signal.aborted) {
      const own = new AbortController();
      unused = { outer, own, signal: AbortSignal.any([outer, own.signal]) };
    }
    return unused;
  };
  const look = (): void => {
    const pending = cut === null ? null : pendingControl(loop, consumed);
    if (pending !== null && (pending.isUrgent || (isWaiting && ['pause', 'stop'].includes(pending.wanted ?? ''))))
      cut?.abort();
  };
  let unwatch: (() => void) | null = null;
  const performWhileWatching = async (action: Action, at: Parameters<Perform>[1]): Promise<Performed> => {
    const { own, signal } = signalWithin(at.signal);
    cut = own;
    isWaiting = action.do === 'step' && action.isWait === true;
    // One watch for all runs of the loop.
    unwatch ??= watchControl(loop, look);
    look();
    try {
      // A run was started and must be ended; nothing else begins once the command has come.
      if (own.signal.aborted && action.do !== 'await') return { result: CUT_OFF };
      const performed = await perform(action, { ...at, signal });
      const isCutOff = own.signal.aborted && performed.result.kind === 'interrupted';
      return isCutOff ? { ...performed, result: { ...performed.result, byCommand: true } } : performed;
    } finally {
      cut = null;
    }
  };
  return {
    perform: (async (action, at) => {
      if (action.do === 'read-inputs' || action.do === 'wait') ({ consumed } = action);
      if (action.do === 'await' || action.do === 'check' || (action.do === 'step' && !action.outward))
        return performWhileWatching(action, at);
      const performed = await perform(action, at);
      const { result } = performed;
      if (action.do === 'read-inputs' && result.kind === 'inputs') {
        const heard = heardBeforeWork(loop, consumed);
        consumed = heard.consumed ?? consumed;
        return { ...performed, result: { ...result, ...heard } };
      }
      if (result.kind === 'waited') consumed = result.consumed ?? consumed;
      return performed;
    }) satisfies Perform,
    close: () => unwatch?.(),
  };
}
