/** A file that others read and we rewrite: replaced in one step, never half-written, never the truth. */
import { renameSync, writeFileSync } from 'node:fs';

export function writeProjection(path: string, content: string | Uint8Array): void {
  const next = `${path}.next`;
  writeFileSync(next, content, { mode: 0o600 });
  renameSync(next, path);
}
