/** The socket by which sandboxed programs reach the runtime's proxy, listened to by the helper itself. */
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { ifThere, nullOn } from '../../../process/files.ts';

/**
 * Listens in the place of the program that the runtime starts for that: were this process killed, that would stay. Where it
 * is not found, as without the kernel's list of children, it stays as it is.
 */
export async function takeBridge(path: string, port: number): Promise<{ close(): void }> {
  const children = ifThere(() => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')) ?? '';
  const isBridge = (pid: string): boolean =>
    (nullOn(['ENOENT', 'ESRCH'], () => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').includes(path);
  const bridge = children.trim().split(' ').filter(Boolean).find(isBridge);
  if (bridge === undefined || path === '') return { close: () => undefined };
  process.kill(Number(bridge), 'SIGKILL');
  rmSync(path, { force: true });
  const joined = (from: Socket, to: Socket): void => {
    from.pipe(to);
    from.on('error', () => to.destroy());
    // After its end the other side still has what was piped to it.
    from.on('close', () => from.readableEnded || to.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    joined(client, proxy);
    joined(proxy, client);
  });
  server.listen(path);
  await once(server, 'listening');
  return { close: () => void server.close() };
}
