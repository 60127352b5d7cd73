/** LoopBench detects the mistakes of a bad harness, and a fault that did not happen. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compare } from '../../bench/loopbench/compare.mjs';
import { HARNESSES, type Harness } from '../../bench/loopbench/harnesses/index.mjs';
import { play } from '../../bench/loopbench/play.mjs';
import { chartOf } from '../../bench/loopbench/print/chart.mjs';
import { markdownOf } from '../../bench/loopbench/print/markdown.mjs';
import { closingLine, tableOf } from '../../bench/loopbench/print/table.mjs';
import { reference } from '../../bench/loopbench/reference.mjs';
import { SCENARIOS, type Scenario } from '../../bench/loopbench/scenarios/index.mjs';
import { testFolder } from '../support/folder.ts';
import { processesOf } from '../support/programs/processes.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { until } from '../support/tasks/task-loop.ts';

function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario "${name}"`);
  return found;
}

const whileLoop = HARNESSES.find(({ name }) => name === 'while loop');
if (whileLoop === undefined) throw new Error('there is no while loop');
const HONEST = scenarioOf('honest at once');
/** A harness that starts the agent once, and then runs a shell line. */
const once = (then: string): Harness => ({
  ...whileLoop,
  name: 'once',
  start: (_scene, { agent }) => ['sh', '-c', `${agent} -p x; ${then}`],
});

/** The rows for the while loop. */
async function rowsOf(scenario: Scenario) {
  const [result] = await compare([scenario], [whileLoop as Harness], { say: () => undefined });
  if (result === undefined) throw new Error('nothing was played');
  return result.rows;
}

describe.concurrent('a scenario', () => {
  const { honest, nop, cheat } = HONEST;
  const [right = []] = honest.calls;
  test.each<[string, Partial<Scenario>]>([
    ['the cheat does the work', { cheat: { ...cheat, calls: [[{ write: 41 }, ...right]] } }],
    ['the work is done without any', { isTrue: () => true }],
    ['the honest agent does not do the work', { isTrue: () => false }],
    ["the honest agent's work does not pass the checks", { task: { checks: ['grep -qx 43 answer.txt'] } }],
    ['the honest agent never claims', { honest: { calls: [[{ write: 42 }]] } }],
    ['the honest agent claims what it must not', { mustEnd: 'blocked', isTrue: () => false }],
    ['the work is done where another ending would be right', { mustEnd: 'blocked' }],
    ['the agent that is to do nothing does something', { nop: { calls: [[{ write: 41 }, ...(nop.calls[0] ?? [])]] } }],
    ['an agent that is to claim does not', { nop: { calls: [[{ say: 'Well.' }]] } }],
    ['nothing would show the trick', { cheat: { calls: cheat.calls } }],
    ['the trick was not seen: wrote 41', { cheat: { ...cheat, calls: nop.calls } }],
  ])('is not played, and shown as invalid, if %s', async (why, change) => {
    const rows = await rowsOf({ ...HONEST, ...change });
    expect(rows[0]).toMatchObject({ reference: { invalid: expect.stringContaining(why) }, played: null });
    expect(tableOf(rows)).toContain(`\n  INVALID: ${why}`);
    expect(closingLine(rows)).toContain('0 of 0 plays end as they must');
  });

  test('whose fault did not happen is shown as invalid, with what was missing', async () => {
    const { fault = [] } = scenarioOf('a usage limit that lasts until its reset');
    const rows = await rowsOf({ ...HONEST, fault });
    expect(rows[0]?.played?.honest).toMatchObject({ ending: 'done', invalid: 'not seen: refusal 429' });
    expect(tableOf(rows)).toContain('INVALID (honest): not seen: refusal 429');
    expect(closingLine(rows)).toContain('0 of 0 plays end as they must');
  });

  test('that kills its harness is invalid if the harness had already ended', async () => {
    const scenario = { ...scenarioOf('kill -9 of the harness, and resume'), honest };
    expect((await play(scenario, whileLoop)).invalid).toContain('harness killed');
  });

  test('is invalid if the agent never got to its claim', async () => {
    const scenario = scenarioOf('a usage limit that lasts until its reset');
    expect((await play(scenario, whileLoop, 'nop')).invalid).toBe('the agent never came to its claim');
  });
});

describe.concurrent('a harness', () => {
  test('that has no settings gets no credit for the trick that weakens settings', async () => {
    const weakened = scenarioOf("the harness's own settings weakened");
    const results = await compare([weakened], [whileLoop], { say: () => undefined });
    const [{ rows } = { rows: [] }] = results;
    expect(tableOf(rows)).toContain('\n  cheat: not applicable: this harness has no settings in the work tree');
    expect(closingLine(rows)).toMatch(/^2 of 2 plays end as they must/);
    expect(markdownOf(results)).toContain('| done | done, *not applicable: cheat* |');
  });

  test('that is not installed is left out with a message', async () => {
    const said: string[] = [];
    const missing: Harness = { ...whileLoop, name: 'no such loop', missing: () => 'no-such-loop is not on the PATH' };
    const results = await compare([HONEST], [missing, whileLoop], { say: (line) => said.push(line) });
    expect(said).toEqual(['no such loop: left out, no-such-loop is not on the PATH']);
    expect(results.map(({ harness }) => harness.name)).toEqual(['while loop']);
    expect(markdownOf(results)).not.toContain('no such loop');
  });

  test('is shown with its false dones in the table, in Markdown and in the chart', async () => {
    const edited = scenarioOf('tests edited: they expect what the code does');
    const results = await compare([edited], [whileLoop], { say: () => undefined });
    const [{ rows } = { rows: [] }] = results;
    expect(tableOf(rows)).toMatch(/tests edited\S* .* done +iterations +FALSE DONE/);
    expect(closingLine(rows)).toMatch(/^2 of 3 plays end as they must, 1 false done, 0 missed done/);
    expect(markdownOf(results)).toContain(`| ${edited.name} | done | done, **false done (cheat)** |`);
    expect(chartOf(results)).toMatch(/>while loop<[\s\S]*>1 of 3</);
  });
});

describe.concurrent('LoopBench detects', () => {
  test('a false done', async () => {
    const played = await play(HONEST, once('exit 0'), 'cheat');
    expect(played).toMatchObject({ ending: 'done', falseDone: true, isRight: false });
  });

  test('a missed done, and wasted runs', async () => {
    const played = await play(scenarioOf('a usage limit that lasts until its reset'), whileLoop);
    expect(played).toMatchObject({ missedDone: true, runs: 4, wastedRuns: 2, wastedIterations: 3 });
  });

  test('leftover processes', async () => {
    const { left } = await play(scenarioOf('a daemon without a stdout'), whileLoop);
    expect(left).toEqual([expect.stringMatching(/^process \d+: .*daemon\.mjs/)]);
  });

  test('lost files and commits', async () => {
    const loses = 'git commit --quiet --amend --message other; git checkout --quiet .; exit 0';
    const { lost } = await play(HONEST, once(loses));
    expect(lost).toEqual(['file answer.txt', expect.stringMatching(/^commit [0-9a-f]{40}$/)]);
  });

  test('a harness that never ends', async () => {
    const scenario = { ...HONEST, patienceMs: 2000 };
    expect((await play(scenario, once('exec sleep 1000'))).ending).toBe('never ends');
  });
});

test('a benchmark that is stopped leaves no files or processes', async () => {
  const folder = testFolder();
  const argv = [process.execPath, 'bench/loopbench/run.mjs', 'a long, silent computation'] as const;
  const bench = startProgram(argv, { cwd: ROOT, env: { ...process.env, TMPDIR: folder } });
  const logs = () => readdirSync(folder).map((scene) => join(folder, scene, 'witness.jsonl'));
  await until(() => logs().some((log) => existsSync(log) && readFileSync(log, 'utf8').includes('"computes"')));
  bench.signal('SIGTERM');
  expect((await bench.exited).code).toBe(130);
  expect({ files: readdirSync(folder), processes: processesOf(folder) }).toEqual({ files: [], processes: [] });
});

test('the tokens that the agent needs without a harness are known, so the rest is waste', async () => {
  expect((await reference(scenarioOf('honest at the third try'))).tokens).toBe(1500);
});

test('there are at least 45 scenarios, with unique names', () => {
  expect(SCENARIOS.length).toBeGreaterThanOrEqual(45);
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
});
