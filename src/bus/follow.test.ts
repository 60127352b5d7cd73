import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { appendMessage, rotateBus } from './append.ts';
import { type FollowOptions, followMessages } from './follow.ts';
import { readTail } from './read.ts';

let bus: string;

beforeEach(() => {
  bus = join(testFolder(), 'bus.md');
});

const post = (body: string, type = 'FACT') => appendMessage(bus, { type, projectId: 'p', body });

/** Collects what comes; `until` resolves when there are this many. */
function listen(options: Partial<FollowOptions> = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const heard: string[] = [];
  let wake = (): void => undefined;
  const ended = followMessages(bus, { signal: stop.signal, ...options }, ({ body }) => {
    heard.push(body);
    wake();
  });
  const until = async (count: number): Promise<string[]> => {
    while (heard.length < count) await Promise.race([new Promise<void>((done) => (wake = done)), ended]);
    return heard;
  };
  return { heard, until, stop, ended };
}

test('tells of messages as they come, from the beginning or from where a read ended', async () => {
  await post('one');
  const all = listen();
  const later = listen({ from: readTail(bus, 1).end });
  expect(await all.until(1)).toEqual(['one']);
  await post('two');
  expect(await all.until(2)).toEqual(['one', 'two']);
  expect(await later.until(1)).toEqual(['two']);
  all.stop.abort();
  await all.ended;
  await post('three');
  expect(await later.until(2)).toEqual(['two', 'three']);
  expect(all.heard).toEqual(['one', 'two']);
});

test('tells of some types only', async () => {
  const some = listen({ types: ['ERROR', 'USER'] });
  for (const type of ['INFO', 'ERROR', 'FACT', 'USER']) await post(type, type);
  expect(await some.until(2)).toEqual(['ERROR', 'USER']);
});

test('waits for a bus, and for its folder, that are not there yet', async () => {
  bus = join(bus, 'deeper', 'bus.md');
  const all = listen({ from: 1000, pollMs: 10 });
  mkdirSync(join(bus, '..'), { recursive: true });
  await post('one');
  expect(await all.until(1)).toEqual(['one']);
});

test('misses nothing and repeats nothing when the bus is rotated away all the time', async () => {
  const all = listen();
  const sent = Array.from({ length: 40 }, (_, index) => `message ${index}`);
  for (const [index, body] of sent.entries()) {
    await post(body);
    if (index % 7 !== 6) continue;
    // The name goes from file to file: the follower must have seen the one that it leaves.
    await all.until(index + 1);
    expect(await rotateBus(bus, 0)).not.toBeNull();
  }
  expect(await all.until(sent.length)).toEqual(sent);
});

test('reads the rest of a bus that was rotated away before it looked', async () => {
  await post('one');
  const all = listen();
  await all.until(1);
  await post('two');
  await rotateBus(bus, 0);
  await post('three');
  expect(await all.until(3)).toEqual(['one', 'two', 'three']);
});

test('reads what came between its last look and the rotation', async () => {
  await post('one');
  const stop = new AbortController();
  const heard: string[] = [];
  await followMessages(bus, { signal: stop.signal }, async ({ body }) => {
    heard.push(body);
    if (body === 'three') stop.abort();
    if (body !== 'one') return;
    await post('two');
    await rotateBus(bus, 0);
    await post('three');
  });
  expect(heard).toEqual(['one', 'two', 'three']);
});

test('goes on with a bus that was emptied, and with one that was removed', async () => {
  const all = listen({ pollMs: 10 });
  await post('one, which is longer than what comes next');
  await all.until(1);
  truncateSync(bus);
  await post('two');
  await all.until(2);
  rmSync(bus);
  await post('three');
  expect(await all.until(3)).toEqual(['one, which is longer than what comes next', 'two', 'three']);
});

test('tells of an entry once it is whole', async () => {
  await post('one');
  const whole = readFileSync(bus);
  writeFileSync(bus, '');
  const all = listen({ pollMs: 5 });
  for (const byte of whole) {
    expect(all.heard).toEqual([]);
    appendFileSync(bus, Buffer.of(byte));
  }
  expect(await all.until(1)).toEqual(['one']);
});

test('ends with what its listener throws', async () => {
  await post('one');
  const signal = new AbortController().signal;
  const follow = followMessages(bus, { signal }, () => {
    throw new Error('heard enough');
  });
  await expect(follow).rejects.toThrow('heard enough');
});
