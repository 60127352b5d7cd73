/** Performs a check by its kind. Its log, and what of it goes into the next prompt, are the same for all kinds. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AskedCheck, Checked, CheckOutcome, CheckSpec } from '../core/check.ts';
import { checkedAs, outcomeOfCommand } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import type { Exit } from '../core/outcome.ts';
import { failureFingerprint } from '../core/progress/fingerprint.ts';
import { reasonOf } from '../core/system-fault.ts';
import { openOutput } from '../process/command.ts';
import { closing, makeFolders, whyNoFolder } from '../process/files.ts';
import type { Host } from '../process/host.ts';
import { printable } from '../stream/printable.ts';
import { writeAll } from '../stream/write-all.ts';
import type { CheckFound, CheckKind, CheckPlace } from './kind.ts';
import * as kinds from './kinds.ts';
import { maskFile, partOf } from './log-file.ts';

export const CHECK_KINDS: readonly CheckKind[] = Object.values(kinds);

export interface CheckRun extends Omit<CheckPlace, 'output'> {
  readonly check: CheckSpec;
  /** The exit to report when it was ended for taking too long. */
  expired(): Exit | null;
}

/** Null when the check was ended before it could say anything. */
export async function runCheck({ check, expired, ...run }: CheckRun, host: Host): Promise<Checked | null> {
  const output = resolve(run.cwd, check.log);
  makeLogFolder(dirname(output), run.cwd);
  const began = performance.now();
  const found = (await kindNamed(check.kind).run(check.given, { ...run, output }, host)) ?? foundBy(expired());
  const { log } = found ?? {};
  if (log !== undefined) closing(openOutput(output), (file) => writeAll(file, Buffer.from(log)));
  // A command that cleans up (`git clean -fdx`) may take its own log with it.
  const digest = existsSync(output) ? await maskFile(output, host.mask) : null;
  if (found === null) return null;
  const outcome = shownOutcome(found.outcome, host);
  const kept = () => ({
    ...partOf(output, check.keepChars, check.keeps ?? 'start'),
    fingerprint: fingerprintOf(output),
  });
  const checked = checkedAs(check, outcome, performance.now() - began, kept);
  return digest === null ? checked : { ...checked, digest };
}

/** Of both ends of a long one: tests say at the end what failed, a compiler at the start. */
const COMPARED_CHARS = 32_768;

function fingerprintOf(path: string): string {
  const start = partOf(path, COMPARED_CHARS, 'start');
  return failureFingerprint(start.truncated ? start.output + partOf(path, COMPARED_CHARS, 'end').output : start.output);
}

/** What people and the agent know a check by. */
export function labelOf({ kind, given }: AskedCheck): string {
  return kindNamed(kind).label(given);
}

function kindNamed(name: string): CheckKind {
  const found = CHECK_KINDS.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`nothing performs a check of the kind "${name}" here`);
  return found;
}

const foundBy = (exit: Exit | null): CheckFound | null => (exit === null ? null : { outcome: outcomeOfCommand(exit) });

/** A kind may tell what it has read in a file of the agent's. */
function shownOutcome(outcome: CheckOutcome, { mask }: Host): CheckOutcome {
  return 'how' in outcome ? { ...outcome, how: mask(printable(outcome.how)) } : outcome;
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
      hint: 'Fix that, then run: ralph resume',
    });
  }
}
