import { describe, expect, test } from 'vitest';
import { firstRecord } from '../../test/support/loops/play.ts';
import type { LoopEvent } from './drive.ts';
import { eventQueue } from './event-queue.ts';

const run = { loop: 'l', iteration: 1, purpose: 'work', try: 1 };

function progress(seq: number): LoopEvent<null> {
  return { type: 'progress', run, seq, event: { type: 'text', text: `${seq}` } };
}

function record(seq: number): LoopEvent<null> {
  // The state is not read here.
  return { type: 'record', record: { ...firstRecord('run'), seq }, state: {} as never };
}

async function all(queue: ReturnType<typeof eventQueue<null>>): Promise<LoopEvent<null>[]> {
  const events: LoopEvent<null>[] = [];
  for await (const event of queue.events()) events.push(event);
  return events;
}

describe('a reader', () => {
  test('gets what was pushed before it came, in order, and ends when the queue is closed', async () => {
    const queue = eventQueue<null>();
    const pushed = [record(0), progress(0), progress(1), record(1)];
    for (const event of pushed) queue.push(event);
    queue.close();
    expect(await all(queue)).toEqual(pushed);
  });

  test('that waits gets each event as it comes', async () => {
    const queue = eventQueue<null>();
    const events = queue.events();
    for (const seq of [0, 1, 2]) {
      const next = events.next();
      queue.push(record(seq));
      expect(await next).toEqual({ done: false, value: record(seq) });
    }
    const last = events.next();
    queue.close();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test('that works on one event misses nothing that comes in the meantime', async () => {
    const queue = eventQueue<null>();
    queue.push(record(0));
    const seen: number[] = [];
    for await (const event of queue.events()) {
      const { seq } = event.type === 'record' ? event.record : { seq: -1 };
      seen.push(seq);
      if (seq < 5) queue.push(record(seq + 1));
      else queue.close();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

test('a reader that is too slow misses progress, but no record, and what it gets is in order', async () => {
  const queue = eventQueue<null>();
  for (let seq = 0; seq < 12_000; seq++) {
    queue.push(progress(seq));
    if (seq % 1000 === 0) queue.push(record(seq / 1000));
  }
  queue.close();
  const events = await all(queue);
  const records = events.filter((event) => event.type === 'record').map((event) => event.record.seq);
  expect(records).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const kept = events.filter((event) => event.type === 'progress').map(({ seq }) => seq);
  expect(kept.length).toBeGreaterThan(9000);
  expect(kept.length).toBeLessThanOrEqual(10_000);
  expect(kept).toEqual([...kept].sort((a, b) => a - b));
});
