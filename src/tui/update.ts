/** What a key or an event changes on the screen, and which effects it asks for. Pure. */
import type { Key } from './keys.ts';
import { layoutOf } from './layout.ts';
import { chosen, compared, followed, found, type Look, moved, onClick, onTab, onWheel, turned } from './movement.ts';
import { isLoopKey } from './refusal.ts';
import { type Notice, type Size, tabsFor, type UiState } from './state.ts';
import { NOTHING_TYPED, typedBy } from './typing.ts';

export type UiEvent =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'resize'; readonly size: Size }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The loops have changed. */
  | { readonly type: 'data' };

export type Effect =
  | { readonly do: 'quit' | 'suspend' | 'redraw' }
  | { readonly do: 'pause' | 'stop' | 'resume' | 'attach' | 'page'; readonly id: string }
  | { readonly do: 'tell' | 'answer'; readonly id: string; readonly text: string };

export interface Updated {
  readonly state: UiState;
  readonly effects: readonly Effect[];
}

/** `lookAt` is called again after a key, because a key can change what is listed. */
export function update(state: UiState, event: UiEvent, lookAt: (state: UiState) => Look): Updated {
  switch (event.type) {
    case 'resize':
      return only(kept({ ...state, size: event.size }, lookAt));
    case 'data':
      return only(kept(state, lookAt));
    case 'notice':
      return only(kept({ ...state, notice: event.notice }, lookAt));
    case 'key': {
      const { state: next, effects } = onKey({ ...state, notice: null }, event.key, lookAt(state));
      return { state: kept(next, lookAt), effects };
    }
  }
}

const only = (state: UiState, ...effects: Effect[]): Updated => ({ state, effects });

/** Keeps the selection on a loop that is listed and visible. An open loop need not match the filter. */
function kept(state: UiState, lookAt: (state: UiState) => Look): UiState {
  const { ids, isThere, kindOf } = lookAt(state);
  const { selected: before } = state;
  if (state.at === 'loop' && (before === null || !isThere(before))) return gone(state, lookAt);
  const isShown = before !== null && (ids.includes(before) || state.at === 'loop');
  const selected = isShown ? before : (ids[Math.min(state.row, ids.length - 1)] ?? null);
  const { list } = layoutOf({ ...state, at: 'list' }, ids.length);
  const row = selected === null ? 0 : Math.max(0, ids.indexOf(selected));
  const top = Math.max(0, Math.min(state.top, row, ids.length - list), row - list + 1);
  const same = selected === state.selected;
  const tab = selected === null || tabsFor(kindOf(selected)).includes(state.tab) ? state.tab : 'stream';
  const base = { ...state, selected, top, row, tab };
  return same ? base : chosen(base, selected);
}

/** The open loop was deleted; what was being typed or asked was about it, and is dropped. */
function gone(state: UiState, lookAt: (state: UiState) => Look): UiState {
  const notice = { text: 'The open loop no longer exists.', isError: true };
  return kept({ ...state, at: 'list', mode: { is: 'normal' }, notice }, lookAt);
}

function onKey(state: UiState, key: Key, look: Look): Updated {
  if (key.is === 'ctrl-c') {
    // As in a shell, Ctrl-C first cancels what is being typed or asked.
    if (state.mode.is === 'normal' || state.mode.is === 'help') return only(state, { do: 'quit' });
    return onKey(state, { is: 'escape' }, look);
  }
  if (key.is === 'ctrl-z') return only(state, { do: 'suspend' });
  if (key.is === 'ctrl-l') return only(state, { do: 'redraw' });
  switch (state.mode.is) {
    case 'help':
      return only({ ...state, mode: onHelp(state, state.mode.top, key, look) });
    case 'confirm':
      return onConfirm(state, state.mode, key);
    case 'filter':
    case 'say':
      return onTyping(state, state.mode, key, look);
    case 'normal':
      return onNormal(state, key, look);
  }
}

/** If all of the help is visible, there is nothing to scroll, and any key closes it. */
function onHelp({ size }: UiState, top: number, key: Key, look: Look): UiState['mode'] {
  const last = look.lastHelpTop();
  const by = key.is === 'wheel' ? key.by * WHEEL_LINES : stepOf(key, size.rows - 2);
  if (last === 0 || by === null) return { is: 'normal' };
  return { is: 'help', top: Math.max(0, Math.min(last, Math.min(top, last) + by)) };
}

function onConfirm(state: UiState, { what, id }: UiState['mode'] & { is: 'confirm' }, key: Key): Updated {
  const next: UiState = { ...state, mode: { is: 'normal' } };
  if (key.is === 'char' && /^y$/i.test(key.char)) return only(next, { do: what, id });
  if (key.is === 'escape' || key.is === 'enter' || (key.is === 'char' && /^n$/i.test(key.char)))
    return only({ ...next, notice: { text: 'Nothing was changed.', isError: false } });
  return only(state);
}

function onTyping(state: UiState, mode: UiState['mode'] & { is: 'filter' | 'say' }, key: Key, look: Look): Updated {
  const typed = typedBy(key, mode);
  if (typed !== null) {
    const next = { ...state, mode: { ...mode, ...typed } };
    return only(mode.is === 'filter' && state.at === 'list' ? { ...next, filter: typed.text } : next);
  }
  const normal: UiState = { ...state, mode: { is: 'normal' } };
  if (mode.is === 'filter') {
    if (key.is === 'escape') return only(state.at === 'list' ? { ...normal, filter: mode.before } : normal);
    if (key.is !== 'enter') return only(state);
    return only(state.at === 'list' ? normal : found({ ...normal, search: mode.text, hit: null }, 1, look));
  }
  if (key.is === 'escape') return only({ ...normal, notice: { text: 'Nothing was sent.', isError: false } });
  if (key.is !== 'enter') return only(state);
  if (mode.text.trim() === '') return only({ ...normal, notice: { text: 'Nothing was sent.', isError: false } });
  return only(normal, { do: mode.as, id: mode.id, text: mode.text.trim() });
}

function onNormal(state: UiState, key: Key, look: Look): Updated {
  const page = Math.max(1, layoutOf(state, look.ids.length)[state.at === 'list' ? 'list' : 'pane'] - 1);
  const by = stepOf(key, page);
  if (by !== null) return only(moved(state, by, look));
  switch (key.is) {
    case 'char':
      return onLetter(state, key.char, look);
    case 'wheel':
      return only(onWheel(state, key.by * WHEEL_LINES, key.row, look));
    case 'click':
      return only(onClick(state, key.row, look));
    case 'left':
    case 'back-tab':
      return only(turned(state, -1, look));
    case 'right':
    case 'tab':
      return only(turned(state, 1, look));
    case 'enter':
      return only(state.selected === null ? state : { ...state, at: 'loop' });
    case 'escape':
      return only(back(state));
    default:
      return only(state);
  }
}

const WHEEL_LINES = 3;

/** By how many lines a key moves; null if it does not move. */
function stepOf(key: Key, page: number): number | null {
  switch (key.is === 'char' ? key.char : key.is) {
    case 'up':
    case 'k':
      return -1;
    case 'down':
    case 'j':
      return 1;
    case 'page-up':
      return -page;
    case 'page-down':
      return page;
    case 'home':
    case 'g':
      return Number.NEGATIVE_INFINITY;
    case 'end':
    case 'G':
      return Number.POSITIVE_INFINITY;
    default:
      return null;
  }
}

/** Leaves the open loop, or else clears the filter. */
function back(state: UiState): UiState {
  if (state.at === 'loop') return { ...state, at: 'list' };
  return state.filter === '' ? state : { ...state, filter: '' };
}

function onLetter(state: UiState, char: string, look: Look): Updated {
  const { selected: id } = state;
  switch (char) {
    case 'q':
      return only(state, { do: 'quit' });
    case '?':
      return only({ ...state, mode: { is: 'help', top: 0 } });
    case '/': {
      const before = state.at === 'list' ? state.filter : state.search;
      return only({
        ...state,
        mode: { is: 'filter', ...NOTHING_TYPED, before },
        ...(state.at === 'list' ? { filter: '' } : {}),
      });
    }
    case 'n':
    case 'N': {
      const by = char === 'n' ? 1 : -1;
      return only(state.at === 'list' ? moved(state, by, look) : found(state, by, look));
    }
    case 'f':
      return only(followed(state, look));
    default:
      return id === null ? only(state) : onLoopLetter(state, id, char, look);
  }
}

function stopQuestion(id: string, look: Look): string {
  const name = look.nameOf(id);
  const isLeft = !look.isTurned(id) && look.kindOf(id) !== 'session';
  if (isLeft) return `Loop ${name} has no supervisor. End its agent, if that is still at work?`;
  return `Stop loop ${name} after this iteration?`;
}

function onLoopLetter(state: UiState, id: string, char: string, look: Look): Updated {
  const refusal = isLoopKey(char) ? look.refusal(char, id) : null;
  if (refusal !== null) return only({ ...state, notice: { text: refusal, isError: true } });
  const say = (as: 'tell' | 'answer'): Updated => only({ ...state, mode: { is: 'say', as, id, ...NOTHING_TYPED } });
  const asked = (what: 'stop' | 'resume', question: string): Updated =>
    only({ ...state, mode: { is: 'confirm', what, id, question } });
  switch (char) {
    case 'p':
      return only(state, { do: 'pause', id });
    case 'r':
      if (look.isTurned(id)) return only(state, { do: 'resume', id });
      return asked('resume', `Resume loop ${look.nameOf(id)} in the background?`);
    case 's':
      return asked('stop', stopQuestion(id, look));
    case 't':
      return say('tell');
    case 'a':
      return say('answer');
    case 'A':
      return only(state, { do: 'attach', id });
    case 'o':
      return only(state, { do: 'page', id });
    case 'd':
      return only({ ...onTab(state, 'diff'), iteration: look.iterations().at(-1) ?? null });
    case '[':
    case ']':
      return only(state.tab === 'diff' ? compared(state, char === '[' ? -1 : 1, look) : state);
    default: {
      const tab = /^[1-9]$/.test(char) ? tabsFor(look.kindOf(id))[Number(char) - 1] : undefined;
      return only(tab === undefined ? state : onTab(state, tab));
    }
  }
}
