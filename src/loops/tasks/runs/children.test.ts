import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import {
  LATER_RUN,
  makeRun,
  makeTask,
  NO_PROCESS,
  RUN,
  runningAs,
  startLiving,
  TASKS,
} from '../../../../test/support/tasks/task-folder.ts';
import { runFile, taskFile } from '../folder/task-folder.ts';
import { lookAtChildren, markLeft, waitForChildren } from './liveness.ts';
import { readRunInfo } from './run-info.ts';

const PARENT = '20260220-1500000000-1-1';
let task: string;

beforeEach(() => {
  task = makeTask(testFolder(), TASKS[0]);
});

const infoOf = (run: string) => readRunInfo(runFile.info(`${taskFile.runs(task)}/${run}`));
const wait = (given: Partial<Parameters<typeof waitForChildren>[1]> = {}) =>
  waitForChildren(task, {
    timeoutMs: 10_000,
    pollMs: 10,
    signal: new AbortController().signal,
    onWait: async () => undefined,
    endOrphaned: async () => undefined,
    ...given,
  });

describe('a child is active', () => {
  test('while it has a parent, no end, and a living process', async () => {
    const living = await startLiving();
    makeRun(task, RUN, { ...runningAs(living), parentRunId: PARENT });
    expect(lookAtChildren(task)).toEqual({ active: [RUN], ending: [], orphaned: [], problems: [] });
  });

  test('even if only its supervisor lives, which is still ending what the agent left', async () => {
    const { pid } = await startLiving();
    makeRun(task, RUN, { ...runningAs({ pid: NO_PROCESS }), parentRunId: PARENT, supervisorPid: pid });
    expect(lookAtChildren(task).active).toEqual([RUN]);
  });

  test('not without a parent, and not after its end', async () => {
    const living = await startLiving();
    makeRun(task, RUN, runningAs(living));
    makeRun(task, LATER_RUN, { pid: living.pid, parentRunId: PARENT });
    expect(lookAtChildren(task)).toEqual({ active: [], ending: [], orphaned: [], problems: [] });
  });

  test('a report that cannot be read is named, and hides no other', async () => {
    const living = await startLiving();
    const folder = makeRun(task, RUN);
    writeFileSync(runFile.info(folder), '{{{');
    makeRun(task, LATER_RUN, { ...runningAs(living), parentRunId: PARENT });
    const { active, problems } = lookAtChildren(task);
    expect(active).toEqual([LATER_RUN]);
    expect(problems).toEqual([expect.stringContaining(runFile.info(folder))]);
  });
});

describe('waiting for children', () => {
  test('ends at once if there are none', async () => {
    expect(await wait({ onWait: () => Promise.reject(new Error('said')) })).toEqual([]);
  });

  test('ends when they have ended, and says once which ones it waits for', async () => {
    const living = await startLiving();
    const info = { ...runningAs(living), parentRunId: PARENT };
    makeRun(task, RUN, info);
    makeRun(task, LATER_RUN, { ...info, supervisorPid: NO_PROCESS });
    const said: (readonly string[])[] = [];
    const left = await wait({
      onWait: async (active) => void said.push(active),
      // After two looks, the second one still exists, and the first has ended.
      endOrphaned: async () => {
        makeRun(task, RUN, { ...info, status: 'completed', endTime: Date.now() });
        makeRun(task, LATER_RUN, { ...info, status: 'stopped', endTime: Date.now() });
      },
    });
    expect(left).toEqual([]);
    expect(said).toEqual([[RUN, LATER_RUN]]);
  });

  test('marks one that died without a word as failed', async () => {
    makeRun(task, RUN, { status: 'running', parentRunId: PARENT });
    expect(await wait()).toEqual([]);
    expect(infoOf(RUN)).toMatchObject({ status: 'failed', exitCode: -1, errorSummary: 'its supervisor died' });
    expect(infoOf(RUN)?.endTime).not.toBeNull();
  });

  test('ends an agent whose supervisor died, and marks it as failed', async () => {
    const agent = await startLiving();
    makeRun(task, RUN, { ...runningAs(agent), parentRunId: PARENT, supervisorPid: NO_PROCESS });
    expect(lookAtChildren(task)).toMatchObject({ active: [RUN], orphaned: [RUN] });
    expect(await wait({ endOrphaned: agent.end })).toEqual([]);
    expect(infoOf(RUN)).toMatchObject({ status: 'failed', errorSummary: 'its supervisor died' });
  });

  test('returns those that are left when the time is up', async () => {
    const living = await startLiving();
    makeRun(task, RUN, { ...runningAs(living), parentRunId: PARENT });
    expect(await wait({ timeoutMs: 30 })).toEqual([RUN]);
    expect(infoOf(RUN)?.status).toBe('running');
  });

  test('is ended at once by a signal', async () => {
    const living = await startLiving();
    makeRun(task, RUN, { ...runningAs(living), parentRunId: PARENT });
    const cancel = new AbortController();
    const waiting = wait({
      pollMs: 100_000,
      timeoutMs: 100_000,
      signal: cancel.signal,
      onWait: async () => cancel.abort(),
    });
    await expect(waiting).rejects.toThrow('abort');
  });
});

test('what others left is marked only where it is meant and dead', async () => {
  const living = await startLiving();
  makeRun(task, RUN, { status: 'running' });
  makeRun(task, LATER_RUN, { ...runningAs(living) });
  makeRun(task, `${RUN}1`, { status: 'running', parentRunId: PARENT });
  await markLeft(task, ({ parentRunId }) => parentRunId === undefined, 5);
  expect(infoOf(RUN)).toMatchObject({ status: 'failed', endTime: 5 });
  expect(infoOf(LATER_RUN)).toMatchObject({ status: 'running' });
  expect(infoOf(`${RUN}1`)).toMatchObject({ status: 'running' });
});
