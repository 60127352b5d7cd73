/**
 * Splits bytes into lines at LF only. Not readline: from Node 24 on, it also splits at U+2028, which JSON strings can
 * contain. Works on bytes, so that a character cut at a chunk's border is whole again before it is decoded.
 */

export interface LineSink {
  /** One line without its LF. The buffer is valid only during the call. */
  onLine(line: Buffer): void;
  /** A line longer than the limit: its first part, once. The rest is skipped; the transcript has all of it. */
  onLongLine?(head: Buffer): void;
}

const LF = 0x0a;
const DEFAULT_LIMIT = 32 * 1024 * 1024;

export function lineSplitter(sink: LineSink, limit = DEFAULT_LIMIT): { push(chunk: Buffer): void; end(): void } {
  let parts: Buffer[] = [];
  let held = 0;
  let skipping = false;

  const hold = (piece: Buffer): void => {
    if (skipping || piece.length === 0) return;
    // A copy, because the memory of the chunk is reused.
    parts.push(Buffer.from(piece));
    held += piece.length;
    if (held <= limit) return;
    sink.onLongLine?.(Buffer.concat(parts));
    parts = [];
    held = 0;
    skipping = true;
  };
  const emit = (last: Buffer): void => {
    if (skipping) {
      skipping = false;
      return;
    }
    if (held === 0) {
      sink.onLine(last);
      return;
    }
    parts.push(last);
    const line = Buffer.concat(parts, held + last.length);
    parts = [];
    held = 0;
    sink.onLine(line);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
        emit(chunk.subarray(start, end));
        start = end + 1;
      }
      hold(chunk.subarray(start));
    },
    /** The stream has ended: what is held is the last line, without an LF. */
    end() {
      if (held > 0) emit(Buffer.alloc(0));
      skipping = false;
    },
  };
}
