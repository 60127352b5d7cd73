import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { makeLink, removeLink } from '../state/lock.ts';
import { lockOf } from '../state/under-lock.ts';
import { appendMessage, rotateBus } from './append.ts';
import { readMessages } from './read.ts';

let bus: string;
const draft = { type: 'FACT', projectId: 'p', body: 'text' };
const now = () => 1_771_874_230_184_887_000n;

beforeEach(() => {
  bus = join(testFolder(), 'bus.md');
});

test('a bus above the size is moved aside under the time, and the next message begins a new one', async () => {
  const first = await appendMessage(bus, draft);
  const { size } = statSync(bus);
  expect(await rotateBus(bus, size, now)).toBeNull();
  const archive = await rotateBus(bus, size - 1, now);
  expect(archive).toBe(`${bus}.20260223-191710.archived`);
  expect(existsSync(bus)).toBe(false);
  const second = await appendMessage(bus, draft);
  expect(readMessages(archive ?? '').messages).toEqual([first]);
  expect(readMessages(bus).messages).toEqual([second]);
});

test('two within one second do not overwrite each other', async () => {
  for (const _ of [1, 2]) {
    await appendMessage(bus, draft);
    await rotateBus(bus, 0, now);
  }
  expect(readdirSync(join(bus, '..')).sort()).toEqual(
    ['20260223-191710', '20260223-191711'].map((time) => `${basename(bus)}.${time}.archived`),
  );
});

test('of two at once one does it', async () => {
  await appendMessage(bus, draft);
  expect(makeLink(lockOf(bus))).toBeNull();
  const both = Promise.all([rotateBus(bus, 0, now), rotateBus(bus, 0, now)]);
  removeLink(lockOf(bus));
  expect((await both).filter((archive) => archive !== null)).toHaveLength(1);
});

test('a bus that is not there is left alone', async () => {
  expect(await rotateBus(bus, 0)).toBeNull();
  expect(await rotateBus(join(bus, 'none', 'bus.md'), 0)).toBeNull();
});
