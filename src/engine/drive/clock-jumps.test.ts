import { expect, test } from 'vitest';
import { clockJumps } from './clock-jumps.ts';

test('a jump of the clock is reported once, ahead or back; normal time and small corrections never are', () => {
  let [clock, passed] = [1_700_000_000_000, 0];
  const jumps = clockJumps(
    () => clock,
    () => passed,
  );
  const after = (passedMs: number, setMs = 0): number | undefined => {
    [clock, passed] = [clock + passedMs + setMs, passed + passedMs];
    return jumps();
  };
  expect(after(3_600_000)).toBeUndefined();
  expect(after(1000, 30_000)).toBeUndefined();
  expect(after(1000, 28_800_000)).toBe(28_830_000);
  expect(after(1000)).toBeUndefined();
  expect(after(1000, -3_600_000)).toBe(-3_600_000);
});
