/** Looks at the end of a bus, whatever its size: how its last message is called, and whether it is whole. */
import { MOST_BODY_BYTES } from './entry.ts';
import { findOpening, parseEntries } from './parse.ts';
import { regionAt } from './region.ts';

export interface LastEntry {
  readonly msgId: string | undefined;
  /** Something stands at the end that is not whole: its writer was killed, or did not end its line. */
  readonly isTorn: boolean;
}

/** Small buffers come from Node's pool. */
const FIRST_LOOK = 2 * 1024;
/** Beyond the largest entry there is nothing to find: this is somebody else's file. */
const LAST_LOOK = 2 * MOST_BODY_BYTES;

export function lastOf(fd: number, size: number): LastEntry {
  for (let look = FIRST_LOOK; ; look *= 8) {
    const start = Math.max(0, size - look);
    // One byte more than there is: this is the file's end.
    const region = regionAt(fd, start, size - start + 1);
    const opening = findOpening(region.bytes, 'last', start === 0);
    if (opening >= 0) {
      const bytes = region.bytes.subarray(opening);
      const { messages, end } = parseEntries({ ...region, bytes, linesBefore: () => 0 });
      return { msgId: messages.at(-1)?.msgId, isTorn: end < bytes.length };
    }
    if (look >= LAST_LOOK) return { msgId: undefined, isTorn: region.bytes.at(-1) !== 0x0a };
  }
}
