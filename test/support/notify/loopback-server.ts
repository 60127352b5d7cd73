/** A real HTTP server on the loopback, gone when the test is, and a way to wait for what it has seen. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Watched {
  /** To be called whenever something has changed. */
  changed(): void;
  /** Resolves with what the look finds, now or after a change. */
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

/** Its address. */
export async function loopbackServer(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
