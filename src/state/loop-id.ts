/** Names loops: by time, with a random part that keeps two of one second apart. */
import type { Instant } from '../core/time.ts';

export function newLoopId(now: Instant): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const random = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${stamp}-${random.padStart(8, '0')}`;
}

export function isLoopId(name: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{8}$/.test(name);
}
