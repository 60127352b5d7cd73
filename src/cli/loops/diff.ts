/** `ralph diff`: what a loop, or one of its iterations, has changed in the work tree. */
import { styleText } from 'node:util';
import { allChanges, changesOf } from '../../core/trees.ts';
import { type DiffForm, showDiff } from '../../scm/snapshots/diff.ts';
import { lineSplitter } from '../../stream/lines.ts';
import { printable } from '../../stream/printable.ts';
import type { LoopsContext } from './context.ts';
import { iterationOf, leftOutLine, loopAndPoint, needed, snapshotsOf } from './snapshots.ts';

export interface DiffFlags {
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
}

/** On a terminal, the diff is made printable; a pipe gets its exact bytes, so that it can be applied. */
export async function diffCommand(
  words: readonly string[],
  { stat, nameOnly }: DiffFlags,
  context: LoopsContext,
): Promise<number> {
  const { loop, point } = loopAndPoint(words);
  const snapshots = await snapshotsOf(loop, context);
  const { trees, store, env } = snapshots;
  const { from, to } = point === null ? allChanges(trees) : changesOf(trees, iterationOf(point, 1));
  const after = needed(to, snapshots);
  const form: DiffForm = nameOnly === true ? 'names' : stat === true ? 'stat' : 'patch';
  const wanted = { from: needed(from, snapshots).commit, to: after.commit, form };
  const hasColor = context.environment.color && form === 'patch';
  const isDifferent = process.stdout.isTTY
    ? await shown((onOutput) => showDiff(store, wanted, { env, onOutput }), hasColor)
    : await showDiff(store, wanted, { env });
  const notes = [isDifferent ? null : 'No file was changed.', leftOutLine(after.leftOut)];
  for (const note of notes) if (note !== null) process.stderr.write(`${printable(note)}\n`);
  return 0;
}

async function shown(show: (onOutput: (chunk: Buffer) => void) => Promise<boolean>, color: boolean): Promise<boolean> {
  const onLine = (line: Buffer): void => {
    const text = printable(line.toString('utf8'));
    process.stdout.write(`${color ? colored(text) : text}\n`);
  };
  const lines = lineSplitter({ onLine, onLongLine: onLine });
  const isDifferent = await show((chunk) => lines.push(chunk));
  lines.end();
  return isDifferent;
}

function colored(line: string): string {
  const style = patchStyle(line);
  return style === null ? line : styleText(style, line, { validateStream: false });
}

export function patchStyle(line: string): 'bold' | 'green' | 'red' | 'cyan' | null {
  if (/^(?:diff |index |\+\+\+ |--- |new file|deleted file|old mode|new mode|rename |similarity )/.test(line))
    return 'bold';
  if (line.startsWith('+')) return 'green';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('@@') ? 'cyan' : null;
}
