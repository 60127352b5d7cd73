/** Runs the tests of some tiers, and counts what happened. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { belowGoal, coverageFlags, unitStatements } from './coverage.mjs';
import { environmentOfChildren, readOrNull, root } from './setup.mjs';

/** Tiers without coverage of the built programs: unit tests start none, and real agents would be measured, too. */
const UNMEASURED = ['static', 'unit', 'agents'];

/**
 * A skipped test counts as failed, so that nothing is left out silently. `lines` (of scripts/merged-coverage.mjs), if
 * given, gets what was run. `leftOutFiles` are not run; the caller says so.
 */
export async function runVitest(tiers, { lines = null, leftOutFiles = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-tally-'));
  const report = join(folder, 'tally.json');
  const coverage = tiers.join() === 'unit' ? join(folder, 'coverage') : null;
  try {
    const code = await vitest(tiers, { report, coverage, lines, leftOutFiles });
    if (coverage !== null) lines?.addUnit(unitStatements(coverage));
    const tally = JSON.parse(readOrNull(report) ?? 'null');
    if (tally !== null) return judge(tally, tiers, code, coverage === null ? [] : belowGoal(coverage));
    return { passed: 0, failures: [`vitest ended with ${code} and without a report`], retries: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function vitest(tiers, { report, coverage, lines, leftOutFiles }) {
  const args = [
    'run',
    ...tiers.flatMap((tier) => ['--project', tier]),
    ...leftOutFiles.map((path) => `--exclude=${path}`),
    // These tests wait even more than others, unless each process also writes down which lines it ran.
    ...(tiers.length > 1 ? [`--maxWorkers=${availableParallelism() + (lines === null ? 3 : 2)}`] : []),
    // Real agents use a core each, and must keep up with what is typed to them.
    ...(tiers.includes('agents') ? [`--maxWorkers=${Math.max(1, availableParallelism() - 1)}`] : []),
    '--silent=passed-only',
    '--reporter=default',
    '--reporter=./scripts/tally-reporter.mjs',
    ...(coverage === null ? [] : coverageFlags(coverage, { ofAll: lines !== null })),
  ];
  const isMeasured = lines !== null && !tiers.some((tier) => UNMEASURED.includes(tier));
  const programs = isMeasured ? { RALPH_PROGRAM_COVERAGE: lines.folder } : {};
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...environmentOfChildren(), RALPH_TALLY: report, ...programs },
  });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

/** Prints nothing: scripts/test.mjs lists failures and retries at its end, where people look for them. */
function judge({ passed, failed, skipped, retried, errors, seconds, tiers }, wanted, code, more) {
  const failures = [
    ...failed,
    ...skipped.map((name) => `${name}: skipped, which counts as failed`),
    ...errors.map((message) => `error outside of a test: ${message}`),
  ];
  failures.push(...more, ...wanted.filter((tier) => !(tier in tiers)).map((tier) => `${tier}: no test ran`));
  if (failures.length === 0 && code !== 0) failures.push(`every test passed, yet vitest ended with ${code}`);
  const slowest = Object.entries(seconds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([file, took]) => `${file} ${took.toFixed(0)} s`);
  return { passed, failures, retries: retried, slowest };
}
