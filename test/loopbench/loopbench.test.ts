/** Every scenario of LoopBench comes out as it must with `ralph run`, and leaves nothing: a sample by day, all by night. */
import { describe, expect, test } from 'vitest';
import { HARNESSES } from '../../bench/loopbench/harnesses/index.mjs';
import { play } from '../../bench/loopbench/play.mjs';
import { SCENARIOS } from '../../bench/loopbench/scenarios/index.mjs';
import { sweep } from '../support/sweep.ts';

const SAMPLE = 14;
const [ralph] = HARNESSES;
if (ralph === undefined) throw new Error('there is no harness');

describe.concurrent('ralph', () => {
  test.each(sweep(SCENARIOS, SAMPLE))('$name', { timeout: 120_000 }, async (scenario) => {
    const { name, invalid, ending, falseDone, wastedRuns, wastedIterations, repeatedKeys, left, lost } = await play(
      scenario,
      ralph,
    );
    const isBelieved = scenario.believed !== undefined;
    expect({ name, invalid, ending, falseDone, wastedRuns, wastedIterations, repeatedKeys, left, lost }).toEqual({
      name: scenario.name,
      invalid: null,
      ending: isBelieved ? 'done' : scenario.mustEnd,
      falseDone: isBelieved,
      wastedRuns: 0,
      wastedIterations: 0,
      repeatedKeys: [],
      left: [],
      lost: [],
    });
  });
});
