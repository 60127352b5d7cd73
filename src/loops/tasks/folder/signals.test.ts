import { chmodSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/error-of.ts';
import { testFolder } from '../../../../test/support/folder.ts';
import { appendMessage } from '../../../bus/append.ts';
import { busSize, consumeSignals, isDone, isStopRequested, WAIT_MESSAGE_TYPE, waitSignal } from './signals.ts';
import { taskFile } from './task-folder.ts';

const RUN = '20260220-1530450000-4711-1';
let task: string;
let bus: string;

beforeEach(() => {
  task = testFolder();
  bus = taskFile.bus(task);
});

const say = (body: string, runId?: string, type = WAIT_MESSAGE_TYPE) =>
  appendMessage(bus, { type, projectId: 'p', body, ...(runId === undefined ? {} : { runId }) });
const signal = (busOffset = 0) => waitSignal(task, bus, { runId: RUN, busOffset });

describe('an agent waits', () => {
  test('not if it says nothing, or if there is no bus', () => {
    expect(signal()).toBeNull();
    writeFileSync(bus, '');
    expect(signal()).toBeNull();
  });

  test('if the file exists', () => {
    writeFileSync(taskFile.waitWithoutRestart(task), '');
    expect(signal()).toBe('WAIT_WITHOUT_RESTART exists');
    expect(waitSignal(task, bus, null)).toBe('WAIT_WITHOUT_RESTART exists');
  });

  test('if a message of its run, or of no run, says so; its text is the reason', async () => {
    await say('for an answer', RUN);
    expect(signal()).toBe('for an answer');
    await say('  ');
    expect(signal()).toBe('a message says so');
  });

  test('not because of a message of another run, of another type, or from before', async () => {
    await say('another', '20260220-1530450000-4711-2');
    await say('a note', RUN, 'INFO');
    expect(signal()).toBeNull();
    await say('old', RUN);
    expect(signal(busSize(bus))).toBeNull();
    expect(waitSignal(task, bus, null)).toBeNull();
  });

  test('even if a new bus was begun meanwhile', async () => {
    await say('x'.repeat(500), RUN, 'INFO');
    const offset = busSize(bus);
    writeFileSync(bus, '');
    await say('for an answer', RUN);
    expect(signal(offset)).toBe('for an answer');
  });
});

describe('a request to stop', () => {
  const now = Date.UTC(2026, 1, 20, 15, 30, 45);
  const request = (text: string): void => writeFileSync(taskFile.stopRequested(task), text);

  test('holds for a minute', () => {
    expect(isStopRequested(task, now)).toBe(false);
    request(`${new Date(now - 59_000).toISOString()}\n`);
    expect(isStopRequested(task, now)).toBe(true);
    request(`${new Date(now - 61_000).toISOString()}\n`);
    expect(isStopRequested(task, now)).toBe(false);
  });

  test('that is permanent holds until it is taken back', () => {
    request('permanent\n');
    expect(isStopRequested(task, now)).toBe(true);
    consumeSignals(task);
    expect(isStopRequested(task, now)).toBe(false);
  });

  test('without a time has that of its file', () => {
    request('please');
    utimesSync(taskFile.stopRequested(task), new Date(now), new Date(now));
    expect(isStopRequested(task, now + 1000)).toBe(true);
    expect(isStopRequested(task, now + 61_000)).toBe(false);
  });
});

test('a start removes both files, if there are any', () => {
  consumeSignals(task);
  writeFileSync(taskFile.waitWithoutRestart(task), '');
  consumeSignals(task);
  expect(existsSync(taskFile.waitWithoutRestart(task))).toBe(false);
});

test('the presence of DONE is enough, whatever its content and mode', () => {
  const folder = testFolder();
  expect(isDone(folder)).toBe(false);
  writeFileSync(join(folder, 'DONE'), '');
  chmodSync(join(folder, 'DONE'), 0);
  expect(isDone(folder)).toBe(true);
});

test('a link that leads nowhere does not count as DONE', () => {
  const folder = testFolder();
  symlinkSync('nowhere', join(folder, 'DONE'));
  expect(isDone(folder)).toBe(false);
});

test('a directory is an error that says what to do', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'DONE'));
  const { message, advice } = errorOf(() => isDone(folder));
  expect(message).toBe('DONE is a directory');
  expect(advice).toMatchObject({ hint: expect.stringContaining(join(folder, 'DONE')), exitCode: 2 });
});

test('a folder that cannot be read is an error, not a no', () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '');
  expect(errorOf(() => isDone(file)).message).toMatch(/^stat DONE: .*: part of this path is a file, not a directory/);
});
