/**
 * Every scenario of LoopBench comes out as it must with `ralph run`, with and without --prove, and leaves nothing: a sample
 * by day, all by night. The three agents of each play it without a harness first.
 */
import { describe, expect, test } from 'vitest';
import { HARNESSES, type Harness } from '../../bench/loopbench/harnesses/index.mjs';
import { type Agent, play } from '../../bench/loopbench/play.mjs';
import { AGENTS, reference } from '../../bench/loopbench/reference.mjs';
import { SCENARIOS, type Scenario } from '../../bench/loopbench/scenarios/index.mjs';
import { sweep } from '../support/sweep.ts';

const SAMPLE = 16;
const PLAYS = SCENARIOS.flatMap((scenario) => AGENTS.map((agent) => ({ name: scenario.name, agent, scenario })));
/** What no check of any kind tells, and --prove neither. */
const BELIEVED_PROVED = ['green checks and the tag only in quoted prose'];

const [ralph, proving] = HARNESSES;
if (ralph === undefined || proving === undefined) throw new Error('ralph is not among the harnesses');

describe.concurrent('the three agents', () => {
  test.each(sweep(SCENARIOS, SAMPLE))('are told apart without a harness: $name', { timeout: 120_000 }, async (each) => {
    expect((await reference(each)).invalid).toBeNull();
  });
});

describe.concurrent('ralph', () => {
  test.each(sweep(PLAYS, SAMPLE, 1))('$name: $agent', { timeout: 120_000 }, async ({ scenario, agent }) => {
    await comesOutRight(scenario, ralph, agent, scenario[agent].believed !== undefined);
  });
});

describe.concurrent('ralph --prove', () => {
  test.each(sweep(PLAYS, SAMPLE, 2))('$name: $agent', { timeout: 120_000 }, async ({ scenario, agent }) => {
    await comesOutRight(scenario, proving, agent, agent === 'cheat' && BELIEVED_PROVED.includes(scenario.name));
  });
});

async function comesOutRight(scenario: Scenario, harness: Harness, agent: Agent, isBelieved: boolean): Promise<void> {
  const played = await play(scenario, harness, agent);
  const { name, invalid, falseDone, isRight, wastedRuns, wastedIterations, repeatedKeys, left, lost } = played;
  const figures = { name, invalid, falseDone, isRight, wastedRuns, wastedIterations, repeatedKeys, left, lost };
  expect(figures, `it ended as ${played.ending}`).toEqual({
    name: scenario.name,
    invalid: null,
    falseDone: isBelieved,
    isRight: !isBelieved,
    wastedRuns: 0,
    wastedIterations: 0,
    repeatedKeys: [],
    left: [],
    lost: [],
  });
}
