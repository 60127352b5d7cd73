/**
 * A real pipe. What Node makes for a child's output is a socket, and a program that opens /dev/stderr, as scripts do,
 * cannot open one; a named pipe it can. The name is gone as soon as both ends are open.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';

export interface Pipe {
  /** For the program; to be closed by `closeWriter` once the program has it. */
  readonly writer: number;
  /** Ends when the last writer is closed. */
  readonly reader: Socket;
  closeWriter(): void;
}

export function openPipe(path: string): Pipe {
  const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  if (error !== undefined) {
    const hint = 'Install it (it is part of coreutils), or add its folder to PATH.';
    throw new RalphError('PIPE', `mkfifo cannot be run: ${reasonOf(error)}`, { hint });
  }
  if (status !== 0) throw new RalphError('PIPE', `cannot make the pipe ${path}: ${stderr.trim()}`);
  try {
    // The reader first, without waiting for a writer; then the writer finds its reader there.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    let isOpen = true;
    return {
      writer,
      reader: new Socket({ fd: reader, readable: true, writable: false }),
      closeWriter() {
        if (isOpen) closeSync(writer);
        isOpen = false;
      },
    };
  } finally {
    rmSync(path, { force: true });
  }
}
