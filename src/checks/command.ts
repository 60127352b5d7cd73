/** A check that is a shell command of the user's: its exit code says whether the work is good. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOutcome, COMMAND, outcomeOfCommand } from '../core/check.ts';
import { digestOf } from '../core/text/digest.ts';
import { runThroughPipe } from '../process/command.ts';
import { checkKind } from './kind.ts';

export const command = checkKind({
  kind: COMMAND,
  keys: { command: { is: 'text', what: 'A shell command; exit code 0 passes.' } },
  label: ({ command }) => command,
  run: async ({ command }, place, host) => {
    const exit = await runThroughPipe({ ...place, argv: shellCommand(command, process.platform) }, host);
    return exit === null ? null : { outcome: withTree(outcomeOfCommand(exit), place.cwd) };
  },
});

/** If a command could not be run, record the state of the work tree: a retry only makes sense once that has changed. */
function withTree(outcome: CheckOutcome, cwd: string): CheckOutcome {
  if (outcome.is !== 'unrunnable') return outcome;
  const tree = treeFingerprint(cwd);
  return tree === undefined ? outcome : { ...outcome, tree };
}

export function shellCommand(command: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  return platform === 'win32' ? ['cmd', '/c', command] : ['sh', '-c', command];
}

/** With more entries there is no fingerprint: reading them would take longer than it is worth. */
const MOST_ENTRIES = 50_000;
/** Git and ralph write there without any work being done. */
const NOT_WORK = /^(?:\.git|\.ralph\/guardrail_[^/]*\.log)$/;

/**
 * Detects whether a work tree has changed, without git: what a guardrail lacks is often something that git ignores,
 * such as `node_modules`. Sizes, modes and times are enough, because even a touched file counts as a change. Undefined
 * if it cannot be determined.
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
        // Not the times of folders: they also change with entries that are skipped.
        found.push(entry.isDirectory() ? path : `${path}\0${size}\0${mode}\0${mtimeMs}`);
        if (found.length > MOST_ENTRIES) return undefined;
      }
    }
  } catch {
    // An entry vanished, or is not readable: the state is unknown.
    return undefined;
  }
  return digestOf(found.sort().join('\n'));
}
