/** What a task's loop was started with, for tests of its rules. */
import { TASK_DEFAULTS, type TaskRequest } from '../../src/loops/tasks/rules.ts';

export const TASK_REQUEST: TaskRequest = {
  ...TASK_DEFAULTS,
  kind: 'task',
  folder: '/t',
  project: 'p',
  task: 'task-20260220-153045-basket',
  bus: '/t/TASK-MESSAGE-BUS.md',
  agent: 'agent',
  flags: ['--deep'],
  prompt: null,
  cwd: '/work',
  isResumed: false,
  parentRunId: null,
  previousRunId: null,
  runId: null,
  idleTimeoutMs: null,
  totalTimeoutMs: null,
  dependsOn: [],
};
