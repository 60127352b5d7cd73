/** A real HTTP server on the loopback that is closed when the test ends, and a way to wait for what it receives. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Watched {
  /** Must be called whenever something has changed. */
  changed(): void;
  /** Resolves with the first result of `look` that is not undefined, now or after a change. */
  until<Found>(look: () => Found | undefined): Promise<Found>;
}

export function watched(): Watched {
  const waiting = new Set<() => void>();
  return {
    changed() {
      for (const look of waiting) look();
    },
    until: (look) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = look();
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Resolves to the address of the server. */
export async function loopbackServer(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
