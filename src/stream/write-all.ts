/** Writes every byte: a disk that is nearly full takes a part and refuses only the rest. */
import { writeSync } from 'node:fs';

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
