import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { makeRun, makeTask, NOBODY, RUN, runningAs, startLiving, TASKS } from '../../../test/support/task-folder.ts';
import { type RunInfo, readRunInfo } from './run-info.ts';
import { isRunActive } from './run-life.ts';
import { runFile } from './task-folder.ts';

function infoOf(change: Partial<RunInfo>): RunInfo {
  const info = readRunInfo(runFile.info(makeRun(makeTask(testFolder(), TASKS[0]), RUN, change)));
  if (info === null) throw new Error('it was just written');
  return info;
}

test('a run is active while its process lives, and no longer', async () => {
  const agent = await startLiving();
  const info = infoOf(runningAs(agent));
  expect(isRunActive(info)).toBe(true);
  expect(isRunActive({ ...info, status: 'completed' })).toBe(false);
  expect(isRunActive({ ...info, endTime: Date.now() })).toBe(false);
  await agent.end();
  expect(isRunActive(info)).toBe(false);
});

test('a run is active while somebody of its group lives, though its first process is gone', async () => {
  const leader = spawn('sh', ['-c', 'sleep 1000 & echo $!'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [child] = (await once(leader.stdout, 'data')) as [Buffer];
  await once(leader, 'exit');
  onTestFinished(() => void process.kill(Number(child.toString()), 'SIGKILL'));
  expect(isRunActive(infoOf({ status: 'running', pid: NOBODY, pgid: leader.pid ?? 0 }))).toBe(true);
  expect(isRunActive(infoOf({ status: 'running', pid: NOBODY, pgid: NOBODY }))).toBe(false);
});

test('a run without a process yet is about to start', () => {
  expect(isRunActive(infoOf({ status: 'running', pid: 0, pgid: 0 }))).toBe(true);
});
