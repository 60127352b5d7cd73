/**
 * A check that is a command with a test report: an exit code does not show that any test ran. If all tests are skipped,
 * a filter matches nothing, or the runner was replaced by `true`, the exit code is 0 as well.
 */
import { lstatSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { plural } from '../core/budget/usage.ts';
import type { CheckOutcome } from '../core/check.ts';
import { outcomeOfCommand } from '../core/check.ts';
import type { TestCase } from '../core/proof/test-case.ts';
import { runThroughPipe } from '../process/command.ts';
import { realPathOr, realPathSoFar } from '../process/files.ts';
import { shellCommand } from './command.ts';
import { checkKind } from './kind.ts';
import { type Reported, readReportFile } from './reports/read-file.ts';

export const tests = checkKind({
  kind: 'tests',
  keys: {
    command: { is: 'text', what: 'A shell command that runs tests.' },
    report: {
      is: 'text',
      what: 'The file to which the command reports its tests: JUnit XML, TAP, or the JSON of jest, vitest, mocha, pytest or go. By default, ralph looks for the report in the output.',
      optional: true,
    },
  },
  label: ({ command }) => command,
  run: async ({ command, report }, place, host) => {
    const file = report === undefined ? place.output : reportFile(report, place.cwd);
    // A report from an earlier run, or one that the agent put there, says nothing about this run.
    if (report !== undefined && file !== null) removeEntry(file);
    const exit = await runThroughPipe({ ...place, argv: shellCommand(command, process.platform) }, host);
    if (exit === null) return null;
    const found = file === null ? { tests: null } : readReportFile(file);
    return { outcome: outcomeOfTests(outcomeOfCommand(exit), found, report ?? 'the output') };
  },
});

/** Null if a link made by the agent leads out of the work tree: nothing there is removed or read. */
export function reportFile(report: string, cwd: string): string | null {
  const path = resolve(cwd, report);
  // The user has named this path outside of the work tree.
  if (!isIn(path, cwd)) return path;
  const folder = realPathSoFar(dirname(path));
  return isIn(join(folder, 'x'), realPathOr(cwd)) ? join(folder, basename(path)) : null;
}

const isIn = (path: string, folder: string): boolean => path.startsWith(folder + sep);

/** A folder is not a report, so it stays. */
function removeEntry(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) rmSync(path, { force: true });
}

export function outcomeOfTests(ran: CheckOutcome, { tests: found, unread }: Reported, where: string): CheckOutcome {
  if (ran.is !== 'passed' && ran.is !== 'failed') return ran;
  const count = (outcome: TestCase['outcome']): number => found?.filter((one) => one.outcome === outcome).length ?? 0;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const total = passed + failed + skipped;
  const words = `${failed} of ${plural(total, 'test')} failed`;
  if (ran.is === 'failed') return failed === 0 ? ran : { ...ran, how: `${ran.how}, ${words}` };
  if (found === null) {
    const isTooLarge = unread?.startsWith('is larger') === true;
    return {
      is: 'failed',
      how: isTooLarge ? `the report of tests in ${where} ${unread}` : `no report of tests in ${where}`,
    };
  }
  if (failed > 0) return { is: 'failed', how: `${words}, although it exited with 0` };
  if (total === 0) return { is: 'failed', how: 'no test was run' };
  if (passed === 0)
    return { is: 'failed', how: total === 1 ? 'the only test was skipped' : `all ${total} tests were skipped` };
  return { is: 'passed', how: `${plural(passed, 'test')}${skipped === 0 ? '' : `, ${skipped} skipped`}` };
}
