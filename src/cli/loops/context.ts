/** The context of the commands that show and steer loops, made from this process. */
import { once } from 'node:events';
import { styleText } from 'node:util';
import { type Environment, readEnvironment } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { localStore } from '../../engine/store/local-store.ts';
import type { LoopStore, ReadableLoop } from '../../engine/store/loop-store.ts';
import { realPath } from '../../process/files.ts';
import { printable } from '../../stream/printable.ts';
import { type Found, foundLoop as findAmongAll } from '../../views/found-loop.ts';
import type { Meant } from '../../views/loop-names.ts';
import { machineOf } from '../../views/machines.ts';
import { lineWidth } from '../terminal/line-width.ts';

type Style = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold' | 'reset';

export interface LoopsContext {
  readonly environment: Environment;
  readonly store: LoopStore;
  readonly cwd: string;
  readonly now: number;
  /** The terminal's width; null if the output goes elsewhere, and is not cut. */
  readonly columns: number | null;
  /** How wide a line of prose may be. */
  readonly width: number;
  /** Prints a line, made printable because it can contain an agent's text; in colour if the terminal has colours. */
  say(line: string, style?: Style): void;
  /** Resolves when the output has been written, or its reader has gone. Signals are handled in the meantime. */
  printed(): Promise<void>;
  /** Aborted when the reader of what is printed has gone (`ralph logs | head`). */
  readonly unread: AbortSignal;
}

export function loopsContext(): LoopsContext {
  const environment = readEnvironment();
  const { stdout } = process;
  return {
    environment,
    store: localStore(environment.root, machineOf),
    // Loops record the real path of their directory.
    cwd: realPath(process.cwd()),
    now: Date.now(),
    columns: stdout.isTTY ? stdout.columns : null,
    width: lineWidth(stdout),
    unread: closedSignal(stdout),
    async printed() {
      // A broken pipe first accepts the data, and reports the error later.
      await new Promise((resolve) => setImmediate(resolve));
      if (!stdout.writableNeedDrain || stdout.destroyed) return;
      const over = new AbortController();
      const { signal } = over;
      await Promise.race(['drain', 'close', 'error'].map((event) => once(stdout, event, { signal }))).catch(
        () => undefined,
      );
      over.abort();
    },
    say(line, style) {
      const safe = environment.mask(printable(line));
      const hasColor = stdout.isTTY && environment.color && style !== undefined;
      stdout.write(`${hasColor ? styleText(style, safe, { validateStream: false }) : safe}\n`);
    },
  };
}

function closedSignal(stdout: NodeJS.WriteStream): AbortSignal {
  const closed = new AbortController();
  for (const event of ['error', 'close']) stdout.once(event, () => closed.abort());
  return closed.signal;
}

export function foundLoop({ store, cwd }: LoopsContext, meant: Omit<Meant, 'cwd'>): Promise<Found> {
  return findAmongAll(store, { ...meant, cwd });
}

export function unknownKind({ loopKind }: ReadableLoop): RalphError {
  return new RalphError('LOOP_KIND', `this release cannot show loops of the kind "${loopKind}"`);
}
