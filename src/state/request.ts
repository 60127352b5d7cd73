/**
 * A request that holds a key is kept as it is in a file of its own, readable by its owner alone: the journal has it
 * masked, and the next supervisor needs it whole.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Created, Recorded } from '../core/record.ts';
import { type Mask, maskData } from '../core/text/mask.ts';
import { readPlainText, writeFile } from '../process/files.ts';
import { syncToDisk } from './folders.ts';

const REQUEST_FILE = 'request.json';

export function keepRequest(loop: string, { options }: Created, mask: Mask): void {
  const text = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) === text) return;
  const path = join(loop, REQUEST_FILE);
  writeFile(path, text, { mode: 0o600 });
  syncToDisk(path);
}

/** The records with the request as it was made. */
export function withRequest(records: readonly Recorded[], loop: string): Recorded[] {
  const [first, ...rest] = records;
  const path = join(loop, REQUEST_FILE);
  if (first?.masked !== true || first.result.kind !== 'created' || !existsSync(path)) return [...records];
  const options = parsed(readPlainText(path), path);
  return [{ ...first, result: { ...first.result, options } }, ...rest];
}

function parsed(text: string, path: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new RalphError('REQUEST_DAMAGED', `${path} is damaged: it is not valid JSON`, {
      hint: 'Restore it from a copy, or start a new loop.',
    });
  }
}
