import { expect, test } from 'vitest';
import { clockJumps } from './clock-jumps.ts';

test('a clock that moves by itself is told once, ahead or back; one that goes on or is set right by a little never', () => {
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
