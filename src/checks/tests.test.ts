import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { endProcessesOf } from '../../test/support/programs/processes.ts';
import type { CheckOutcome } from '../core/check.ts';
import { thisHost } from '../process/host.ts';
import { runCheck } from './index.ts';

let cwd: string;

beforeEach(() => {
  cwd = testFolder();
  writeFileSync(
    join(cwd, 'a.test.mjs'),
    `import { test } from 'node:test';
     const only = process.env.SKIP === 'all' ? { skip: true } : {};
     test('one', only, () => {});
     test('two', { skip: process.env.SKIP !== undefined }, () => { if (process.env.RED) throw new Error('no'); });`,
  );
});

async function outcomeOf(given: { command: string; report?: string }): Promise<CheckOutcome | undefined> {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const check = { kind: 'tests', given, index: 0, log: 'log', keepChars: 100, timeoutMs: null };
  const { signal } = new AbortController();
  const place = { cwd, folder, mark: folder, extraEnv: {}, signal, grace: 10_000, expired: () => null };
  return (await runCheck({ check, ...place }, thisHost({ PATH: process.env.PATH }, null)))?.outcome;
}

const NODE = `'${process.execPath}' --test`;
const TO_FILE = `${NODE} --test-reporter=junit --test-reporter-destination=report.xml`;

test.each<[string, string, string | undefined, CheckOutcome]>([
  ['all green', TO_FILE, 'report.xml', { is: 'passed', how: '2 tests' }],
  ['one skipped', `SKIP=1 ${TO_FILE}`, 'report.xml', { is: 'passed', how: '1 test, 1 skipped' }],
  ['all skipped', `SKIP=all ${TO_FILE}`, 'report.xml', { is: 'failed', how: 'all 2 tests were skipped' }],
  ['red', `RED=1 ${TO_FILE}`, 'report.xml', { is: 'failed', how: 'exit 1, 1 of 2 tests failed', code: 1 }],
  [
    'red, and said to be green',
    `RED=1 ${TO_FILE} || true`,
    'report.xml',
    { is: 'failed', how: '1 of 2 tests failed, although it exited with 0' },
  ],
  ['replaced by true', 'true', 'report.xml', { is: 'failed', how: 'no report of tests in report.xml' }],
  ['no test at all', `echo '<testsuites/>' >report.xml`, 'report.xml', { is: 'failed', how: 'no test was run' }],
  ['in the output', `echo words; ${NODE} --test-reporter=tap`, undefined, { is: 'passed', how: '2 tests' }],
  [
    'nothing in the output',
    'echo all 20 tests passed',
    undefined,
    { is: 'failed', how: 'no report of tests in the output' },
  ],
  ['not to be run', 'no-such-program', undefined, { is: 'unrunnable', code: 127 }],
])('%s', async (_what, command, report, outcome) => {
  expect(await outcomeOf({ command, ...(report === undefined ? {} : { report }) })).toEqual(outcome);
});

test('a report that was there before does not count', async () => {
  writeFileSync(join(cwd, 'report.xml'), '<testsuite><testcase name="planted"/></testsuite>');
  expect(await outcomeOf({ command: 'true', report: 'report.xml' })).toMatchObject({ is: 'failed' });
});

test('a link of the agent’s leads to no report, and removes nothing elsewhere', async () => {
  const elsewhere = testFolder();
  const planted = join(elsewhere, 'report.xml');
  writeFileSync(planted, '<testsuite><testcase name="planted"/></testsuite>');
  mkdirSync(join(cwd, 'out'));
  symlinkSync(planted, join(cwd, 'out/report.xml'));
  symlinkSync(elsewhere, join(cwd, 'linked'));
  for (const report of ['out/report.xml', 'linked/report.xml'])
    expect(await outcomeOf({ command: 'true', report })).toMatchObject({ is: 'failed' });
  expect(existsSync(planted) && readFileSync(planted, 'utf8')).toContain('planted');
});
