/** The one shell command that does what a turn wants written and run. */
import { posix } from 'node:path';
import { shellQuote } from '../../core/text/quote-word.ts';
import type { FileWrite, Turn } from './script.ts';

/** One call and not several: some agents run the calls of one reply at the same time, and order matters here. */
export function commandOf({ write, run }: Pick<Turn, 'write' | 'run'>): string | undefined {
  const commands = [...listOf(write).map(writeCommand), ...listOf(run)];
  const [only] = commands;
  if (commands.length <= 1) return only;
  // On lines of their own, so that a here-document or a comment ends where it should.
  return commands.map((command) => `{\n${command}\n}`).join(' && ');
}

/** `printf` and not `echo` or a here-document: neither backslashes nor a missing last newline change on the way. */
function writeCommand({ path, content }: FileWrite): string {
  const folder = posix.dirname(path);
  const write = `printf %s ${shellQuote(content)} > ${shellQuote(path)}`;
  return folder === '.' || folder === '/' ? write : `mkdir -p -- ${shellQuote(folder)} && ${write}`;
}

function listOf<Item extends object | string>(given: Item | readonly Item[] | undefined): readonly Item[] {
  if (given === undefined) return [];
  // `Array.isArray` does not narrow a readonly array out of a union.
  return Array.isArray(given) ? (given as readonly Item[]) : [given as Item];
}
