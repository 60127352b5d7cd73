/** The last messages of a kind: read from the end of the bus, and no further back than they need. */
import type { Message } from './message.ts';
import { type BusRead, readTail } from './read.ts';

const FIRST_LOOK = 100;

export function readTailWhere(path: string, count: number, isWanted: (message: Message) => boolean): BusRead {
  for (let look = Math.max(FIRST_LOOK, count); ; look *= 10) {
    const { messages, end } = readTail(path, look);
    const found = messages.filter(isWanted);
    if (found.length >= count || messages.length < look) return { messages: found.slice(-count), end };
  }
}
