/** How wide a line may be: what every terminal has, or less where the terminal is narrower. */
import { WIDTH } from '../../core/text/wrap.ts';

/** Narrower than this nothing can be laid out, and lines wrap. */
const NARROWEST = 24;

export function lineWidth({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return isTTY ? Math.max(NARROWEST, Math.min(WIDTH, columns)) : WIDTH;
}
