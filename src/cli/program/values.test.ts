import { describe, expect, test } from 'vitest';
import { startTime } from './values.ts';

const EVENING = new Date(2026, 10, 17, 21, 30, 0).getTime();
const at = (text: string, now = EVENING): Date => new Date(startTime(text, undefined, now));

describe('the time of --at', () => {
  test('later today', () => expect(at('22:00')).toEqual(new Date(2026, 10, 17, 22, 0)));
  test('tomorrow, if that has passed today', () => expect(at('7:30')).toEqual(new Date(2026, 10, 18, 7, 30)));
  test('now, if it was less than a minute ago', () => expect(at('21:30', EVENING + 59_000)).toEqual(new Date(EVENING)));
  test('tomorrow, if it was more than a minute ago', () => {
    expect(at('21:30', EVENING + 61_000)).toEqual(new Date(2026, 10, 18, 21, 30));
  });
  test('a date and a time, by the local clock', () => {
    expect(at('2026-11-20T06:15')).toEqual(new Date(2026, 10, 20, 6, 15));
  });
  test.each(['22', '24:00', '22:60', 'tonight', '10pm', '', '2026-11-20'])('not %j', (text) => {
    expect(() => at(text)).toThrow('must be a time such as 22:00');
  });
  test('not a date that has passed', () =>
    expect(() => at('2026-11-01T06:15')).toThrow('must be a time that has not passed'));
});
