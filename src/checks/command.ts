/** A check that is a shell command of the user's own: its exit code says whether the work is good. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOutcome, COMMAND, outcomeOfCommand } from '../core/check.ts';
import { digestOf } from '../core/text/digest.ts';
import { runThroughPipe } from '../process/command.ts';
import { checkKind } from './kind.ts';

export const command = checkKind({
  kind: COMMAND,
  keys: { command: { is: 'text', what: 'A shell command; exit code 0 means that the work is good.' } },
  label: ({ command }) => command,
  run: async ({ command }, place, host) => {
    const exit = await runThroughPipe({ ...place, argv: shellCommand(command, process.platform) }, host);
    return exit === null ? null : { outcome: withTree(outcomeOfCommand(exit), place.cwd) };
  },
});

/** For a command that could not be run it matters whether the work tree changes until the next try. */
function withTree(outcome: CheckOutcome, cwd: string): CheckOutcome {
  if (outcome.is !== 'unrunnable') return outcome;
  const tree = treeFingerprint(cwd);
  return tree === undefined ? outcome : { ...outcome, tree };
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
