/** A check that is a shell command of the user's own: its exit code says whether the work is good. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CheckOutcome, type CommandCheck, outcomeOfCommand } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { digestOf } from '../core/text/digest.ts';
import { runThroughPipe } from '../process/command.ts';
import { makeFolders, whyNoFolder } from '../process/files.ts';
import type { RunCheck } from './index.ts';
import { maskFile, partOf } from './log-file.ts';

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
  const part = check.keeps === 'end' ? 'end' : 'start';
  const kept = outcome.is === 'passed' ? { output: '', truncated: false } : partOf(output, check.keepChars, part);
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

/** Above this nothing is said: the look would take longer than it is worth. */
const MOST_ENTRIES = 50_000;
/** Git writes there without any work being done, and so do we. */
const NOT_WORK = /^(?:\.git|\.ralph\/guardrail_[^/]*\.log)$/;

/**
 * Tells whether a work tree has changed, without git: what a guardrail misses is often just what git ignores, such as
 * `node_modules`. Sizes, modes and times are enough, because even a file that was only touched counts as a change.
 * Undefined where it cannot be told.
 */
export function treeFingerprint(root: string): string | undefined {
  const found: string[] = [];
  const pending = [''];
  try {
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (NOT_WORK.test(path)) continue;
        if (entry.isDirectory()) pending.push(path);
        const { size, mode, mtimeMs } = lstatSync(join(root, path));
        // A folder's own time changes with what is skipped in it.
        found.push(entry.isDirectory() ? path : `${path}\0${size}\0${mode}\0${mtimeMs}`);
        if (found.length > MOST_ENTRIES) return undefined;
      }
    }
  } catch {
    // Something went away while we looked, or is not ours to read: it is not known then.
    return undefined;
  }
  return digestOf(found.sort().join('\n'));
}
