/**
 * Makes plain text of what a program wrote to its terminal, chunk by chunk, without its escape sequences. It is no
 * screen: what is drawn over stays, which is right for a search.
 */
import { StringDecoder } from 'node:string_decoder';
import { textCursor } from './cursor.ts';

export interface TerminalText {
  push(chunk: Uint8Array): string;
}

/** Any control character, also those of eight bits. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
/** `ESC [ parameters intermediates final`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CSI = /\u001b\[([0-?]*)[ -/]*([@-~])/y;
/** A title, a link, a device's string: until BEL, ST, or an ESC that begins something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRING = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|(?=\u001b[^\\]))/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const OTHER = /\u001b[ -/]*[0-OQ-WYZ`-~=>\\]/y;
/** Longer ones are given up: whatever began them was none. */
const LONGEST_SEQUENCE = 64 * 1024;

export function terminalText(): TerminalText {
  const decoder = new StringDecoder('utf8');
  const cursor = textCursor();
  let unread = '';

  return {
    push(chunk) {
      unread += decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      let out = '';
      let at = 0;
      for (;;) {
        CONTROL.lastIndex = at;
        const control = CONTROL.exec(unread)?.index ?? unread.length;
        if (control > at) out += cursor.wrote(unread.slice(at, control));
        at = control;
        if (at === unread.length) break;
        const length = sequenceAt(unread, at, cursor);
        if (length === null && unread.length - at < LONGEST_SEQUENCE) break;
        if (unread[at] === '\n') out += cursor.lineFeed();
        at += length ?? 1;
      }
      unread = unread.slice(at);
      return out;
    },
  };
}

/** How long the control sequence is that begins there; null while its end is still to come. */
function sequenceAt(text: string, at: number, cursor: ReturnType<typeof textCursor>): number | null {
  switch (text[at]) {
    case '\r':
      cursor.carriageReturn();
      return 1;
    case '\t':
      cursor.moved('1', 'C');
      return 1;
    case '\b':
      cursor.moved('1', 'D');
      return 1;
    case '\u001b':
      break;
    default:
      return 1;
  }
  const csi = matchAt(CSI, text, at);
  if (csi) cursor.moved(csi[1] ?? '', csi[2] ?? '');
  return (csi ?? matchAt(STRING, text, at) ?? matchAt(OTHER, text, at))?.[0].length ?? null;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
