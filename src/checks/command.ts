/** A check that is a shell command of the user's own: its exit code says whether the work is good. */
import { closeSync, existsSync, fstatSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CheckOutcome, type CommandCheck, outcomeOfCommand } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { runThroughPipe } from '../process/command.ts';
import { makeFolders, whyNoFolder } from '../process/files.ts';
import { maskFile, openToRead } from '../stream/mask-file.ts';
import type { RunCheck } from './index.ts';
import { treeFingerprint } from './tree-fingerprint.ts';

/** Null when it was ended before it could say anything. */
export const runCommandCheck: RunCheck<CommandCheck> = async (run, host) => {
  const { check, cwd } = run;
  const output = resolve(cwd, check.log);
  makeLogFolder(dirname(output), cwd);
  const began = performance.now();
  const seen = await runThroughPipe({ ...run, argv: shellCommand(check.command, process.platform), output }, host);
  const exit = seen ?? run.expired();
  // A command that cleans up (`git clean -fdx`) may take its own log with it.
  if (existsSync(output)) maskFile(output, host.mask);
  if (exit === null) return null;
  const outcome = withTree(outcomeOfCommand(exit), cwd);
  const keep = check.keeps === 'end' ? tailOf : headOf;
  const kept = outcome.is === 'passed' ? { output: '', truncated: false } : keep(output, check.keepChars);
  return { index: check.index, outcome, log: check.log, ...kept, durationMs: Math.round(performance.now() - began) };
};

/** For a command that could not be run it matters whether the work tree changes until the next try. */
function withTree(outcome: CheckOutcome, cwd: string): CheckOutcome {
  if (outcome.is !== 'unrunnable') return outcome;
  const tree = treeFingerprint(cwd);
  return tree === undefined ? outcome : { ...outcome, tree };
}

function makeLogFolder(folder: string, cwd: string): void {
  // A work tree that an agent has removed is not made again, empty: everything would pass in there.
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null)
    throw new RalphError('WORK_TREE', nowhere.reason, { hint: `${nowhere.hint} Then run: ralph resume` });
  try {
    makeFolders(folder);
  } catch (error) {
    throw new RalphError('LOG_FOLDER', `cannot create .ralph directory: ${reasonOf(error)}`, {
      hint: 'Make room for it, then: ralph resume',
    });
  }
}

export function shellCommand(command: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  return platform === 'win32' ? ['cmd', '/c', command] : ['sh', '-c', command];
}

interface Kept {
  readonly output: string;
  readonly truncated: boolean;
}

/** The first characters of a file, counted as people count them: none is ever cut in two. */
function headOf(path: string, chars: number): Kept {
  const { bytes, isWhole } = partOf(path, chars, 'start');
  const characters = [...new TextDecoder().decode(bytes, { stream: !isWhole })];
  return { output: characters.slice(0, chars).join(''), truncated: !isWhole || characters.length > chars };
}

/** The last ones. */
function tailOf(path: string, chars: number): Kept {
  const { bytes, isWhole } = partOf(path, chars, 'end');
  // A part may begin in the middle of a character: the bytes that continue one begin none.
  const first = isWhole ? 0 : bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  const characters = [...new TextDecoder().decode(bytes.subarray(Math.max(first, 0)))];
  return { output: characters.slice(-chars).join(''), truncated: !isWhole || characters.length > chars };
}

/** So many bytes that they hold the characters, none of which takes more than four. */
function partOf(path: string, chars: number, which: 'start' | 'end'): { bytes: Buffer; isWhole: boolean } {
  const file = openToRead(path);
  if (file === null) return { bytes: Buffer.alloc(0), isWhole: true };
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(chars * 4 + 4, size));
    const read = readSync(file, buffer, 0, buffer.length, which === 'start' ? 0 : size - buffer.length);
    return { bytes: buffer.subarray(0, read), isWhole: read >= size };
  } finally {
    closeSync(file);
  }
}
