import { symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { makeRun, makeTask, RUN, TASKS } from '../../../../test/support/tasks/task-folder.ts';
import { makeLink, removeLink } from '../../../state/lock.ts';
import { lockOf } from '../../../state/under-lock.ts';
import { runFile } from '../folder/task-folder.ts';
import { markEnded } from './liveness.ts';
import { readRunInfo, reportRun, updateRunInfo, writeRunInfo } from './run-info.ts';

let task: string;
let path: string;

beforeEach(() => {
  task = makeTask(testFolder(), TASKS[0]);
  path = runFile.info(makeRun(task, RUN, { status: 'running' }));
});

const ended = () => {
  const info = readRunInfo(path);
  if (info === null) throw new Error('no report');
  return { ...info, endTime: 5, exitCode: 0, status: 'completed' } as const;
};

test('a mark does not overwrite the end that a supervisor writes at that moment', async () => {
  expect(makeLink(lockOf(path))).toBeNull();
  const marking = markEnded(task, RUN, 9);
  writeRunInfo(path, ended());
  removeLink(lockOf(path));
  await marking;
  expect(readRunInfo(path)).toMatchObject({ endTime: 5, status: 'completed' });
});

test('a supervisor’s report waits for the process that changes the file, and is not overwritten', async () => {
  expect(makeLink(lockOf(path))).toBeNull();
  const info = ended();
  const reporting = reportRun(path, info);
  writeRunInfo(path, { ...info, exitCode: 9, status: 'failed' });
  removeLink(lockOf(path));
  await reporting;
  expect(readRunInfo(path)).toMatchObject({ exitCode: 0, status: 'completed' });
});

test('a lock that an agent made up does not keep a supervisor from reporting', async () => {
  symlinkSync('stranger@elsewhere', lockOf(path));
  await reportRun(path, ended());
  expect(readRunInfo(path)).toMatchObject({ status: 'completed' });
});

test('a report that was damaged meanwhile is left alone by a mark, and refused for a change', async () => {
  writeFileSync(path, '{{{');
  await markEnded(task, RUN, 9);
  await expect(updateRunInfo(path, (info) => info)).rejects.toMatchObject({ code: 'RUN_INFO' });
});
