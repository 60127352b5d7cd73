/** Shows what an agent wrote: byte for byte to a program, line by line and made safe on a terminal. */
import { maskAcrossLines } from '../../core/text/mask.ts';
import { printable } from '../../stream/printable.ts';
import { textSplitter } from '../../stream/text-lines.ts';
import type { Terminal } from './terminal.ts';

export interface ShownBytes {
  /** Done with the chunk when it returns. */
  push(chunk: Buffer): void;
  /** Null when the reader has kept up; else what to wait for. */
  ready(): Promise<void> | null;
  /** Ends a last line that has no end. */
  end(): Promise<void>;
}

const LF = 0x0a;

export function shownBytes(terminal: Terminal): ShownBytes {
  let pending: Promise<void> | null = null;
  const write = (bytes: string | Uint8Array): void => {
    const written = terminal.write(bytes).finally(() => {
      if (pending === written) pending = null;
    });
    pending = written;
  };
  const { push, end } = terminal.isWatched ? safeLines(terminal, write) : rawBytes(write);
  return {
    push,
    ready: () => pending,
    async end() {
      end();
      await pending;
    },
  };
}

type Write = (bytes: string | Uint8Array) => void;

function rawBytes(write: Write): { push(chunk: Buffer): void; end(): void } {
  let last = LF;
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      last = chunk.at(-1) ?? LF;
      // A copy: the chunk's memory is used again before the reader has it.
      write(Buffer.from(chunk));
    },
    end() {
      if (last !== LF) write('\n');
    },
  };
}

function safeLines({ mask }: Terminal, write: Write): { push(chunk: Buffer): void; end(): void } {
  const hide = maskAcrossLines(mask);
  let lines = '';
  const onLine = (line: string): void => {
    const shown = hide(line);
    if (shown !== null) lines += `${printable(shown)}\n`;
  };
  const splitter = textSplitter({ onLine, onLongLine: (head) => onLine(head.toString('utf8')) });
  const flush = (): void => {
    if (lines !== '') write(lines);
    lines = '';
  };
  return {
    push(chunk) {
      splitter.push(chunk);
      flush();
    },
    end() {
      splitter.end();
      flush();
    },
  };
}
