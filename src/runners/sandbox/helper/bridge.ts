/** The socket through which sandboxed programs reach the runtime's proxy, served by the helper itself. */
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { ifThere, nullOn } from '../../../process/files.ts';

/**
 * Takes the place of the program that the runtime starts for this socket: that one would survive if this process were
 * killed. If it cannot be found, as without the kernel's list of children, it stays.
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
    // If `from` has ended properly, the other side still has to send what was piped to it.
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
