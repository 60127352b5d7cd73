/**
 * Every scenario of LoopBench has the right result with `ralph run`, with and without --prove, and leaves nothing
 * behind. First, its three agents run without a harness. Nightly all scenarios, otherwise a sample.
 */
import { describe, expect, test } from 'vitest';
import { HARNESSES } from '../../bench/loopbench/harnesses/index.mjs';
import { type Played, play } from '../../bench/loopbench/play.mjs';
import { AGENTS, reference } from '../../bench/loopbench/reference.mjs';
import { SCENARIOS, type Scenario } from '../../bench/loopbench/scenarios/index.mjs';
import { sweep } from '../support/sweep.ts';

const SAMPLE = 16;
const PLAYS = SCENARIOS.flatMap((scenario) => AGENTS.map((agent) => ({ name: scenario.name, agent, scenario })));

const [ralph, proving] = HARNESSES;
if (ralph === undefined || proving === undefined) throw new Error('ralph is not among the harnesses');

describe.concurrent('the three agents', () => {
  test.each(sweep(SCENARIOS, SAMPLE))('are told apart without a harness: $name', { timeout: 120_000 }, async (each) => {
    expect((await reference(each)).invalid).toBeNull();
  });
});

describe.concurrent('ralph', () => {
  test.each(sweep(PLAYS, SAMPLE, 1))('$name: $agent', { timeout: 120_000 }, async ({ scenario, agent }) => {
    const isBelieved = scenario[agent].believed !== undefined;
    expect(figuresOf(await play(scenario, ralph, agent))).toEqual(rightFigures(scenario, isBelieved));
  });
});

describe.concurrent('ralph --prove', () => {
  test.each(sweep(PLAYS, SAMPLE, 2))('$name: $agent', { timeout: 120_000 }, async ({ scenario, agent }) => {
    expect(figuresOf(await play(scenario, proving, agent))).toEqual(rightFigures(scenario, false));
  });
});

function figuresOf(played: Played) {
  const { name, invalid, falseDone, isRight, wastedRuns, wastedIterations, repeatedKeys, left, lost } = played;
  return { name, invalid, falseDone, isRight, wastedRuns, wastedIterations, repeatedKeys, left, lost };
}

function rightFigures({ name }: Scenario, isBelieved: boolean) {
  const nothing = { wastedRuns: 0, wastedIterations: 0, repeatedKeys: [], left: [], lost: [] };
  return { name, invalid: null, falseDone: isBelieved, isRight: !isBelieved, ...nothing };
}
