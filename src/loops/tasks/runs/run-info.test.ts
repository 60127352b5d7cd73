import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorOf } from '../../../../test/support/error-of.ts';
import { testFolder } from '../../../../test/support/folder.ts';
import { errorSummary, type RunInfo, readRunInfo, updateRunInfo, writeRunInfo } from './run-info.ts';

const INFO: RunInfo = {
  runId: '20260220-1530450000-4711-1',
  project: 'my-project',
  task: 'task-20260220-153045-my-feature',
  agent: 'claude',
  ownership: 'managed',
  pid: 4711,
  pgid: 4711,
  startTime: Date.UTC(2026, 1, 20, 15, 30, 45, 123),
  endTime: null,
  exitCode: -1,
  status: 'running',
  cwd: '/tmp/a folder: with "quotes" #and\ttabs',
  promptPath: '/r/prompt.md',
  outputPath: '/r/output.md',
  stdoutPath: '/r/agent-stdout.txt',
  stderrPath: '/r/agent-stderr.txt',
  agentVersion: '2.1.325',
};

const file = (): string => join(testFolder(), 'run-info.yaml');

describe('run-info.yaml', () => {
  test('is read back as it was written, whatever its values contain', () => {
    const path = file();
    const whole: RunInfo = {
      ...INFO,
      parentRunId: '1',
      previousRunId: 'null',
      endTime: INFO.startTime + 5,
      exitCode: 1,
      status: 'failed',
      commandLine: "claude -p 'a\nb: c' # d",
      errorSummary: 'agent reported failure',
    };
    for (const info of [INFO, whole]) {
      writeRunInfo(path, info);
      expect(readRunInfo(path)).toEqual(info);
    }
    expect(readdirSync(dirname(path))).toEqual(['run-info.yaml']);
  });

  test('has the names of its format, and placeholders for what is not known yet', () => {
    const path = file();
    writeRunInfo(path, INFO);
    const info = readRunInfo(path);
    expect(info?.endTime).toBeNull();
    const text = parse(readFileSync(path, 'utf8'));
    expect(text).toMatchObject({
      version: 1,
      run_id: INFO.runId,
      end_time: '0001-01-01T00:00:00Z',
      exit_code: -1,
      status: 'running',
      process_ownership: 'managed',
    });
  });

  test('of another writer is read: times with nanoseconds, missing and unknown fields', () => {
    const path = file();
    writeFileSync(
      path,
      'version: 1\nrun_id: r-1\nstart_time: 2026-02-20T15:30:45.184887123Z\nend_time: 2026-02-20T15:31:00Z\nnew: x\n',
    );
    expect(readRunInfo(path)).toMatchObject({ runId: 'r-1', pid: 0, exitCode: -1, status: 'failed' });
  });

  test.each([
    ['no YAML', ': : {'],
    ['nothing', ''],
    ['without an id', 'status: running\n'],
    ['without a start', 'run_id: r-1\n'],
  ])('that is %s is an error that names its path', (_title, text) => {
    const path = file();
    writeFileSync(path, text);
    expect(errorOf(() => readRunInfo(path))).toMatchObject({
      code: 'RUN_INFO',
      message: expect.stringContaining(path),
    });
  });

  test('that does not exist is none, and is not created by a change', async () => {
    const path = file();
    await updateRunInfo(path, (info) => ({ ...info, exitCode: 0 }));
    expect(readRunInfo(path)).toBeNull();
  });
});

test.each([
  [1, 'agent reported failure'],
  [2, 'agent usage error'],
  [137, 'agent killed (OOM or signal)'],
  [143, 'agent terminated (SIGTERM)'],
  [7, 'agent exited with code 7'],
])('exit code %d in a word', (code, words) => {
  expect(errorSummary(code)).toBe(words);
});
