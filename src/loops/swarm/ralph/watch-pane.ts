/** Watches an agent in its pane: its exit, its screen, its output, and what people order meanwhile. */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../../core/action.ts';
import type { Exit } from '../../../core/outcome.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { wantedOf, watchControl } from '../../../engine/control.ts';
import type { PerformAt } from '../../../engine/perform.ts';
import { alwaysReady, type Follower, follow, openFollowing } from '../../../process/follow.ts';
import type { DoneMatcher } from '../../../tmux/done-pattern/match.ts';
import { type ScreenWatch, watchScreens } from '../../../tmux/screen-watch.ts';
import { exitedAt, exitOf, isAlive, logIsWhole } from '../../../tmux/window.ts';
import type { Window } from '../../../tmux/window-file.ts';
import { windowFolder } from '../workers/home.ts';
import { deliverPrompt } from './deliver-prompt.ts';
import { listenForDone } from './done-listener.ts';
import { controlWhile } from './pane-control.ts';
import type { PaneRuns } from './pane-run.ts';
import { promptVia } from './prompt-via.ts';

export interface PaneFiles {
  readonly window: Window;
  readonly log: string;
  readonly promptFile: string;
}

/** `endedAt`: of an agent that ended by itself; null where that is not known. */
export type Seen = { readonly bytes: number; readonly endedAt?: Instant | null } & (
  | { readonly by: 'exit'; readonly exit: Exit }
  | { readonly by: 'inactivity' | 'done-pattern' | 'order' }
);

type Ended = 'exit' | 'inactivity' | 'order';

/** The process table is looked at, no process is started. */
const LOOK_EVERY: Duration = 100;
/** The seed looks at the screen every two seconds. */
const SCREEN_EVERY_SECONDS = 2;

export async function seeToEnd(
  runs: PaneRuns,
  files: PaneFiles,
  { screen }: Extract<Action, { do: 'await' }>,
  at: PerformAt,
): Promise<Seen> {
  const { request, host, loop } = runs;
  const over = new AbortController();
  const { signal } = over;
  const control = controlWhile(runs.control, files.window, host.place, signal);
  const every = SCREEN_EVERY_SECONDS * request.secondMs;
  const screens = watchScreens({ control, every, now: Date.now });
  const done = listenForDone(screen?.donePattern ?? null, files.promptFile);
  const following = openFollowing(dirname(files.log));
  let bytes = 0;
  const follower = follow(
    dirname(files.log),
    [
      {
        name: basename(files.log),
        onChunk: (chunk) => {
          bytes += chunk.length;
          done.push(chunk);
        },
      },
    ],
    following,
    alwaysReady,
  );
  const warn = (text: string): void => at.progress({ type: 'notice', text });
  /** Null until the agent has its prompt: before that, it has nothing to be active about. */
  let promptedAt: Instant | null = null;
  const deliver = async (): Promise<void> => {
    const { paneId: pane } = files.window;
    try {
      promptedAt = await deliverPrompt({ request, control, pane, promptFile: files.promptFile, signal, warn });
    } catch (error) {
      promptedAt = Date.now();
      // An agent that has gone before its prompt came is a short iteration, and is told as that.
      if (!signal.aborted && isAlive(files.window, host.place)) warn(`the prompt could not be typed: ${String(error)}`);
    }
  };
  try {
    if (promptVia(request.command, request.promptVia, request.sandbox?.kind ?? 'none') === 'paste') void deliver();
    else promptedAt = statSync(files.promptFile).mtimeMs;
    const isInactive = (stableFor: Duration): boolean => {
      const timeout = screen?.inactivityMs ?? Number.POSITIVE_INFINITY;
      return promptedAt !== null && Math.min(stableFor, Date.now() - promptedAt) >= timeout;
    };
    const by = await Promise.race([
      exited(runs, files, signal),
      ordered(loop.folder, signal),
      stoodStill(screens, files, { isInactive, onScreen: (captured) => done.look(captured) }, every, signal),
      aborted(at.signal, signal),
    ]);
    const seen = await conclude(by, { runs, files, done, follower, bytes: () => bytes });
    if (done.isTooSlow) warn('the done pattern took too long on some of the output, which then counts as no match');
    return seen;
  } finally {
    over.abort();
    follower.close();
    following.watch.close();
    screens.close();
  }
}

interface Conclusion {
  readonly runs: PaneRuns;
  readonly files: PaneFiles;
  readonly done: DoneMatcher;
  readonly follower: Follower;
  readonly bytes: () => number;
}

/**
 * The done pattern says what the end of an iteration means, and brings none about: an agent that has said the word may
 * still have work to finish. One that then fails completes nothing.
 */
async function conclude(by: Ended, { runs, files, done, follower, bytes }: Conclusion): Promise<Seen> {
  const { request, loop } = runs;
  // The end of an agent that was killed together with its loop says nothing about its work.
  if (by === 'order' || wantedOf(loop.folder) === 'stop') return { by: 'order', bytes: bytes() };
  const folder = windowFolder({ path: request.home }, request.name);
  if (by === 'exit') await logIsWhole(folder, files.window);
  await follower.drain();
  if (by === 'inactivity') return { by: done.end() ? 'done-pattern' : by, bytes: bytes() };
  const exit = exitOf(folder, files.window) ?? { by: 'unseen' };
  const succeeded = exit.by === 'code' && exit.code === 0;
  const end = { endedAt: exitedAt(folder, files.window), bytes: bytes() };
  return succeeded && done.end() ? { by: 'done-pattern', ...end } : { by, exit, ...end };
}

async function exited({ host }: PaneRuns, { window }: PaneFiles, signal: AbortSignal): Promise<Ended> {
  while (isAlive(window, host.place) && !signal.aborted) await sleep(LOOK_EVERY);
  return 'exit';
}

function ordered(loop: string, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (wantedOf(loop) === 'stop') resolve('order');
    };
    const stop = watchControl(loop, look);
    signal.addEventListener('abort', stop, { once: true });
    look();
  });
}

interface Looks {
  /** By a clock that runs from the agent's start. */
  isInactive(stableFor: Duration): boolean;
  onScreen(captured: string): void;
}

function stoodStill(
  screens: ScreenWatch,
  files: PaneFiles,
  { isInactive, onScreen }: Looks,
  after: Duration,
  over: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    const begin = (): void => {
      const stop = screens.watch(files.window.paneId, {
        startedAt: statSync(files.promptFile).mtimeMs,
        onLook: ({ captured, stableFor }) => {
          onScreen(captured);
          if (isInactive(stableFor)) resolve('inactivity');
        },
        // A pane that is gone has an agent that is gone: its exit is seen elsewhere.
        onGone: () => stop(),
      });
    };
    // Not at once: an agent that is quickly through needs no connection, and tmux 3.3a can fall over one that attaches
    // while windows come and go.
    const timer = setTimeout(begin, after);
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

function aborted(cancel: AbortSignal, over: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    cancel.addEventListener('abort', () => resolve('order'), { once: true, signal: over });
  });
}
