/** Watches an agent in its pane: its exit, its screen, its output, and what people order meanwhile. */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../../core/action.ts';
import type { Exit } from '../../../core/outcome.ts';
import type { Duration } from '../../../core/time.ts';
import { readOrder, watchOrders } from '../../../engine/orders.ts';
import type { PerformAt } from '../../../engine/perform.ts';
import { alwaysReady, type Follower, follow, openFollowing } from '../../../process/follow.ts';
import type { DoneMatcher } from '../../../tmux/done-pattern-match.ts';
import { type ScreenWatch, watchScreens } from '../../../tmux/screen-watch.ts';
import { exitOf, isAlive, logIsWhole } from '../../../tmux/window.ts';
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

export type Seen = { readonly bytes: number } & (
  | { readonly by: 'exit'; readonly exit: Exit }
  | { readonly by: 'inactivity' | 'done-pattern' | 'order' }
);

type Ended = 'exit' | 'inactivity' | 'done-pattern' | 'order';

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
  let match: (ended: Ended) => void;
  const matched = new Promise<Ended>((resolve) => {
    match = resolve;
  });
  const follower = follow(
    dirname(files.log),
    [
      {
        name: basename(files.log),
        onChunk: (chunk) => {
          bytes += chunk.length;
          if (done.push(chunk)) match('done-pattern');
        },
      },
    ],
    following,
    alwaysReady,
  );
  try {
    if (promptVia(request.command, request.promptVia, request.sandbox?.kind ?? 'none') === 'paste') {
      const warn = (text: string): void => at.progress({ type: 'notice', text });
      const { paneId: pane } = files.window;
      deliverPrompt({ request, control, pane, promptFile: files.promptFile, signal, warn }).catch((error: unknown) => {
        // An agent that has gone before its prompt came is a short iteration, and is told as that.
        if (!signal.aborted && isAlive(files.window, host.place))
          warn(`the prompt could not be typed: ${String(error)}`);
      });
    }
    const by = await Promise.race([
      matched,
      exited(runs, files, signal),
      ordered(loop.folder, signal),
      shown(screens, files, done, screen?.inactivityMs ?? null, every, signal),
      aborted(at.signal, signal),
    ]);
    return await conclude(by, { runs, files, done, follower, bytes: () => bytes });
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
 * An agent that says the word and leaves is judged by its exit: one that failed completes nothing. One that stays is
 * given a moment to leave by itself.
 */
async function conclude(by: Ended, { runs, files, done, follower, bytes }: Conclusion): Promise<Seen> {
  const { request, host } = runs;
  if (by === 'done-pattern') {
    const deadline = Date.now() + request.secondMs;
    while (isAlive(files.window, host.place) && Date.now() < deadline)
      await sleep(Math.min(LOOK_EVERY, request.secondMs));
    if (isAlive(files.window, host.place)) return { by, bytes: bytes() };
  } else if (by !== 'exit') return { by, bytes: bytes() };
  const folder = windowFolder({ path: request.home }, request.name);
  await logIsWhole(folder, files.window);
  await follower.drain();
  const exit = exitOf(folder, files.window) ?? { by: 'unseen' };
  const succeeded = exit.by === 'code' && exit.code === 0;
  if (succeeded && done.end()) return { by: 'done-pattern', bytes: bytes() };
  return { by: 'exit', exit, bytes: bytes() };
}

async function exited({ host }: PaneRuns, { window }: PaneFiles, signal: AbortSignal): Promise<Ended> {
  while (isAlive(window, host.place) && !signal.aborted) await sleep(LOOK_EVERY);
  return 'exit';
}

function ordered(loop: string, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (readOrder(loop) === 'stop') resolve('order');
    };
    const stop = watchOrders(loop, look);
    signal.addEventListener('abort', stop, { once: true });
    look();
  });
}

/** Of the screen: that it stands still, by a clock that runs from the agent's start; or the word, in what is drawn anew. */
function shown(
  screens: ScreenWatch,
  files: PaneFiles,
  done: DoneMatcher,
  timeout: Duration | null,
  after: Duration,
  over: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve) => {
    const begin = (): void => {
      const stop = screens.watch(files.window.paneId, {
        startedAt: statSync(files.promptFile).mtimeMs,
        onLook: ({ captured, stableFor }) => {
          if (done.look(captured)) resolve('done-pattern');
          else if (timeout !== null && stableFor >= timeout) resolve('inactivity');
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
