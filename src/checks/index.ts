/** Runs a check by its kind. The log, and its part for the next prompt, are handled in the same way for all kinds. */
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
  /** The exit to report if the check was ended because it took too long; null otherwise. */
  expired(): Exit | null;
}

/** Null if the check was ended before it had a result. */
export async function runCheck({ check, expired, ...run }: CheckRun, host: Host): Promise<Checked | null> {
  const output = resolve(run.cwd, check.log);
  makeLogFolder(dirname(output), run.cwd);
  const began = performance.now();
  const found = (await kindNamed(check.kind).run(check.given, { ...run, output }, host)) ?? foundBy(expired());
  const { log } = found ?? {};
  if (log !== undefined) closing(openOutput(output), (file) => writeAll(file, Buffer.from(log)));
  // A command that cleans up (`git clean -fdx`) can delete its own log.
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

/** For a long output, of each end: tests name their failures at the end, compilers at the start. */
const COMPARED_CHARS = 32_768;

function fingerprintOf(path: string): string {
  const start = partOf(path, COMPARED_CHARS, 'start');
  return failureFingerprint(start.truncated ? start.output + partOf(path, COMPARED_CHARS, 'end').output : start.output);
}

/** The name of a check for people and the agent. */
export function labelOf({ kind, given }: AskedCheck): string {
  return kindNamed(kind).label(given);
}

function kindNamed(name: string): CheckKind {
  const found = CHECK_KINDS.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`nothing performs a check of the kind "${name}" here`);
  return found;
}

const foundBy = (exit: Exit | null): CheckFound | null => (exit === null ? null : { outcome: outcomeOfCommand(exit) });

/** `how` can quote a file that the agent wrote. */
function shownOutcome(outcome: CheckOutcome, { mask }: Host): CheckOutcome {
  return 'how' in outcome ? { ...outcome, how: mask(printable(outcome.how)) } : outcome;
}

function makeLogFolder(folder: string, cwd: string): void {
  // Do not recreate a work tree that an agent has removed: in an empty folder, checks could pass.
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
