/** Writes every byte: on a disk that is nearly full, one write can be partial, and only the next one fails. */
import { writeSync } from 'node:fs';

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
