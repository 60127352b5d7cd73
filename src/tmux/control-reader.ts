/**
 * Reads what tmux writes in control mode: replies, each between `%begin` and the `%end` or `%error` of the same
 * numbers, and notifications between them. A pane may show a line that looks like any of these, so only the numbers
 * that a reply began with end it.
 */

export interface Reply {
  /** The command was given on this connection; others, such as those of hooks, are none of ours. */
  readonly isOurs: boolean;
  readonly isError: boolean;
  /** Without the last line feed. */
  readonly text: string;
}

export interface ControlReader {
  /** False when an end came that nothing began: what follows cannot be trusted. */
  push(text: string): boolean;
}

/** `time number flags`, as tmux writes them in `%begin`. */
type Numbers = string;

const BEGIN = /^%begin (\d+ \d+ \d+)$/;
const STRAY_END = /^%(?:end|error) \d+ \d+ \d+$/;

export function controlReader(on: {
  reply(reply: Reply): void;
  /** A line such as `%sessions-changed`. */
  notification(line: string): void;
}): ControlReader {
  let rest = '';
  let open: Numbers | null = null;
  /** How far the rest was searched for the end of the open reply. */
  let searched = 0;

  const readOpen = (numbers: Numbers): boolean => {
    const end = findEnd(rest, numbers, searched);
    if (end === null) {
      searched = Math.max(0, rest.lastIndexOf('\n'));
      return false;
    }
    const isOurs = (Number(numbers.split(' ')[2]) & OURS) !== 0;
    const text = rest.slice(0, Math.max(0, end.at - 1));
    rest = rest.slice(end.next);
    open = null;
    on.reply({ isOurs, isError: end.isError, text });
    return true;
  };

  return {
    push(text) {
      rest += text;
      for (;;) {
        if (open !== null) {
          if (!readOpen(open)) return true;
          continue;
        }
        const lineEnd = rest.indexOf('\n');
        if (lineEnd < 0) return true;
        const line = rest.slice(0, lineEnd);
        rest = rest.slice(lineEnd + 1);
        open = BEGIN.exec(line)?.[1] ?? null;
        searched = 0;
        if (open !== null) continue;
        if (STRAY_END.test(line)) return false;
        if (line !== '') on.notification(line);
      }
    },
  };
}

const OURS = 1;

/** The line that ends the reply: where it stands, and where the next begins. */
function findEnd(
  text: string,
  numbers: Numbers,
  from: number,
): { readonly at: number; readonly next: number; readonly isError: boolean } | null {
  const tail = ` ${numbers}\n`;
  for (let at = text.indexOf(tail, from); at >= 0; at = text.indexOf(tail, at + 1)) {
    const lineStart = text.lastIndexOf('\n', at) + 1;
    const word = text.slice(lineStart, at);
    if (word === '%end' || word === '%error') {
      return { at: lineStart, next: at + tail.length, isError: word === '%error' };
    }
  }
  return null;
}
