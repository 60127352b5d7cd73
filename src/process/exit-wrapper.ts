/** A small shell front that writes a program's exit status to a file: the status outlives whoever started it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import type { Exit } from '../core/outcome.ts';

export const EXIT_FILE = 'exit';

/** Renamed into place: whoever sees the file sees the whole status. */
const SCRIPT = '"$@"; echo $? >"$0.next"; mv "$0.next" "$0"';

export function withExitFile(argv: readonly string[], folder: string): [string, ...string[]] {
  return ['sh', '-c', SCRIPT, join(folder, EXIT_FILE), ...argv];
}

/** Null while the program runs, or when it was ended together with its front. */
export function readExitFile(folder: string): Exit | null {
  let text: string;
  try {
    text = readFileSync(join(folder, EXIT_FILE), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  return { by: 'code', code: Number(text) };
}
