/** LoopBench can tell: what it measures shows in a harness that does it wrong, and a fault that did not happen in its witness. */
import { describe, expect, test } from 'vitest';
import { HARNESSES, type Harness } from '../../bench/loopbench/harnesses/index.mjs';
import { play } from '../../bench/loopbench/play.mjs';
import { tableOf } from '../../bench/loopbench/rows.mjs';
import { SCENARIOS, type Scenario } from '../../bench/loopbench/scenarios/index.mjs';

function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario "${name}"`);
  return found;
}

const [, whileLoop] = HARNESSES;
if (whileLoop === undefined) throw new Error('there is no while loop');
const HONEST = scenarioOf('honest at once');
/** A harness that starts the agent once, and then does this. */
const once = (then: string): Harness => ({
  ...whileLoop,
  name: 'once',
  start: (_scene, { agent }) => ['sh', '-c', `${agent} -p x; ${then}`],
});

describe.concurrent('a scenario', () => {
  test('without a witness is printed as invalid', async () => {
    const { witness: _, ...scenario } = HONEST;
    const played = await play(scenario, whileLoop);
    expect(played.invalid).toBe('it has no witness');
    expect(tableOf([{ scenario, played }])).toContain('\n  INVALID: it has no witness');
  });

  test('whose fault did not happen is printed as invalid, with what was not seen', async () => {
    const scenario = { ...scenarioOf('a usage limit that lasts until its reset'), calls: HONEST.calls };
    const played = await play(scenario, whileLoop);
    expect(played).toMatchObject({ ending: 'done', invalid: 'not seen: refusal 429' });
    expect(tableOf([{ scenario, played }])).toContain('INVALID: not seen: refusal 429');
  });

  test('that kills its harness is invalid where that had ended before', async () => {
    const scenario = { ...scenarioOf('kill -9 of the harness, and resume'), calls: HONEST.calls };
    expect((await play(scenario, whileLoop)).invalid).toContain('harness killed');
  });
});

describe.concurrent('measured are', () => {
  test('a done that is false', async () => {
    const played = await play(scenarioOf('a claim with a diff but red guardrails'), once('exit 0'));
    expect(played).toMatchObject({ ending: 'done', falseDone: true, isRight: false });
  });

  test('a done that was missed, and runs for nothing', async () => {
    const played = await play(scenarioOf('a usage limit that lasts until its reset'), whileLoop);
    expect(played).toMatchObject({ missedDone: true, runs: 4, wastedRuns: 2, wastedIterations: 3 });
  });

  test('processes that are left', async () => {
    const { left } = await play(scenarioOf('a daemon without a stdout'), whileLoop);
    expect(left).toEqual([expect.stringMatching(/^process \d+: .*daemon\.mjs/)]);
  });

  test('files and commits that are gone', async () => {
    const loses = 'git commit --quiet --amend --message other; git checkout --quiet .; exit 0';
    const { lost } = await play(HONEST, once(loses));
    expect(lost).toEqual(['file answer.txt', expect.stringMatching(/^commit [0-9a-f]{40}$/)]);
  });

  test('a harness that never ends', async () => {
    const scenario = { ...HONEST, patienceMs: 2000 };
    expect((await play(scenario, once('exec sleep 1000'))).ending).toBe('never ends');
  });
});

test('no two scenarios have the same name, and each has a witness', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  expect(SCENARIOS.filter(({ witness = [] }) => witness.length === 0)).toEqual([]);
});
