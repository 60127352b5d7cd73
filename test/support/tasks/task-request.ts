/** The request that a task's loop was started with, for tests of its rules. */
import { NEW_TASK, type TaskRequest } from '../../../src/loops/tasks/request.ts';

export const TASK_REQUEST: TaskRequest = {
  ...NEW_TASK,
  folder: '/t',
  project: 'p',
  task: 'task-20260220-153045-basket',
  bus: '/t/TASK-MESSAGE-BUS.md',
  agent: 'agent',
  flags: ['--deep'],
  prompt: null,
  cwd: '/work',
};
