/** Watches an agent in its pane: its exit, its screen, its output, and what people order meanwhile. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../../core/action.ts';
import type { Exit } from '../../../core/outcome.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { wantedOf, watchControl } from '../../../engine/control.ts';
import type { PerformAt } from '../../../engine/performers/perform.ts';
import { alwaysReady, follow } from '../../../process/follow.ts';
import type { MachineIdentity } from '../../../process/identity/identity.ts';
import { describeRefusal, parseRefusal } from '../../../runners/sandbox/refusals.ts';
import { outputFile } from '../../../state/run-files.ts';
import { lineSplitter } from '../../../stream/lines.ts';
import { type Control, TmuxGone } from '../../../tmux/control.ts';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { type DoneMatcher, doneMatcher } from '../../../tmux/done-pattern/match.ts';
import { watchScreen } from '../../../tmux/screen.ts';
import { exitedAt, exitOf, isAlive, logIsWhole } from '../../../tmux/window.ts';
import type { Window } from '../../../tmux/window-file.ts';
import { refusalsFile } from './find.ts';
import type { PaneRuns } from './pane-run.ts';
import { deliverPrompt, promptVia } from './prompt.ts';

/** `endedAt`: of an agent that ended by itself; null where that is not known. */
export type Seen = { readonly bytes: number; readonly endedAt?: Instant | null } & (
  | { readonly by: 'exit'; readonly exit: Exit }
  | { readonly by: 'inactivity' | 'done-pattern' | 'order' }
);

type Ended = 'exit' | 'inactivity' | 'order';

export interface PaneWatch {
  readonly runs: PaneRuns;
  readonly window: Window;
  readonly promptFile: string;
  readonly screen: Extract<Action, { do: 'await' }>['screen'];
  readonly output: RunOutput;
}

/** The process table is looked at, no process is started. */
const LOOK_EVERY: Duration = 100;
/** The seed looks at the screen every two seconds. */
const SCREEN_EVERY_SECONDS = 2;

export async function seeToEnd(watch: PaneWatch, at: PerformAt): Promise<Seen> {
  const { runs, window, promptFile, screen, output } = watch;
  const { request, host, loop } = runs;
  const over = new AbortController();
  const { signal } = over;
  const control = controlWhile(runs.control, window, host.place, signal);
  const warn = (text: string): void => at.progress({ type: 'notice', text });
  /** Null until the agent has its prompt: before that, it has nothing to be active about. */
  let promptedAt: Instant | null = null;
  const deliver = async (): Promise<void> => {
    try {
      promptedAt = await deliverPrompt({ request, control, pane: window.paneId, promptFile, signal, warn });
    } catch (error) {
      promptedAt = Date.now();
      // An agent that has gone before its prompt came is a short iteration, and is reported as that.
      if (!signal.aborted && isAlive(window, host.place)) warn(`the prompt could not be typed: ${String(error)}`);
    }
  };
  const stoodStill = async (): Promise<Ended> => {
    const every = SCREEN_EVERY_SECONDS * request.secondMs;
    // Not at once: an agent that is quickly through needs no connection, and tmux 3.3a can fall over one that attaches
    // while windows come and go.
    await sleep(every, undefined, { signal }).catch(() => undefined);
    const startedAt = statSync(promptFile).mtimeMs;
    return new Promise((resolve) => {
      const onLook = ({ captured, stableFor }: { captured: string; stableFor: Duration }): void => {
        output.look(captured);
        const timeout = screen?.inactivityMs ?? Number.POSITIVE_INFINITY;
        if (promptedAt !== null && Math.min(stableFor, Date.now() - promptedAt) >= timeout) resolve('inactivity');
      };
      // A pane that is gone has an agent that is gone: its exit is seen elsewhere.
      const onGone = (): void => undefined;
      void watchScreen({ control, pane: window.paneId, every, startedAt, onLook, onGone, signal });
    });
  };
  try {
    if (promptVia(request) === 'paste') void deliver();
    else promptedAt = statSync(promptFile).mtimeMs;
    const by = await Promise.race([
      exited(window, host.place, signal),
      ordered(loop.folder, at.signal, signal),
      stoodStill(),
    ]);
    const seen = await conclude(by, watch);
    if (output.done.isTooSlow)
      warn('the done pattern took too long on some of the output, which then counts as no match');
    return seen;
  } finally {
    over.abort();
  }
}

/**
 * The done pattern says what the end of an iteration means, and brings none about: an agent that has said the word may
 * still have work to finish. One that then fails completes nothing.
 */
async function conclude(by: Ended, { runs, window, output }: PaneWatch): Promise<Seen> {
  const { loop, windowFolder: folder } = runs;
  // The end of an agent that was killed together with its loop says nothing about its work.
  if (by === 'order' || wantedOf(loop.folder) === 'stop') return { by: 'order', bytes: output.bytes() };
  if (by === 'exit') await logIsWhole(folder, window);
  await output.drain();
  const bytes = output.bytes();
  if (by === 'inactivity') return { by: output.done.end() ? 'done-pattern' : by, bytes };
  const exit = exitOf(folder, window) ?? { by: 'unseen' };
  const end = { endedAt: exitedAt(folder, window), bytes };
  const succeeded = exit.by === 'code' && exit.code === 0;
  return succeeded && output.done.end() ? { by: 'done-pattern', ...end } : { by, exit, ...end };
}

async function exited(window: Window, place: MachineIdentity, signal: AbortSignal): Promise<Ended> {
  while (isAlive(window, place) && !signal.aborted) await sleep(LOOK_EVERY);
  return 'exit';
}

/** Stopped from outside, or by the supervisor's own end. */
function ordered(loop: string, cancel: AbortSignal, over: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (wantedOf(loop) === 'stop') resolve('order');
    };
    const stop = watchControl(loop, look);
    over.addEventListener('abort', stop, { once: true });
    cancel.addEventListener('abort', () => resolve('order'), { once: true, signal: over });
    look();
  });
}

/**
 * The supervisor's connection to tmux, for the time of one agent in one pane. Panes of a new server have the numbers of
 * the old one's: what was meant for an agent that is gone must not be typed into another pane of its number.
 */
function controlWhile(control: Control, window: Window, place: MachineIdentity, over: AbortSignal): Control {
  const gone = (): TmuxGone | null =>
    over.aborted || !isAlive(window, place) ? new TmuxGone('lost', 'the agent has ended') : null;
  return {
    send(command) {
      const error = gone();
      return error === null ? control.send(command) : Promise.reject(error);
    },
    sendAll(commands) {
      const error = gone();
      return error === null ? control.sendAll(commands) : Promise.resolve(commands.map(() => ({ ok: false, error })));
    },
    close() {
      // The connection is the supervisor's, who goes on with it.
    },
  };
}

export type RunOutput = ReturnType<typeof followOutput>;

/** What a run writes: its output, in which the done pattern is looked for, and what its sandbox refuses it. */
export function followOutput(
  { folder, run, donePattern }: { readonly folder: string; readonly run: string; readonly donePattern: string | null },
  promptFile: string,
  at: Pick<PerformAt, 'progress'>,
) {
  const done =
    donePattern === null ? NO_PATTERN : doneMatcher(parseDonePattern(donePattern), readFileSync(promptFile, 'utf8'));
  let bytes = 0;
  let refusals = 0;
  let lastScreen = '';
  const lines = lineSplitter({
    onLine: (line) => {
      for (const refusal of parseRefusal(line.toString('utf8'))) {
        refusals++;
        at.progress({ type: 'refusal', text: describeRefusal(refusal) });
      }
    },
  });
  const onChunk = (chunk: Buffer): void => {
    bytes += chunk.length;
    done.push(chunk);
  };
  const refused = { name: refusalsFile(run), onChunk: (chunk: Buffer) => lines.push(chunk) };
  // A run without a sandbox has no such file.
  const files = [{ name: outputFile(run), onChunk }, ...(existsSync(join(folder, refused.name)) ? [refused] : [])];
  const follower = follow(folder, files, alwaysReady);
  return {
    done,
    /** Takes a captured screen. */
    look(screen: string): void {
      lastScreen = screen;
      done.look(screen);
    },
    lastScreen: () => lastScreen,
    bytes: () => bytes,
    /** Reads everything that is there now. */
    drain: () => follower.drain(),
    /** When the run is over: reads the rest, and returns how often its sandbox refused it something. */
    async end() {
      await follower.drain();
      lines.end();
      return refusals;
    },
    close: () => follower.close(),
  };
}

const NO_PATTERN: DoneMatcher = { push: () => false, look: () => false, end: () => false, isTooSlow: false };
