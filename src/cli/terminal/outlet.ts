/** A loop's way to a terminal: the agent on stdout, everything about the loop on stderr, in the order in which it was said. */
import type { Mask } from '../../core/text/mask.ts';
import type { Readiness } from '../../process/follow.ts';

export interface Outlet {
  /** A block of what the agent did. */
  show(text: string): void;
  /** A line about the loop. */
  say(line: string): void;
  /** Has the reader of what is shown kept up? */
  readonly ready: Readiness;
}

export interface OutletOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly mask: Mask;
}

export interface Sink {
  write(text: string): unknown;
  readonly writableNeedDrain: boolean;
  readonly destroyed: boolean;
  on(event: SinkEvent, listener: () => void): unknown;
  off(event: SinkEvent, listener: () => void): unknown;
}

type SinkEvent = 'drain' | 'close' | 'error';

const WRITE_AT_ONCE = 16 * 1024;

export function openOutlet({ stdout, stderr, mask }: OutletOptions): Outlet {
  let shown = '';
  const flush = (): void => {
    if (shown !== '') stdout.write(shown);
    shown = '';
  };
  /** Many small events make one write; what is said about the loop still comes in order. */
  const show = (text: string): void => {
    if (shown === '') queueMicrotask(flush);
    shown += `${text}\n`;
    if (shown.length > WRITE_AT_ONCE) flush();
  };
  const say = (line: string): void => {
    flush();
    stderr.write(`${mask(line)}\n`);
  };
  return {
    show,
    say,
    ready() {
      const behind = [stdout, stderr].find((sink) => sink.writableNeedDrain && !sink.destroyed);
      return behind === undefined ? null : catchingUp(behind);
    },
  };
}

/** A reader that goes away never catches up, and is not waited for. */
function catchingUp(sink: Sink): Promise<void> {
  const events: readonly SinkEvent[] = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const goOn = (): void => {
      for (const event of events) sink.off(event, goOn);
      resolve();
    };
    for (const event of events) sink.on(event, goOn);
  });
}
