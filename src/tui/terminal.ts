/**
 * Takes a terminal over for a full screen, and gives it back as it was on every way out: the end of the program, an error
 * that nothing catches, a signal, Ctrl-Z, another program that is to have it for a while.
 */
import type { Duration } from '../core/time.ts';
import { type Key, keyDecoder } from './keys.ts';
import { type Frame, screen } from './screen.ts';

/** Another screen, no cursor, no wrapping, the wheel, and pastes that can be told from typing. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?1000h\u001b[?1006h\u001b[?2004h\u001b[H\u001b[2J';
const LEAVE = '\u001b[?2026l\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';

const STOPPED_WITHIN_MS: Duration = 100;

export interface Screen {
  /** False where the terminal has not taken the last one yet: try again later. */
  show(frame: Frame): boolean;
  /** The terminal is as it was while this runs; then everything is drawn again. Not used while another has it. */
  lend(use: () => Promise<void>): Promise<void>;
  /** Everything is drawn again, whatever another program has made of the screen. */
  redraw(): void;
  /** As Ctrl-Z does: the whole job stops. */
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
  // Keys that came together with the one that gave the terminal away are not for us.
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
    // A terminal that is gone takes no mode any more.
    if (!stdin.destroyed) unlessGone(() => stdin.setRawMode(false));
  };
  const resized = (): void => {
    if (!isIn) return;
    drawn.forget();
    // What is beyond the new edges stays there otherwise.
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
    // Where no shell would continue the job, the kernel does not stop it, and nothing continues it.
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
  // Before the error is printed: it belongs on the screen that stays.
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
        // It was ended with us, perhaps before it could give back what it had taken.
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
