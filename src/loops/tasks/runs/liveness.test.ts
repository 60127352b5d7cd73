import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import {
  makeRun,
  makeTask,
  NO_PROCESS,
  RUN,
  runningAs,
  startLiving,
  TASKS,
} from '../../../../test/support/tasks/task-folder.ts';
import { bootedAt } from '../../../process/identity/identity.ts';
import { ownName, tryLock } from '../../../state/lock.ts';
import { workTreeLock } from '../../../state/paths.ts';
import { runFile } from '../folder/task-folder.ts';
import { isLooping, isOrphaned, isRunActive } from './liveness.ts';
import { type RunInfo, readRunInfo } from './run-info.ts';

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

test('a run is active while a process of its group lives, although its first process is gone', async () => {
  const leader = spawn('sh', ['-c', 'sleep 1000 & echo $!'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [child] = (await once(leader.stdout, 'data')) as [Buffer];
  await once(leader, 'exit');
  onTestFinished(() => void process.kill(Number(child.toString()), 'SIGKILL'));
  const running = { ...runningAs({ pid: NO_PROCESS }), pgid: leader.pid ?? 0 };
  expect(isRunActive(infoOf(running))).toBe(true);
  expect(isRunActive(infoOf({ ...running, pgid: NO_PROCESS }))).toBe(false);
});

test('a process that began long after a run, and has its pid now, does not make it active', async () => {
  const stranger = await startLiving();
  const hourAgo = Date.now() - 3_600_000;
  const info = infoOf({ ...runningAs(stranger), supervisorPid: stranger.pid, startTime: hourAgo });
  expect(isRunActive(info)).toBe(false);
  expect(isOrphaned(info)).toBe(false);
  const agent = await startLiving();
  const orphaned = infoOf({ ...runningAs(agent), supervisorPid: process.pid });
  expect([isRunActive(orphaned), isOrphaned(orphaned)]).toEqual([true, false]);
});

test('a run from before the machine started is over, whichever process has its numbers now', () => {
  const before = (bootedAt() ?? 0) - 3_600_000;
  expect(isRunActive(infoOf({ ...runningAs({ pid: 1 }), startTime: before }))).toBe(false);
  expect(isRunActive(infoOf({ ...runningAs({ pid: 0 }), startTime: before }))).toBe(false);
});

test('a run without a process yet is about to start', () => {
  expect(isRunActive(infoOf(runningAs({ pid: 0 })))).toBe(true);
});

test('a task is looping while its lock is held, by whichever name it is reached, here or elsewhere', () => {
  const state = { path: testFolder() };
  const home = testFolder();
  const folder = makeTask(join(home, 'root'), TASKS[0]);
  symlinkSync(join(home, 'root'), join(home, 'link'));
  const byLink = folder.replace(join(home, 'root'), join(home, 'link'));
  expect([isLooping(folder, state), isLooping(byLink, state)]).toEqual([false, false]);
  // A reader that took the lock would keep out a loop that begins in that moment.
  expect(readdirSync(state.path)).toEqual([]);

  const attempt = tryLock(workTreeLock(state, folder), 'a test');
  expect([isLooping(folder, state), isLooping(byLink, state)]).toEqual([true, true]);
  if (attempt.got) attempt.lock.release();
  expect(isLooping(folder, state)).toBe(false);

  const another = ownName().split('.').with(1, 'another').join('.');
  symlinkSync(`${another}.1 a test`, join(workTreeLock(state, folder), 'holder'));
  expect(isLooping(folder, state)).toBe(true);
});
