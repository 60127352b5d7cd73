/** Reads what can be read only once (a pipe, a terminal, a device) to its end, without ever delaying a signal. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { RalphError } from '../core/error.ts';

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);
const LARGEST = 16 * 1024 * 1024;

/** The names people use for it where a file is expected. */
export const isStdin = (path: string): boolean => STDIN.has(path);

/** Rejects with the signal's reason if that is aborted first. */
export async function readOnce(path: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // A blocking open of a pipe without a writer would delay every signal.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(fd);
  if (stat.isFIFO() || stat.isSocket()) {
    return readToEnd(new Socket({ fd, readable: true, writable: false }), path, signal);
  }
  if (isatty(fd)) return readToEnd(new ReadStream(fd), path, signal);
  try {
    // A device such as /dev/zero never ends.
    if (stat.isCharacterDevice() && path !== '/dev/null') throw tooMuch(path, 'is a device');
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** `what` names the stream in errors. */
export async function readToEnd(stream: Socket, what: string, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of addAbortSignal(signal, stream) as AsyncIterable<Buffer | string>) {
      const chunk = Buffer.from(part);
      bytes += chunk.length;
      if (bytes > LARGEST) throw tooMuch(what, `has more than ${LARGEST / 1024 / 1024} MB`);
      parts.push(chunk);
    }
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stream.destroy();
  }
}

function tooMuch(what: string, why: string): RalphError {
  return new RalphError('READ_ONCE', `cannot read ${what}: it ${why}`);
}
