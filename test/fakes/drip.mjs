/** Prints its argument byte by byte with a pause after each, so that every character arrives in pieces. */
import { writeSync } from 'node:fs';

for (const byte of Buffer.from(process.argv[2] ?? '')) {
  writeSync(1, Buffer.of(byte));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
