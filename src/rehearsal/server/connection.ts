/** The connection on which one request is answered: writes at the client's pace, and knows how it ended. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';

export interface Connection {
  readonly response: ServerResponse;
  readonly ended: Promise<Ended>;
  /** Resolves when the client has room for more; rejects, as `wait` does, when the connection is gone. */
  write(text: string): Promise<void>;
  /** Undefined waits for as long as the connection lasts. */
  wait(forMs: Duration | undefined): Promise<void>;
  /** Destroys it once what was written is out. */
  cut(): void;
}

export type Ended =
  | 'sent'
  /** By us. */
  | 'cut'
  /** The client went away before the end. */
  | 'left';

/** One event can be as big as the whole reply, and is not to be handed to the socket at once. */
const SLICE = 64 * 1024;

export function openConnection(response: ServerResponse): Connection {
  const gone = new AbortController();
  let isCut = false;
  const ended = new Promise<Ended>((resolve) => {
    response.once('close', () => {
      gone.abort();
      resolve(response.writableFinished ? 'sent' : isCut ? 'cut' : 'left');
    });
  });
  return {
    response,
    ended,
    async write(text) {
      for (let from = 0; from < text.length; from += SLICE) {
        gone.signal.throwIfAborted();
        const hasRoom = response.write(text.slice(from, from + SLICE));
        if (!hasRoom) await once(response, 'drain', { signal: gone.signal });
      }
    },
    async wait(forMs) {
      gone.signal.throwIfAborted();
      if (forMs !== undefined) return sleep(forMs, undefined, { signal: gone.signal });
      await once(gone.signal, 'abort');
      gone.signal.throwIfAborted();
    },
    cut() {
      isCut = true;
      response.socket?.destroySoon();
    },
  };
}
