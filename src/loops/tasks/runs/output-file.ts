/** A run's `output.md`: what the agent wrote into it, else its last words, else everything that it printed. */
import { constants, lstatSync, openSync, readSync, symlinkSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { closing, openPlain, writeFile } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { runFile } from '../folder/task-folder.ts';

const COPIED_AT_ONCE = 64 * 1024;

/** A sandboxed agent cannot write to the folders of runs, so output.md is a link to a file that it can write. */
export function lendOutput(run: string, outputs: string): void {
  symlinkSync(lentFile(run, outputs), runFile.output(run));
}

/** Replaces the link with what the agent has written. */
export function takeOutput(run: string, outputs: string): void {
  const lent = lentFile(run, outputs);
  const output = runFile.output(run);
  if (lstatSync(output, { throwIfNoEntry: false })?.isSymbolicLink() === true) removeEntry(output);
  const isFree = lstatSync(output, { throwIfNoEntry: false }) === undefined;
  // The agent may have put a link there, to a file that it must not read.
  const written = isFree ? openTranscript(lent, constants.O_NOFOLLOW) : null;
  if (written !== null) closing(written, () => copy(written, output));
  removeEntry(lent);
}

function lentFile(run: string, outputs: string): string {
  return join(outputs, `${basename(run)}.md`);
}

/** `words`: the agent's last words; null to use everything that it printed. */
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

/** Null if the agent removed the file, replaced it by something else, or made it unreadable. */
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
