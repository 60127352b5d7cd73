/** A small shell wrapper that writes a program's exit status to a file, so that the status outlives the supervisor. */
import type { Exit } from '../../core/outcome.ts';
import { ifThere, readPlainText } from '../files.ts';

// Renamed into place, so that a reader sees the whole status or none. A Ctrl-C in a terminal reaches the wrapper, too,
// which must survive to write. The signal is caught, not ignored, so that the program gets the default handling.
const SCRIPT = 'trap : INT QUIT; "$@"; echo $? >"$0.next" && mv "$0.next" "$0"';

export function withExitFile(argv: readonly string[], file: string): [string, ...string[]] {
  return ['sh', '-c', SCRIPT, file, ...argv];
}

/** Null while the program runs, or if it was ended together with its wrapper. */
export function readExitFile(file: string): Exit | null {
  const text = ifThere(() => readPlainText(file));
  if (text === null) return null;
  // An incomplete status is unknown, never 0.
  return /^\d+\n$/.test(text) ? { by: 'code', code: Number(text) } : { by: 'unseen' };
}
