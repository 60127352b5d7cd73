/** `ralph top`: loops and keys come in, lines go out. Everything that lasts longer than a redraw is wired together here. */
import type { ColorDepth } from '../config/color.ts';
import { RalphError } from '../core/error.ts';
import { linesOf } from '../core/text/lines-of.ts';
import type { Mask } from '../core/text/mask.ts';
import type { Duration, Instant } from '../core/time.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';
import { chosenItem, shownItems } from './chosen.ts';
import { type Commands, type LoopEffect, performed, type Sources } from './commands.ts';
import type { Snapshot } from './data.ts';
import { layoutOf } from './layout.ts';
import { type LiveDetail, LOOK_EVERY_MS, liveDetail, REST_MS } from './live/detail.ts';
import { liveLoops } from './live/loops.ts';
import { lookAt } from './look.ts';
import { paletteOf } from './palette.ts';
import { firstState, type Size, type Tab } from './state.ts';
import { openScreen, type Screen } from './terminal.ts';
import { type Effect, type UiEvent, update } from './update.ts';
import { type Drawing, frameOf } from './views/frame.ts';
import { panelName } from './views/pane.ts';
import { checksIn } from './views/tabs/checks.ts';

export interface TopOptions {
  readonly store: LoopStore;
  readonly commands: Commands;
  readonly sources: Sources;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly depth: ColorDepth;
  readonly mask: Mask;
  readonly cwd: string;
  readonly clock: (at: Instant) => string;
  readonly all: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const TICK_MS: Duration = 1000;
/** What loops do is drawn at most so often; a key is answered at once. */
const REDRAW_MS: Duration = 250;
/** Stories and messages are written by others: they are read again so often while they are looked at. */
const REREAD_MS: Duration = 2000;

export async function runTop(options: TopOptions): Promise<void> {
  const { store, signal, stdout, stdin, mask, cwd, clock, all } = options;
  const { promise: over, resolve: end } = promised();
  const now = (): Instant => Date.now();
  const paint = paletteOf(options.depth);
  // Some terminals do not tell.
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  let state = firstState(size());
  let detail: LiveDetail | null = null;
  /** So many columns. */
  let madeFor = 0;
  let drawing: NodeJS.Timeout | null = null;
  let choosing: NodeJS.Timeout | null = null;
  let wanted: { readonly name: string; readonly records: number; readonly at: number } | null = null;
  let isAway = false;
  /** While another program has the terminal. */
  let lent: Promise<void> = Promise.resolve();

  const loops = liveLoops({ store, all, now, mask, onChange: () => drawSoon(REDRAW_MS) });
  const snapshot = (isForKey = false): Snapshot => {
    return { ...loops.snapshot(), detail: detail?.snapshot({ isForKey }) ?? null };
  };
  const around = (): Drawing => ({ now: now(), cwd, clock, paint });

  const updated = (event: UiEvent, shown: Snapshot): readonly Effect[] => {
    const { state: next, effects } = update(state, event, (of) => lookAt(of, shown, around()));
    state = next;
    return effects;
  };
  const take = (event: UiEvent): void => {
    for (const effect of updated(event, snapshot(event.type === 'key'))) perform(effect);
    draw();
  };
  const draw = (): void => {
    if (drawing !== null) clearTimeout(drawing);
    drawing = null;
    const shown = snapshot();
    updated({ type: 'data' }, shown);
    follow();
    if (isAway) return;
    loops.look(inSight(shown));
    if (!screen.show(frameOf(state, shown, around()))) drawSoon(REDRAW_MS);
  };
  const drawSoon = (delay: Duration): void => {
    drawing ??= setTimeout(draw, delay);
  };
  const inSight = (shown: Snapshot): readonly string[] => {
    const ids = shownItems(shown, state.filter).map(({ loop }) => loop.id);
    const rows = ids.slice(state.top, state.top + layoutOf({ ...state, at: 'list' }, ids.length).list);
    return state.selected === null || rows.includes(state.selected) ? rows : [...rows, state.selected];
  };
  const isCurrent = (id: string | null): boolean => detail?.id === id && madeFor === state.size.columns;
  /** The chosen loop is read once a person rests on it, and again for a screen of another width. */
  const follow = (): void => {
    if (isCurrent(state.selected)) {
      readPanel();
      return;
    }
    if (choosing !== null) return;
    choosing = setTimeout(
      () => {
        choosing = null;
        const item = chosenItem(state, snapshot());
        if (item === null || isCurrent(item.loop.id)) return;
        detail?.close();
        wanted = null;
        madeFor = state.size.columns;
        const width = madeFor - 2;
        const isRead = (): boolean => state.tab === 'stream' && state.scroll !== null;
        detail = liveDetail({ store, loop: item.loop, mask, width, isRead, onChange: () => drawSoon(REDRAW_MS) });
        readPanel();
      },
      detail === null ? 0 : REST_MS,
    );
  };
  /** The text of the tab that is shown: when it is first looked at, when the loop has got on, and now and then. */
  const readPanel = (): void => {
    const item = chosenItem(state, snapshot());
    const one = detail;
    if (item === null || one === null || one.id !== item.loop.id) return;
    const log = chosenLog();
    const name = panelName(state, log);
    const isLive = name === 'stories' || name === 'bus';
    if (name === null) return;
    const isSame = wanted?.name === name && (!isLive || performance.now() - wanted.at < REREAD_MS);
    if (isSame && wanted?.records === one.records()) return;
    wanted = { name, records: one.records(), at: performance.now() };
    const { tab, iteration } = state;
    void one.read(name, () => textOf(tab, item.loop, iteration, log));
  };
  const chosenLog = (): string | null => {
    if (state.tab !== 'checks') return null;
    return checksIn(detail?.snapshot().timeline ?? null)[state.cursor]?.log ?? null;
  };
  const textOf = async (tab: Tab, loop: ReadableLoop, iteration: number | null, log: string | null) => {
    const { sources } = options;
    switch (tab) {
      case 'stories':
        return sources.stories(loop);
      case 'bus':
        return sources.bus(loop);
      case 'diff':
        return sources.diff(loop, iteration);
      case 'checks':
        return log === null ? [] : sources.log(loop, log);
      case 'stream':
      case 'commits':
      case 'cost':
      case 'time line':
        return [];
    }
  };

  const perform = (effect: Effect): void => {
    if ('id' in effect) void command(effect).then(told, failed);
    else if (effect.do === 'quit') end();
    else if (effect.do === 'suspend') screen.suspend();
    else screen.redraw();
  };
  const command = async (effect: LoopEffect): Promise<readonly string[]> => {
    if (effect.do === 'resume') take({ type: 'notice', notice: { text: 'Resuming …', isError: false } });
    const item = chosenItem(state, snapshot());
    try {
      return await performed(effect, options, { lend, loop: item?.loop ?? null, log: chosenLog() });
    } finally {
      loops.refresh(effect.id);
    }
  };
  const lend = async (use: () => Promise<void>): Promise<void> => {
    if (isAway) return;
    isAway = true;
    try {
      const back = screen.lend(async () => {
        await use();
        isAway = false;
      });
      lent = back.catch(() => undefined);
      await back;
    } finally {
      isAway = false;
      draw();
    }
  };
  const told = (lines: readonly string[]): void => {
    if (lines.length > 0) take({ type: 'notice', notice: { text: lines.join(' '), isError: false } });
  };
  const failed = (error: unknown): void => {
    const text = error instanceof RalphError ? linesOf(error.message, error.advice.hint).join('. ') : String(error);
    take({ type: 'notice', notice: { text, isError: true } });
  };

  const screen: Screen = openScreen(
    { stdin, stdout },
    {
      onKey: (key) => take({ type: 'key', key }),
      onResize: () => take({ type: 'resize', size: size() }),
    },
  );
  const tick = async (): Promise<void> => {
    await loops.tick();
    readPanel();
    // The clock, and how long an agent has been quiet.
    drawSoon(0);
  };
  let isTicking = false;
  const tickOnce = async (): Promise<void> => {
    if (isTicking) return;
    isTicking = true;
    try {
      await tick();
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isTicking = false;
    }
  };
  const lookAtAgent = (): void => {
    const item = chosenItem(state, snapshot());
    if (item !== null && item.loop.id === detail?.id && item.loop.transcript !== null) void detail.look();
  };
  const timers = [setInterval(() => void tickOnce(), TICK_MS), setInterval(lookAtAgent, LOOK_EVERY_MS)];
  const abort = (): void => end();
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([loops.tick(), over]);
    // What is read of a loop depends on whether it is on the screen.
    draw();
    void tickOnce();
    await over;
  } finally {
    signal.removeEventListener('abort', abort);
    for (const timer of timers) clearInterval(timer);
    for (const timer of [drawing, choosing]) if (timer !== null) clearTimeout(timer);
    isAway = true;
    screen.close();
    await lent;
    loops.close();
    (detail as LiveDetail | null)?.close();
  }
}

function promised(): { readonly promise: Promise<void>; resolve(error?: Error): void } {
  let done: (error?: Error) => void = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    done = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { promise, resolve: done };
}
