import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../../test/support/error-of.ts';
import { testFolder } from '../../../test/support/folder.ts';
import { discoverBus, findBus } from './commands.ts';

const TASK = 'task-20260220-153045-my-feature';
const RUN = '20260220-1530450000-7-1';
let folder: string;
let root: string;

beforeEach(() => {
  folder = testFolder();
  root = join(folder, 'root');
  mkdirSync(join(root, 'p', TASK, 'runs', RUN, 'deep'), { recursive: true });
  mkdirSync(join(folder, 'work', 'deep'), { recursive: true });
});

interface Given {
  readonly use?: 'post' | 'read';
  readonly env?: Record<string, string>;
  readonly flags?: { readonly project?: string; readonly task?: string };
  readonly cwd?: string;
}

const find = ({ use = 'post', env = {}, flags = {}, cwd = join(folder, 'work') }: Given) =>
  findBus(use, { root, ...flags }, { cwd, environment: { variables: env } });

describe('the bus is found', () => {
  const env = {
    JRUN_MESSAGE_BUS: 'bus.md',
    MESSAGE_BUS: '/old',
    JRUN_PROJECT_ID: 'p',
    JRUN_TASK_ID: TASK,
    JRUN_ID: RUN,
  };
  const flags = { project: 'q', task: TASK };

  test('from the environment before the flags for a post, from the flags before the environment for a read', () => {
    const path = join(folder, 'work', 'bus.md');
    expect(find({ env, flags })).toEqual({ path, projectId: 'p', taskId: TASK, runId: RUN });
    expect(find({ env: { MESSAGE_BUS: '/old' }, flags })).toEqual({ path: '/old' });
    const byFlags = { path: join(root, 'q', TASK, 'TASK-MESSAGE-BUS.md'), projectId: 'q', taskId: TASK };
    expect(find({ use: 'read', env, flags })).toEqual(byFlags);
    expect(find({ env: { JRUN_MESSAGE_BUS: '', MESSAGE_BUS: '' }, flags })).toEqual(byFlags);
    expect(find({ use: 'read', env })).toMatchObject({ path });
  });

  test('from a project alone, or from a task of the current project', () => {
    expect(find({ flags: { project: 'q' } }).path).toBe(join(root, 'q', 'PROJECT-MESSAGE-BUS.md'));
    expect(find({ flags: { task: TASK }, env: { JRUN_PROJECT_ID: 'p' } }).path).toBe(
      join(root, 'p', TASK, 'TASK-MESSAGE-BUS.md'),
    );
    expect(errorOf(() => find({ flags: { task: TASK } })).message).toBe(`which project does task ${TASK} belong to?`);
  });

  test.each([
    ['whole', 'version: 1\nrun_id: r\nproject_id: x\ntask_id: y\n', { projectId: 'x', taskId: 'y', runId: 'r' }],
    ['empty', '', { projectId: 'p', taskId: TASK, runId: RUN }],
    ['corrupt', '{[', { projectId: 'p', taskId: TASK, runId: RUN }],
  ])('from the current run, with a run-info that is %s', (_how, text, ids) => {
    const run = join(root, 'p', TASK, 'runs', RUN);
    writeFileSync(join(run, 'run-info.yaml'), text);
    for (const cwd of [run, join(run, 'deep')]) {
      const found = { path: join(root, 'p', TASK, 'TASK-MESSAGE-BUS.md'), ...ids };
      expect(find({ cwd })).toEqual(found);
    }
  });

  test('from the current project or task, also through a link', () => {
    const task = { path: join(root, 'p', TASK, 'TASK-MESSAGE-BUS.md'), projectId: 'p', taskId: TASK };
    expect(find({ cwd: join(root, 'p', TASK, 'runs') })).toEqual(task);
    symlinkSync(join(root, 'p', TASK), join(folder, 'link'));
    expect(find({ cwd: join(folder, 'link') })).toEqual(task);
    const project = { path: join(root, 'p', 'PROJECT-MESSAGE-BUS.md'), projectId: 'p' };
    expect(find({ cwd: join(root, 'p') })).toEqual(project);
  });

  test('above the current folder: the nearest, a task before its project', () => {
    const cwd = join(folder, 'work', 'deep');
    expect(discoverBus(cwd)).toBeNull();
    for (const path of [
      'MESSAGE-BUS.md',
      'work/MESSAGE-BUS.md',
      'work/PROJECT-MESSAGE-BUS.md',
      'work/TASK-MESSAGE-BUS.md',
      'work/deep/MESSAGE-BUS.md',
    ]) {
      writeFileSync(join(folder, path), '');
      expect(find({ cwd })).toMatchObject({ path: join(folder, path) });
      expect(discoverBus(cwd)).toBe(join(folder, path));
    }
  });
});

describe('no bus is found', () => {
  test('if there is none', () => {
    const cwd = join(folder, 'work');
    expect(errorOf(() => find({ cwd }))).toMatchObject({
      message: `no message bus in ${cwd} or in a folder above it`,
      advice: { exitCode: 2, hint: 'Give --project, and --task for a task, or set JRUN_MESSAGE_BUS.' },
    });
  });

  test.each([
    [{ project: '../x' }, 'invalid project ID "../x": must not contain path separators (projects cannot be nested)'],
    [{ project: 'p', task: '../x' }, /^invalid task ID "..\/x": must match task-/],
  ])('for an id that leads elsewhere: %o', (flags, message) => {
    expect(errorOf(() => find({ flags })).message).toMatch(message);
  });
});
