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

/** `time number flags`, as tmux writes them. */
const BEGIN = /^%begin (\d+ \d+ (\d+))$/;
const STRAY_END = /^%(?:end|error) \d+ \d+ \d+$/;
const OURS = 1;

export function controlReader(on: {
  reply(reply: Reply): void;
  /** A line such as `%sessions-changed`. */
  notification(line: string): void;
}): ControlReader {
  let unread = '';
  let open: { readonly numbers: string; readonly isOurs: boolean; readonly lines: string[] } | null = null;

  const read = (line: string): boolean => {
    if (open !== null) {
      const { numbers, isOurs, lines } = open;
      const isError = line === `%error ${numbers}`;
      if (!isError && line !== `%end ${numbers}`) lines.push(line);
      else {
        open = null;
        on.reply({ isOurs, isError, text: lines.join('\n') });
      }
      return true;
    }
    const [, numbers, flags] = BEGIN.exec(line) ?? [];
    if (numbers !== undefined) open = { numbers, isOurs: (Number(flags) & OURS) !== 0, lines: [] };
    else if (STRAY_END.test(line)) return false;
    else if (line !== '') on.notification(line);
    return true;
  };

  return {
    push(text) {
      const lines = `${unread}${text}`.split('\n');
      unread = lines.pop() ?? '';
      return lines.every(read);
    },
  };
}
