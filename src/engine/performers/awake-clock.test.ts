import { once } from 'node:events';
import { expect, test } from 'vitest';
import { awakeClock } from './awake-clock.ts';
import { hangLimit } from './hang-limit.ts';

const HOUR = 3_600_000;

test('a jump of the clock, ahead or back, moves this one little or not at all', () => {
  let now = 5000;
  const clock = awakeClock(100, () => now);
  const after = (ms: number): number => {
    now += ms;
    return clock();
  };
  expect([after(60), after(8 * HOUR), after(-8 * HOUR), after(40)]).toEqual([60, 160, 160, 200]);
});

test('after the machine slept for hours, an agent that is silent and slept as well does not count as hanging', async () => {
  let asleep = 0;
  const looked = new EventTarget();
  const size = () => 10;
  const look = async () => {
    looked.dispatchEvent(new Event('look'));
    return { cpuMs: 5, tcpBytes: null };
  };
  const looking = {
    now: () => performance.now() + asleep,
    every: (_ms: number, look: () => void) => {
      const timer = setInterval(look, 5);
      return () => clearInterval(timer);
    },
  };
  let isHanging = false;
  const hangs = (): void => {
    isHanging = true;
  };
  const limit = hangLimit(HOUR, { size, look }, hangs, looking);
  for (const at of [1, 2, 3, 4, 5, 6]) {
    await once(looked, 'look');
    if (at === 3) asleep = 8 * HOUR;
  }
  limit.close();
  expect(isHanging).toBe(false);
});

test('an agent that hangs while the machine is awake is ended', async () => {
  const look = async () => ({ cpuMs: 5, tcpBytes: null });
  const ended = new Promise<void>((hangs) => hangLimit(50, { size: () => 10, look }, hangs));
  await expect(ended).resolves.toBeUndefined();
});
