/** How long a bus is now: what a run says comes behind that. */
import { statSync } from 'node:fs';

export function busSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
