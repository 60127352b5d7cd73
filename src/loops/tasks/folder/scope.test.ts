import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { makeRun, makeTask, PROJECT, RUN, TASKS } from '../../../../test/support/tasks/task-folder.ts';
import { scopeOf, tasksRoot } from './task-folder.ts';

const [A, B] = TASKS;
const HOME = '/home/user';

describe('the root', () => {
  test('is that of the flag, relative to the current folder', () => {
    expect(tasksRoot({ HOME, JRUN_TASK_FOLDER: `/r/p/${A}` }, 'here', '/cwd')).toBe('/cwd/here');
  });

  test('is that of the current run, by its new name or its old one', () => {
    expect(tasksRoot({ HOME, JRUN_TASK_FOLDER: `/r/p/${A}` }, undefined, '/cwd')).toBe('/r');
    expect(tasksRoot({ HOME, TASK_FOLDER: `/r/p/${A}` }, '', '/cwd')).toBe('/r');
  });

  test('is otherwise the one around the current folder, and otherwise that of the user', () => {
    const root = testFolder();
    expect(tasksRoot({ HOME }, undefined, makeRun(makeTask(root, A), RUN))).toBe(root);
    expect(tasksRoot({ HOME }, undefined, root)).toBe(`${HOME}/.run-agent/runs`);
    expect(tasksRoot({ HOME, TASK_FOLDER: '/any/where' }, undefined, root)).toBe(`${HOME}/.run-agent/runs`);
  });
});

describe('project and task', () => {
  test('are first those of the flags', () => {
    const env = { HOME, JRUN_TASK_FOLDER: `/r/p/${A}` };
    expect(scopeOf({ project: 'q', task: B }, env, '/')).toEqual({ root: '/r', project: 'q', task: B });
    expect(scopeOf({ task: B }, env, '/')).toEqual({ root: '/r', project: 'p', task: B });
  });

  test('of the current run count only for the same root and project', () => {
    const env = { HOME, JRUN_TASK_FOLDER: `/r/p/${A}` };
    expect(scopeOf({}, env, '/')).toEqual({ root: '/r', project: 'p', task: A });
    expect(scopeOf({ project: 'q' }, env, '/')).toEqual({ root: '/r', project: 'q', task: null });
    expect(scopeOf({ root: '/other' }, env, '/')).toEqual({ root: '/other', project: null, task: null });
  });

  test('come from the folder: in a project, in a task and below it, but not where one only looks like it', () => {
    const root = testFolder();
    const folder = makeTask(root, A);
    expect(scopeOf({}, { HOME }, join(root, PROJECT))).toEqual({ root, project: PROJECT, task: null });
    expect(scopeOf({}, { HOME }, folder)).toEqual({ root, project: PROJECT, task: A });
    const deep = join(folder, 'work/src');
    mkdirSync(deep, { recursive: true });
    expect(scopeOf({}, { HOME }, deep)).toEqual({ root, project: PROJECT, task: A });
    const empty = join(root, 'empty', B);
    mkdirSync(empty, { recursive: true });
    expect(scopeOf({}, { HOME }, empty)).toMatchObject({ project: null, task: null });
  });
});
