/** Runs the tests of one tier, and counts what happened. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfChildren, readOrNull, root } from './setup.mjs';

/** A test that was skipped counts as failed: nothing is left out in silence. */
export async function runVitest(tier) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-tally-'));
  const report = join(folder, 'tally.json');
  try {
    const code = await vitest(tier, report);
    const tally = JSON.parse(readOrNull(report) ?? 'null');
    return tally === null ? crashed(`vitest ended with ${code} and without a report`) : judge(tally, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function vitest(tier, report) {
  const args = [
    'run',
    '--project',
    tier,
    '--silent=passed-only',
    '--reporter=default',
    '--reporter=./scripts/tally-reporter.mjs',
  ];
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...environmentOfChildren(), RALPH_TALLY: report },
  });
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

function judge({ passed, failed, skipped, retried, errors }, code) {
  for (const name of skipped) console.log(`  skipped, which counts as failed: ${name}`);
  for (const message of errors) console.log(`  error outside of a test: ${message}`);
  for (const name of retried) console.log(`  retried: ${name}`);
  const failures = failed.length + skipped.length + errors.length;
  if (failures === 0 && passed === 0) return crashed('no test ran');
  if (failures === 0 && code !== 0) return crashed(`every test passed, yet vitest ended with ${code}`, passed);
  return { passed, failed: failures, retried: retried.length };
}

function crashed(reason, passed = 0) {
  console.log(`  failed: ${reason}`);
  return { passed, failed: 1, retried: 0 };
}
