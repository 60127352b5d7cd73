import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import { localStore } from '../engine/store/local-store.ts';
import type { LoopStore } from '../engine/store/loop-store.ts';
import { loopFolder } from '../state/paths.ts';
import { activityOf, activityReader } from './activity.ts';

const loop = readableLoop({ transcript: 'runs/1-work-1.out', about: { limit: 3, agent: 'claude' } });
let store: LoopStore;
let transcript: string;

beforeEach(() => {
  const root = { path: testFolder() };
  store = localStore(root, async () => null);
  transcript = join(loopFolder(root, loop.id), 'runs/1-work-1.out');
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(transcript, '');
});

const says = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } })}\n`;

test('what came since is read, and what came before is still known', async () => {
  const read = activityReader(store);
  appendFileSync(transcript, says('first words'));
  expect((await read(loop))?.text).toBe('first words');
  expect((await read(loop))?.text).toBe('first words');
  appendFileSync(transcript, '{"type":"system"}\n');
  expect((await read(loop))?.text).toBe('first words');
  appendFileSync(transcript, says('other words'));
  expect((await read(loop))?.text).toBe('other words');
  expect((await activityOf(store, loop))?.text).toBe('other words');
});

test('a line that comes in pieces is read once it is whole', async () => {
  const read = activityReader(store);
  const line = says('words in two pieces');
  appendFileSync(transcript, line.slice(0, 60));
  expect((await read(loop))?.text).toBeNull();
  appendFileSync(transcript, line.slice(60));
  expect((await read(loop))?.text).toBe('words in two pieces');
});

test('nothing has changed: it is the same', async () => {
  const read = activityReader(store);
  appendFileSync(transcript, says('words'));
  expect(await read(loop)).toBe(await read(loop));
});

test('without an agent at work there is none', async () => {
  appendFileSync(transcript, says('words'));
  expect(await activityOf(store, { ...loop, supervisor: null })).toBeNull();
  expect(await activityOf(store, { ...loop, transcript: null })).toBeNull();
});
