/**
 * A request that holds a key is kept as it is in a file of its own, readable by its owner alone: the journal has it
 * masked, and whoever turns the crank later needs it whole.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../core/json.ts';
import { type Mask, maskData } from '../core/mask.ts';
import type { Created, Recorded } from '../core/record.ts';

const REQUEST_FILE = 'request.json';

export function keepRequest(loop: string, { options }: Created, mask: Mask): void {
  const text = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) !== text) writeFileSync(join(loop, REQUEST_FILE), text, { mode: 0o600 });
}

/** The records with the request as it was made. */
export function withRequest(records: readonly Recorded[], loop: string): Recorded[] {
  const [first, ...rest] = records;
  const path = join(loop, REQUEST_FILE);
  if (first?.masked !== true || first.result.kind !== 'created' || !existsSync(path)) return [...records];
  const options = JSON.parse(readFileSync(path, 'utf8')) as Json;
  return [{ ...first, result: { ...first.result, options } }, ...rest];
}
