/** Every scenario of LoopBench comes out as it must, and leaves nothing. */
import { expect, test } from 'vitest';
import { play } from '../../bench/loopbench/play.mjs';
import { SCENARIOS } from '../../bench/loopbench/scenarios.mjs';

test.each(SCENARIOS)('$name', async (scenario) => {
  const { exit, falseDone, missedDone, calls, repeatedKeys, left } = await play(scenario);
  expect({ exit, calls, falseDone, missedDone, repeatedKeys, left }).toEqual({
    exit: scenario.expect.exit,
    calls: scenario.expect.calls,
    falseDone: scenario.expect.falseDone !== undefined,
    missedDone: false,
    repeatedKeys: [],
    left: [],
  });
});
