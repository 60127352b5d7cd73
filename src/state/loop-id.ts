/** Names loops: by time, with a random part that keeps two of one second apart. */
import { randomBytes } from 'node:crypto';
import type { Instant } from '../core/time.ts';

export function newLoopId(now: Instant): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(4).toString('hex')}`;
}
