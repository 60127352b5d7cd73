import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/error-of.ts';
import { testFolder } from '../../../../test/support/folder.ts';
import {
  LATER_RUN,
  makeRun,
  makeTask,
  PROJECT,
  RUN,
  runningAs,
  startLiving,
  TASKS,
} from '../../../../test/support/tasks/task-folder.ts';
import { blockedBy, checkNoCycle, normaliseDependencies, readDependencies, writeDependencies } from './dependencies.ts';
import { taskFile } from './task-folder.ts';

const [A, B, C] = TASKS;

describe('given dependencies', () => {
  test('can be repeated and separated by commas; each counts once, in order', () => {
    expect(normaliseDependencies(A, [` ${C} ,${B}`, '', `${B},,`])).toEqual([C, B]);
  });

  test.each([
    [A, `task "${A}" cannot depend on itself`],
    ['../other', 'dependency task id "../other" must not contain path separators'],
    ['b', 'invalid task ID "b": must match task-<YYYYMMDD>-<HHMMSS>-<slug> (e.g. task-20260220-153045-my-feature)'],
  ])('are refused: %s', (given, message) => {
    expect(errorOf(() => normaliseDependencies(A, [B, given]))).toMatchObject({ message });
  });
});

describe('TASK-CONFIG.yaml', () => {
  test('is read back as it was written, and removed when nothing is left in it', () => {
    const folder = makeTask(testFolder(), A);
    expect(readDependencies(folder)).toEqual([]);
    writeDependencies(folder, [B, C]);
    expect(readDependencies(folder)).toEqual([B, C]);
    expect(readFileSync(taskFile.config(folder), 'utf8')).toBe(`depends_on:\n  - ${B}\n  - ${C}\n`);
    writeDependencies(folder, []);
    expect(existsSync(taskFile.config(folder))).toBe(false);
    writeDependencies(folder, []);
  });

  test('keeps what else people wrote into it', () => {
    const folder = makeTask(testFolder(), A);
    writeFileSync(taskFile.config(folder), `# mine\npriority: 3\ndepends_on: ${B}\n`);
    expect(readDependencies(folder)).toEqual([B]);
    writeDependencies(folder, [C]);
    expect(readFileSync(taskFile.config(folder), 'utf8')).toBe(`# mine\npriority: 3\ndepends_on:\n  - ${C}\n`);
    writeDependencies(folder, []);
    expect(readFileSync(taskFile.config(folder), 'utf8')).toBe('# mine\npriority: 3\n');
  });

  test.each([
    ['no YAML', 'depends_on: [', /./],
    ['no list', 'depends_on: {a: b}', /not a list of task ids/],
    ['a path', 'depends_on: [../x]', /path separators/],
  ])('that holds %s is an error that names its path', (_title, text, why) => {
    const folder = makeTask(testFolder(), A);
    writeFileSync(taskFile.config(folder), text);
    const { message } = errorOf(() => readDependencies(folder));
    expect(message).toContain(taskFile.config(folder));
    expect(message).toMatch(why);
  });

  test.each(['', '# nothing yet\n', 'priority: 3\n', 'depends_on:\n'])('without dependencies has none: %j', (text) => {
    const folder = makeTask(testFolder(), A);
    writeFileSync(taskFile.config(folder), text);
    expect(readDependencies(folder)).toEqual([]);
    writeDependencies(folder, [B]);
    expect(readDependencies(folder)).toEqual([B]);
  });
});

describe('a cycle', () => {
  test.each([
    [A, B],
    [B, A],
  ])('of two is found, whichever closes it, and reported the same way', (first, second) => {
    const root = testFolder();
    makeTask(root, first, { dependsOn: [second] });
    expect(errorOf(() => checkNoCycle(root, PROJECT, second, [first]))).toMatchObject({
      message: `dependency cycle detected: ${A} -> ${B} -> ${A}`,
    });
  });

  test('further on is found, too, because it would never be done', () => {
    const root = testFolder();
    makeTask(root, B, { dependsOn: [C] });
    makeTask(root, C, { dependsOn: [B] });
    expect(errorOf(() => checkNoCycle(root, PROJECT, A, [B]))).toMatchObject({
      message: `dependency cycle detected: ${B} -> ${C} -> ${B}`,
    });
    checkNoCycle(root, PROJECT, A, []);
  });

  test('is none if two ways lead to one task, if there is nothing, or if another file is corrupt', () => {
    const root = testFolder();
    const check = (): void => checkNoCycle(root, PROJECT, A, [B, C]);
    expect(check).not.toThrow();
    makeTask(root, B, { dependsOn: [C] });
    expect(check).not.toThrow();
    writeFileSync(taskFile.config(makeTask(root, C)), '{');
    expect(check).not.toThrow();
  });
});

describe('a task is blocked', () => {
  test('by those that are missing or not done, whatever their last run came to', () => {
    const root = testFolder();
    makeRun(makeTask(root, B), RUN);
    expect(blockedBy(root, PROJECT, [C, B])).toEqual([C, B]);
    makeTask(root, C, { done: true });
    expect(blockedBy(root, PROJECT, [C, B])).toEqual([B]);
  });

  test('by one that is done as long as a run of it lives', async () => {
    const root = testFolder();
    const folder = makeTask(root, B, { done: true });
    const agent = await startLiving();
    makeRun(folder, RUN);
    makeRun(folder, LATER_RUN, runningAs(agent));
    expect(blockedBy(root, PROJECT, [B])).toEqual([B]);
    await agent.end();
    expect(blockedBy(root, PROJECT, [B])).toEqual([]);
  });

  test('not by an old run whose pid another process has now', async () => {
    const root = testFolder();
    const folder = makeTask(root, B, { done: true });
    const startTime = Date.now() - 3_600_000;
    makeRun(folder, RUN, { ...runningAs(await startLiving()), startTime });
    makeRun(folder, LATER_RUN, { ...runningAs({ pid: 1 }), startTime: Date.UTC(2020, 1) });
    expect(blockedBy(root, PROJECT, [B])).toEqual([]);
  });

  test('by one whose DONE is a directory, not by one with a corrupt run-info', () => {
    const root = testFolder();
    mkdirSync(taskFile.done(makeTask(root, B)));
    const folder = makeTask(root, C, { done: true });
    writeFileSync(`${makeRun(folder, RUN)}/run-info.yaml`, ': {');
    expect(blockedBy(root, PROJECT, [B, C])).toEqual([B]);
  });
});
