/**
 * Draws one line at the bottom of a terminal, in place. The cursor rests at its beginning, so that whatever comes next
 * can erase all of it, even after a narrower terminal has wrapped it. Nothing scrolls or waits for the terminal.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { errnoOf } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';

const REDRAW_MS: Duration = 250;
const CLOCK_MS: Duration = 1000;

const ERASE = '\r\u001b[J';
/** The terminal must not wrap while the line is drawn: it may count a character as wider than we do. */
const [NO_WRAP, WRAP] = ['\u001b[?7l', '\u001b[?7h'];
const [DIM, PLAIN] = ['\u001b[2m', '\u001b[22m'];

export interface StatusLine {
  /** Called when something that it shows has changed. */
  changed(): void;
  /** Returns the text, which must end with a line end, so that the status line stays below it on the same terminal. */
  above(sink: NodeJS.WriteStream, text: string): string;
  close(): void;
}

interface Drawing {
  /** Must be a terminal. */
  readonly stderr: NodeJS.WriteStream;
  readonly color: boolean;
  readonly text: (columns: number) => string;
}

export function openStatusLine({ stderr, color, text }: Drawing): StatusLine {
  const screen = openScreen(stderr);
  /** What is on the screen; null for nothing. */
  let drawn: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  let isClosed = false;

  const draw = (): void => {
    const line = text(stderr.columns || 80);
    // In the background, another program has the terminal.
    if (!isForeground()) drawn = null;
    else if (line !== drawn) {
      const shown = color ? `${DIM}${line}${PLAIN}` : line;
      const wanted = `\r${NO_WRAP}${shown}\u001b[J${WRAP}\r`;
      if (screen.put(wanted)) drawn = line;
    }
  };
  const erase = (): void => {
    if (drawn !== null && screen.put(ERASE)) drawn = null;
  };
  const plan = (delay: Duration): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(tick, delay);
    // The loop keeps the program alive, not its status line.
    timer.unref();
  };
  const tick = (): void => {
    isDue = false;
    draw();
    plan(CLOCK_MS);
  };
  const redraw = (): void => {
    if (!isClosed) tick();
  };
  /** Leaves a clean line to the shell that takes over. */
  const suspend = (): void => {
    erase();
    process.off('SIGTSTP', suspend);
    process.once('SIGCONT', resumed);
    process.kill(process.pid, 'SIGTSTP');
  };
  const resumed = (): void => {
    if (isClosed) return;
    process.on('SIGTSTP', suspend);
    redraw();
  };
  stderr.on('resize', redraw);
  process.on('SIGTSTP', suspend);
  // Erases the line before an uncaught error is printed.
  process.on('uncaughtExceptionMonitor', close);
  process.on('exit', close);
  plan(REDRAW_MS);

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    if (timer !== null) clearTimeout(timer);
    stderr.off('resize', redraw);
    process.off('SIGTSTP', suspend);
    process.off('SIGCONT', resumed);
    process.off('uncaughtExceptionMonitor', close);
    process.off('exit', close);
    erase();
    // A terminal that is stopped (Ctrl-S) gets this with the closing lines, which also wait for it.
    if (drawn !== null) stderr.write(ERASE);
    drawn = null;
    screen.close();
  }
  return {
    changed() {
      if (isDue || isClosed) return;
      isDue = true;
      plan(REDRAW_MS);
    },
    above(sink, given) {
      if (drawn === null || !screen.isSame(sink)) return given;
      const line = color ? `${DIM}${drawn}${PLAIN}` : drawn;
      return `${ERASE}${given}${NO_WRAP}${line}${WRAP}\r`;
    },
    close,
  };
}

/** Opens the terminal without blocking: one that is stopped (Ctrl-S) takes nothing, and must not hold up the loop. */
function openScreen(stderr: NodeJS.WriteStream) {
  const fd = openTerminal(['/proc/self/fd/2', '/dev/tty']);
  const same = new Set([stderr]);
  return {
    /** Returns false if the terminal took nothing. */
    put(text: string): boolean {
      if (fd === null) return stderr.write(text) || true;
      try {
        writeSync(fd, text);
        return true;
      } catch (error) {
        // EIO: the terminal is gone. Whatever the error is, a status line is no reason to stop.
        if (errnoOf(error) === undefined) throw error;
        return false;
      }
    },
    isSame(sink: NodeJS.WriteStream): boolean {
      if (!same.has(sink) && sink.isTTY && deviceOf(sink) === deviceOf(stderr)) same.add(sink);
      return same.has(sink);
    },
    close: (): void => {
      if (fd !== null) closeSync(fd);
    },
  };
}

function openTerminal(paths: readonly string[]): number | null {
  for (const path of paths) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      // Another user's terminal (sudo -u), or no such path on this system.
      if (errnoOf(error) === undefined) throw error;
    }
  }
  return null;
}

/** Null for a stream without a file descriptor, which only tests have. */
function deviceOf(sink: NodeJS.WriteStream): number | null {
  return 'fd' in sink && typeof sink.fd === 'number' ? fstatSync(sink.fd).rdev : null;
}

/** Only Linux can tell this cheaply; on other systems, assume that we are. */
function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The name, in parentheses, can contain anything. After it: state, parent, group, session, terminal, its group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return foreground === '-1' || group === foreground;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}
