/** Decodes terminal input into keys. A sequence can arrive in pieces, and a lone Esc looks like the start of one. */
import { StringDecoder } from 'node:string_decoder';
import type { Duration } from '../core/time.ts';

export type Key =
  | { readonly is: 'char'; readonly char: string }
  | { readonly is: Named }
  | { readonly is: 'wheel'; readonly by: 1 | -1; readonly row: number }
  | { readonly is: 'click'; readonly row: number }
  | { readonly is: 'paste'; readonly text: string };

type Named =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'back-tab'
  | 'backspace'
  | 'delete'
  | 'ctrl-a'
  | 'ctrl-c'
  | 'ctrl-d'
  | 'ctrl-e'
  | 'ctrl-l'
  | 'ctrl-u'
  | 'ctrl-w'
  | 'ctrl-z';

const CONTROLS: Readonly<Record<string, Named>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0001': 'ctrl-a',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u0005': 'ctrl-e',
  '\u000c': 'ctrl-l',
  '\u0015': 'ctrl-u',
  '\u0017': 'ctrl-w',
  '\u001a': 'ctrl-z',
};

/** What follows `ESC [` or `ESC O`. */
const SEQUENCES: Readonly<Record<string, Named>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'back-tab',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '5~': 'page-up',
  '6~': 'page-down',
};

const ESCAPE = '\u001b';
const [PASTE, PASTE_END] = [`${ESCAPE}[200~`, `${ESCAPE}[201~`];
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of a terminal begin with Esc.
const SEQUENCE = /^\u001b(?:\[([0-?]*)([ -/]*[@-~])|O([@-~]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a key.
const ONLY_CTRL_C = /^\u0003+$/;
/** Characters of a paste that are kept; the rest is dropped. */
const LONGEST_PASTE = 100_000;
/** A sequence that is still incomplete after this time was typed: Esc, perhaps followed by other keys. */
const ESCAPE_MS: Duration = 50;

/** Calls `onKey` for each key. If input stops in the middle of a sequence, it is taken as Esc and single keys. */
export function keyDecoder(onKey: (key: Key) => void) {
  const decoder = new StringDecoder('utf8');
  let waiting = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    if (waiting.startsWith(PASTE)) return;
    const [first = '', ...rest] = waiting;
    waiting = '';
    if (first === ESCAPE) onKey({ is: 'escape' });
    for (const char of rest) take(char);
  };
  const take = (text: string): void => {
    // The end of the paste was lost: without a way out, every further key would become part of it.
    if (waiting.startsWith(PASTE) && ONLY_CTRL_C.test(text)) waiting = '';
    waiting += text;
    while (waiting !== '') {
      const used = nextKey(waiting, onKey);
      if (used === 0) break;
      waiting = waiting.slice(used);
    }
    if (waiting.startsWith(PASTE)) waiting = boundedPaste(waiting);
  };
  return {
    push(bytes: Buffer): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      take(decoder.write(bytes));
      if (waiting !== '') timer = setTimeout(flush, ESCAPE_MS);
    },
    close(): void {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Returns how many characters the first key took; 0 if it is still incomplete. */
function nextKey(text: string, onKey: (key: Key) => void): number {
  if (!text.startsWith(ESCAPE)) {
    const [char = ''] = text;
    const name = CONTROLS[char];
    if (name !== undefined) onKey({ is: name });
    else if (char >= ' ') onKey({ is: 'char', char });
    return char.length;
  }
  if (text.startsWith(PASTE)) return pasteIn(text, onKey);
  const found = SEQUENCE.exec(text);
  if (found === null) return couldGrow(text) ? 0 : withAlt(text, onKey);
  const [whole, parameters = '', final = '', plain = ''] = found;
  const mouse = parameters.startsWith('<') ? mouseKey(parameters.slice(1), final) : null;
  // Modifiers are ignored: `1;5A` (Ctrl-Up) is Up.
  const name = SEQUENCES[plain] ?? SEQUENCES[final === '~' ? `${parameters.split(';', 1)[0]}~` : final];
  if (mouse !== null) onKey(mouse);
  else if (name !== undefined && !parameters.startsWith('<')) onKey({ is: name });
  return whole.length;
}

/** Alt with a key is neither Esc, which would discard typed text, nor the key alone, which may be a command. */
function withAlt(text: string, onKey: (key: Key) => void): number {
  const [, char = ''] = text;
  if (char === ESCAPE || char === '[') {
    onKey({ is: 'escape' });
    return 1;
  }
  if (CONTROLS[char] === 'backspace') onKey({ is: 'ctrl-w' });
  return ESCAPE.length + char.length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const couldGrow = (text: string): boolean => /^\u001b(?:\[[0-?]{0,32}[ -/]*|O)?$/.test(text);

function pasteIn(text: string, onKey: (key: Key) => void): number {
  const end = text.indexOf(PASTE_END);
  if (end < 0) return 0;
  onKey({ is: 'paste', text: text.slice(PASTE.length, end).slice(0, LONGEST_PASTE) });
  return end + PASTE_END.length;
}

/**
 * Keeps the beginning of a paste that is too long, and the last characters, which can be the start of its end sequence.
 * The line break keeps the two apart.
 */
function boundedPaste(text: string): string {
  const most = PASTE.length + LONGEST_PASTE;
  const end = PASTE_END.length - 1;
  return text.length <= most + 1 + end ? text : `${text.slice(0, most)}\n${text.slice(-end)}`;
}

/** `64;10;5M`: button, column and row, counted from 1. */
function mouseKey(parameters: string, final: string): Key | null {
  const [button = -1, , row = 1] = parameters.split(';').map(Number);
  if (button === 64 || button === 65) return { is: 'wheel', by: button === 64 ? -1 : 1, row: row - 1 };
  return button === 0 && final === 'M' ? { is: 'click', row: row - 1 } : null;
}
