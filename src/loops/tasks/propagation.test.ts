import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { testFolder } from '../../../test/support/folder.ts';
import { LATER_RUN, makeRun, makeTask, PROJECT, RUN, TASKS } from '../../../test/support/tasks/task-folder.ts';
import { readMessages } from '../../bus/read.ts';
import { projectBus, runFile, taskFile } from './folder/task-folder.ts';
import { type BusPlace, post } from './post.ts';
import { PROPAGATED, propagate } from './steps.ts';

let task: string;
let place: BusPlace;

beforeEach(() => {
  task = makeTask(testFolder(), TASKS[0], { done: true });
  place = { bus: taskFile.bus(task), project: PROJECT, task: TASKS[0] };
  makeRun(task, RUN);
});

const told = () => readMessages(projectBus(dirname(task))).messages;

describe('the project is told', () => {
  test('which task is done, by how many runs, with its last facts', async () => {
    makeRun(task, LATER_RUN, { status: 'failed', exitCode: 1 });
    for (let n = 1; n <= 7; n++) await post(place, 'FACT', `fact ${n}\nmore of it`);
    const { key, messageId, isNew } = await propagate(place, task);
    expect(isNew).toBe(true);
    expect(told()).toMatchObject([
      { msgId: messageId, type: 'FACT', projectId: PROJECT, taskId: TASKS[0], runId: LATER_RUN },
    ]);
    expect(told()[0]?.meta).toEqual({ kind: 'task_completion_propagation', propagation_key: key, task_bus: place.bus });
    expect(told()[0]?.body.split('\n')).toEqual([
      'task completion propagated to project scope',
      `task_dir: ${task}`,
      'runs: 2 (1 completed, 1 failed)',
      `latest_run: ${LATER_RUN}`,
      `output: ${task}/runs/${LATER_RUN}/output.md`,
      'facts: 7',
      ...[3, 4, 5, 6, 7].map((n) => `- fact ${n}`),
    ]);
    expect(parse(readFileSync(taskFile.propagation(task), 'utf8'))).toMatchObject({
      version: 1,
      last_propagation_key: key,
      last_project_message_id: messageId,
    });
  });

  test('once, even if that was said on the task’s own bus', async () => {
    const first = await propagate(place, task);
    await post(place, 'FACT', `${PROPAGATED} (msg_id=${first.messageId} key=${first.key})`);
    expect(await propagate(place, task)).toEqual({ ...first, isNew: false });
    expect(told()).toHaveLength(1);
  });

  test.each(['not there, because the writer died before it', 'spoilt', 'of another form'])(
    'once, even if the memo is %s',
    async (how) => {
      const first = await propagate(place, task);
      const memo = taskFile.propagation(task);
      if (how.startsWith('not there')) rmSync(memo);
      else writeFileSync(memo, how === 'spoilt' ? '{{{' : '- 1\n');
      expect(await propagate(place, task)).toEqual({ ...first, isNew: false });
      expect(told()).toHaveLength(1);
      // And the memo is there again.
      expect(readFileSync(memo, 'utf8')).toContain(first.key);
    },
  );

  test('again after the task was done once more: by another DONE, by another run, with another fact', async () => {
    await propagate(place, task);
    utimesSync(taskFile.done(task), new Date(5000), new Date(5000));
    await propagate(place, task);
    makeRun(task, LATER_RUN);
    await propagate(place, task);
    await post(place, 'FACT', 'a new one');
    expect((await propagate(place, task)).isNew).toBe(true);
    expect(told()).toHaveLength(4);
  });

  test('about each task of a project separately', async () => {
    const other = makeTask(dirname(dirname(task)), TASKS[1], { done: true });
    utimesSync(taskFile.done(task), new Date(5000), new Date(5000));
    utimesSync(taskFile.done(other), new Date(5000), new Date(5000));
    rmSync(taskFile.runs(task), { recursive: true });
    await propagate(place, task);
    await propagate({ ...place, bus: taskFile.bus(other), task: TASKS[1] }, other);
    expect(told().map(({ taskId }) => taskId)).toEqual([TASKS[0], TASKS[1]]);
  });

  test('although the report of a run cannot be read', async () => {
    writeFileSync(runFile.info(`${task}/runs/${RUN}`), '{{{');
    await propagate(place, task);
    expect(told()[0]?.body).toContain('runs: 0 (0 completed, 0 failed)');
  });
});
