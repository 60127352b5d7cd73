/** A small shell front that writes a program's exit status to a file: the status outlives the supervisor. */
import type { Exit } from '../../core/outcome.ts';
import { ifThere, readPlainText } from '../files.ts';

// Renamed into place, so that a reader sees the whole status or none. A Ctrl-C in a terminal reaches the front too, and it
// must live on to write; caught, not ignored, so that the program has the signal's default.
const SCRIPT = 'trap : INT QUIT; "$@"; echo $? >"$0.next" && mv "$0.next" "$0"';

export function withExitFile(argv: readonly string[], file: string): [string, ...string[]] {
  return ['sh', '-c', SCRIPT, file, ...argv];
}

/** Null while the program runs, or when it was ended together with its front. */
export function readExitFile(file: string): Exit | null {
  const text = ifThere(() => readPlainText(file));
  if (text === null) return null;
  // A status that could not be written whole is unknown, never 0.
  return /^\d+\n$/.test(text) ? { by: 'code', code: Number(text) } : { by: 'unseen' };
}
