/**
 * Makes plain text of what a program wrote to its terminal, chunk by chunk: escape sequences go, and where the cursor
 * was moved elsewhere a new line begins. It is no screen: what is drawn over stays, which is right for a search.
 */
import { StringDecoder } from 'node:string_decoder';

export interface TerminalText {
  push(chunk: Uint8Array): string;
}

/** Any control character, also those of eight bits. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
/** `ESC [ parameters intermediates final`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CSI = /^\u001b\[([0-?]*)[ -/]*([@-~])/;
/** A title, a link, a device's string: until BEL, ST, or an ESC that begins something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRING = /^\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|(?=\u001b[^\\]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const OTHER = /^\u001b[ -/]*[0-~]/;
/** Longer ones are given up: whatever began them was none. */
const LONGEST_SEQUENCE = 64 * 1024;
const LONGEST_STEP = 200;

export function terminalText(): TerminalText {
  const decoder = new StringDecoder('utf8');
  let unread = '';
  /** A carriage return means a new line unless a line feed follows, perhaps in the next chunk. */
  let atLineStart = true;

  const read = (): string => {
    let out = '';
    const write = (text: string): void => {
      if (text === '') return;
      out += text;
      atLineStart = text.endsWith('\n');
    };
    const breakLine = (): void => {
      if (!atLineStart) write('\n');
    };
    for (;;) {
      const at = unread.search(CONTROL);
      if (at < 0) {
        write(unread);
        unread = '';
        return out;
      }
      write(unread.slice(0, at));
      unread = unread.slice(at);
      if (unread[0] !== '\u001b') {
        if (unread[0] === '\t') write(' ');
        // "\r\n" gives one line end: the feed comes to a line that has just begun.
        else if (unread[0] === '\r') {
          if (unread.length === 1) return out;
          if (unread[1] !== '\n') breakLine();
        }
        unread = unread.slice(1);
        continue;
      }
      const csi = CSI.exec(unread);
      const sequence = csi ?? STRING.exec(unread) ?? (/^\u001b[[\]PX^_]/.test(unread) ? null : OTHER.exec(unread));
      if (sequence === null) {
        if (unread.length < LONGEST_SEQUENCE) return out;
        unread = unread.slice(1);
        continue;
      }
      if (csi) move(csi, write, breakLine);
      unread = unread.slice(sequence[0].length);
    }
  };
  return {
    push(chunk) {
      unread += decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      return read();
    },
  };
}

/** To the right is how some programs write blanks; to anywhere else another text begins. */
function move([, parameters = '', final = '']: RegExpExecArray, write: (text: string) => void, breakLine: () => void) {
  if (final === 'C') write(' '.repeat(Math.min(Number(parameters) || 1, LONGEST_STEP)));
  else if ('ABDEFGHJdfLMSTr'.includes(final)) breakLine();
}
