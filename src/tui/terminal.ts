/**
 * Takes over a terminal for a full screen, and restores it on every way out: the end of the program, an uncaught
 * exception, a signal, Ctrl-Z, another program that borrows it.
 */
import type { Duration } from '../core/time.ts';
import { type Key, keyDecoder } from './keys.ts';
import { type Frame, screen } from './screen.ts';

/** The alternate screen, no cursor, no wrapping, mouse reports, bracketed paste. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?1000h\u001b[?1006h\u001b[?2004h\u001b[H\u001b[2J';
const LEAVE = '\u001b[?2026l\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';

const STOPPED_WITHIN_MS: Duration = 100;

export interface Screen {
  /** Returns false if the terminal has not taken the last frame yet: try again later. */
  show(frame: Frame): boolean;
  /** Restores the terminal while `use` runs, then draws everything again. Does nothing while the terminal is lent. */
  lend(use: () => Promise<void>): Promise<void>;
  /** Draws everything again, whatever other programs left on the screen. */
  redraw(): void;
  /** Stops the whole job, like Ctrl-Z. */
  suspend(): void;
  close(): void;
}

interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

interface Listeners {
  onKey(key: Key): void;
  /** The size has changed, or everything has to be drawn again. */
  onResize(): void;
}

export function openScreen({ stdin, stdout }: Streams, { onKey, onResize }: Listeners): Screen {
  const drawn = screen();
  // Ignore keys that arrived together with the one that gave the terminal away.
  const keys = keyDecoder((key) => {
    if (isIn) onKey(key);
  });
  let isIn = false;
  let isLent = false;
  let isClosed = false;
  const onData = (bytes: Buffer): void => keys.push(bytes);
  const enter = (): void => {
    if (isClosed || isIn || isLent) return;
    isIn = true;
    drawn.forget();
    stdin.setRawMode(true);
    stdin.on('data', onData).resume();
    stdout.write(ENTER);
  };
  const leave = (): void => {
    if (!isIn) return;
    isIn = false;
    stdout.write(LEAVE);
    stdin.off('data', onData).pause();
    // A terminal that was closed has no mode to restore.
    if (!stdin.destroyed) unlessGone(() => stdin.setRawMode(false));
  };
  const resized = (): void => {
    if (!isIn) return;
    drawn.forget();
    // Otherwise, parts of the old frame stay beyond the new edges.
    stdout.write('\u001b[2J');
    onResize();
  };
  let stopping: NodeJS.Timeout | null = null;
  const suspend = (): void => {
    if (stopping !== null) return;
    leave();
    process.off('SIGTSTP', suspend);
    process.once('SIGCONT', resumed);
    process.kill(0, 'SIGTSTP');
    // The kernel does not stop a job without a shell that could continue it, so no SIGCONT would arrive.
    stopping = setTimeout(resumed, STOPPED_WITHIN_MS);
  };
  const resumed = (): void => {
    if (stopping === null) return;
    clearTimeout(stopping);
    stopping = null;
    process.off('SIGCONT', resumed);
    process.on('SIGTSTP', suspend);
    enter();
    if (isIn) onResize();
  };
  function close(): void {
    leave();
    isClosed = true;
    keys.close();
    if (stopping !== null) clearTimeout(stopping);
    stdout.off('resize', resized);
    process.off('SIGTSTP', suspend);
    process.off('SIGCONT', resumed);
    process.off('uncaughtExceptionMonitor', close);
    process.off('exit', close);
  }
  stdout.on('resize', resized);
  process.on('SIGTSTP', suspend);
  // Runs before the error is printed, so that the error appears on the normal screen.
  process.on('uncaughtExceptionMonitor', close);
  process.on('exit', close);
  enter();
  return {
    show(frame) {
      if (!isIn) return true;
      if (stdout.writableNeedDrain) return false;
      const changes = drawn.changes(frame);
      if (changes !== '') stdout.write(changes);
      return true;
    },
    redraw() {
      if (!isIn) return;
      stdout.write(ENTER);
      drawn.forget();
      onResize();
    },
    async lend(use) {
      if (isLent) return;
      isLent = true;
      leave();
      try {
        await use();
      } finally {
        isLent = false;
        // `use` was ended together with us, perhaps before it could restore the terminal.
        if (isClosed) stdout.write(LEAVE);
        enter();
        if (isIn) onResize();
      }
    },
    suspend,
    close,
  };
}

function unlessGone(act: () => void): void {
  try {
    act();
  } catch {
    // EIO: the terminal has been closed, and there is nothing left to restore.
  }
}
