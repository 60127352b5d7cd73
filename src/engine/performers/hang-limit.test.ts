import { describe, expect, test } from 'vitest';
import type { Activity } from '../../process/activity.ts';
import { hangLimit } from './hang-limit.ts';

const MINUTE = 60_000;
const AFTER = 10 * MINUTE;

interface Seen {
  readonly size?: number;
  readonly activity?: Activity | null;
}

/** An agent that is checked once a minute; the test moves the clock. */
function watched(afterMs = AFTER) {
  let [now, everyMs, isClosed, isHanging] = [0, 0, false, false];
  let tick = (): void => undefined;
  let seen: Required<Seen> = { size: 0, activity: { cpuMs: 0, tcpBytes: 0 } };
  hangLimit(
    afterMs,
    { size: () => seen.size, look: async () => seen.activity },
    () => {
      isHanging = true;
    },
    {
      now: () => now,
      every(ms, look) {
        [everyMs, tick] = [ms, look];
        return () => {
          isClosed = true;
        };
      },
    },
  );
  return {
    everyMs,
    hangs: () => isHanging,
    isClosed: () => isClosed,
    /** Lets this many minutes pass, with this activity. */
    async minutes(count: number, during: Seen = {}): Promise<void> {
      seen = { ...seen, ...during };
      for (let minute = 0; minute < count; minute++) {
        now += MINUTE;
        tick();
        // The look is asynchronous, and one at a time.
        await new Promise(setImmediate);
      }
    },
  };
}

test('it looks ten times within the limit, but at least once a minute and at most fifty times a second', () => {
  expect([1000, 30 * MINUTE, 50].map((afterMs) => watched(afterMs).everyMs)).toEqual([100, MINUTE, 20]);
});

test('an agent hangs at the first look that finds no activity for the whole time', async () => {
  const agent = watched();
  // The first look sees what it has printed, the second what it does; measuring begins there.
  await agent.minutes(2);
  await agent.minutes(9);
  expect(agent.hangs()).toBe(false);
  await agent.minutes(1);
  expect([agent.hangs(), agent.isClosed()]).toEqual([true, true]);
});

describe('the time starts again with', () => {
  test.each<[string, Seen]>([
    ['a line', { size: 1 }],
    ['a byte from the network', { activity: { cpuMs: 0, tcpBytes: 1 } }],
    ['a computation', { activity: { cpuMs: MINUTE, tcpBytes: 0 } }],
    ['a look that can tell nothing', { activity: null }],
  ])('%s', async (_what, does) => {
    const agent = watched();
    await agent.minutes(11);
    await agent.minutes(1, does);
    await agent.minutes(9);
    expect(agent.hangs()).toBe(false);
  });
});

test('a process that only wakes up now and then counts as hanging', async () => {
  const agent = watched();
  await agent.minutes(2);
  for (let minute = 1; minute <= 10; minute++)
    await agent.minutes(1, { activity: { cpuMs: minute * 100, tcpBytes: 0 } });
  expect(agent.hangs()).toBe(true);
});
