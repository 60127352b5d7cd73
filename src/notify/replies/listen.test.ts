import { expect, test } from 'vitest';
import { loopbackServer, watched } from '../../../test/support/notify/loopback-server.ts';
import { listenForReplies } from './listen.ts';

const SECOND = 50;

/** Listens to a server that answers each connection with these lines and then ends it. */
async function listening(lines: readonly object[], onReply: () => Promise<void>) {
  const over = new AbortController();
  const trouble: string[] = [];
  const at: number[] = [];
  const { changed, until } = watched();
  const url = await loopbackServer((_request, response) => {
    at.push(performance.now());
    response.writeHead(200).end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    changed();
  });
  const receiver = { kind: 'ntfy', url: `${url}/a`, reply: { url: `${url}/b` } } as const;
  const onTrouble = (why: string): void => void trouble.push(why);
  const end = listenForReplies({ receiver, since: () => '0', onReply, onTrouble, signal: over.signal, second: SECOND });
  return {
    trouble,
    at,
    connections: (count: number) => until(() => (at.length >= count ? true : undefined)),
    async close() {
      over.abort();
      await end;
    },
  };
}

test('a server that ends each connection at once is asked less and less often', async () => {
  const { at, connections, close } = await listening([{ event: 'open' }], async () => undefined);
  await connections(4);
  await close();
  // Pauses of 1, 5 and 15 shortened seconds.
  expect((at[3] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(20 * SECOND);
});

test('a reply that cannot be taken is told as such, and not as a server that cannot be reached', async () => {
  const message = { event: 'message', id: 'm1', message: 'x' };
  const { trouble, connections, close } = await listening([message], async () => {
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write', path: '/x' });
  });
  await connections(2);
  await close();
  expect(trouble).toEqual([expect.stringMatching(/^a reply cannot be accepted: .*no space left on device/)]);
});
