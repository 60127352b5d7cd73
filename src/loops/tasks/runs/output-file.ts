/** A run's `output.md`: what the agent wrote there itself, else its last words, else all that it printed. */
import { constants, lstatSync, openSync, readSync, symlinkSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { closing, openPlain, writeFile } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { runFile } from '../folder/task-folder.ts';

const COPIED_AT_ONCE = 64 * 1024;

/** In a sandbox the folders of runs are not the agent's: its output.md is a link to a file that is. */
export function lendOutput(run: string, outputs: string): void {
  symlinkSync(lentFile(run, outputs), runFile.output(run));
}

/** What the agent has written takes the link's place. */
export function takeOutput(run: string, outputs: string): void {
  const lent = lentFile(run, outputs);
  const output = runFile.output(run);
  if (lstatSync(output, { throwIfNoEntry: false })?.isSymbolicLink() === true) removeEntry(output);
  const isFree = lstatSync(output, { throwIfNoEntry: false }) === undefined;
  // It could be a link of the agent's own to what it may not read.
  const written = isFree ? openTranscript(lent, constants.O_NOFOLLOW) : null;
  if (written !== null) closing(written, () => copy(written, output));
  removeEntry(lent);
}

function lentFile(run: string, outputs: string): string {
  return join(outputs, `${basename(run)}.md`);
}

/** `words` are the agent's last ones; null where all that it printed counts. */
export function completeOutput(run: string, words: string | null): void {
  const output = runFile.output(run);
  if (lstatSync(output, { throwIfNoEntry: false }) !== undefined) return;
  if (words !== null) {
    writeFile(output, `${words}\n`, { flag: 'wx' });
    return;
  }
  const transcript = openTranscript(runFile.stdout(run));
  if (transcript !== null) closing(transcript, () => copy(transcript, output));
}

/** Null where the agent took it away, put something else in its place, or made it unreadable. */
export function openTranscript(path: string, flags = 0): number | null {
  try {
    return openPlain(path, flags);
  } catch (error) {
    if (error instanceof RalphError || ['ENOENT', 'ELOOP', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

function copy(from: number, path: string): void {
  closing(openSync(path, 'wx', 0o644), (to) => {
    const buffer = Buffer.allocUnsafe(COPIED_AT_ONCE);
    for (let at = 0, bytes = 1; bytes > 0; at += bytes) {
      bytes = readSync(from, buffer, 0, buffer.length, at);
      for (let written = 0; written < bytes; ) written += writeSync(to, buffer, written, bytes - written);
    }
  });
}
