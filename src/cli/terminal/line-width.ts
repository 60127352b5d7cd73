/** How wide a line can be: 80 columns, or less on a narrower terminal. */
import { WIDTH } from '../../core/text/wrap.ts';

/** On terminals narrower than this, nothing can be laid out, and lines wrap. */
const NARROWEST = 24;

export function lineWidth({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY ? Math.max(NARROWEST, Math.min(WIDTH, columns)) : WIDTH;
}
