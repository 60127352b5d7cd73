/** Costs in dollars: reported by the agent, estimated from a price list and marked as such, or left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ran } from '../../src/core/record.ts';
import { makeScene, ROOT, type Scene } from '../support/scene.ts';

/** Codex reports the tokens of a run at its end, but not the model. */
const CODEX_TOKENS = '"input_tokens":1000000,"cached_input_tokens":500000,"output_tokens":10000';
const CODEX_SAYS = (text: string): string =>
  `printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"${text}"}}\\n'
  printf '{"type":"turn.completed","usage":{${CODEX_TOKENS}}}\\n'`;
const codex = (text: string, model = 'gpt-5.5'): Scene =>
  makeScene({
    // ralph runs `codex --help` to learn its flags.
    play: `case "$*" in *--help*) exit;; esac; ${CODEX_SAYS(text)}`,
    agent: 'codex',
    settings: { agent: { command: 'codex', flags: ['-m', model] } },
  });
const DONE = '<response>DONE</response>';

/** Prints one line of a Claude Code message; each line of a message repeats its usage. */
const call = (id: string, tokens: number): string =>
  `printf '{"type":"assistant","message":{"id":"${id}","model":"claude-sonnet-5","usage":{"input_tokens":${tokens},"output_tokens":0},"content":[]}}\\n'`;

const ranOf = (scene: Scene): Ran[] => scene.journal().flatMap(({ result }) => (result.kind === 'ran' ? [result] : []));

test('an agent that reports only tokens has an estimated cost, marked wherever it is shown', async () => {
  const scene = codex(DONE);
  const { code, stdout, stderr } = await scene.run();
  expect(code).toBe(0);
  // Half a million tokens at $5 a million, half a million from the cache at $0.50, ten thousand output tokens at $30.
  const account = { costSource: 'estimated', pricedAs: ['openai/gpt-5.5'], model: 'gpt-5.5' };
  expect(ranOf(scene)[0]?.account).toMatchObject(account);
  expect(ranOf(scene)[0]?.account?.costUsd).toBeCloseTo(3.05);
  expect(stdout).toContain('cost: ~$3.05');
  expect(stderr).toContain('~$3.05');
  for (const command of ['ls --all', 'status', 'show', 'report']) {
    expect((await scene.shell(`ralph ${command}`)).stdout).toContain('~$3.05');
  }
  const status = JSON.parse((await scene.shell('ralph status --json')).stdout);
  expect(status).toMatchObject({ usage: { estimatedRuns: 1 } });
});

test('a model that is not in the price list has no cost', async () => {
  const scene = codex(DONE, 'my-own');
  const { code, stderr } = await scene.run();
  expect(code).toBe(0);
  expect(stderr).toContain('cost unknown');
  expect(ranOf(scene)[0]?.account).toMatchObject({ inputTokens: 1_000_000, model: 'my-own' });
  expect(ranOf(scene)[0]?.account).not.toHaveProperty('costUsd');
});

test('--max-cost counts estimates', async () => {
  const scene = codex('on');
  const { code, stderr } = await scene.run('--max-cost', '5');
  expect(code).toBe(8);
  expect(scene.starts().filter((line) => line.includes('work'))).toHaveLength(2);
  expect(stderr).toContain('It has cost ~$6.10 of $5.00 (--max-cost).');
});

test('--max-cost ends Claude Code in the middle of its work, by the tokens of its messages', async () => {
  const million = 1_000_000;
  const play = `${call('m1', million)}; ${call('m1', million)}; at_gate; ${call('m2', million)}; exec sleep 1000`;
  const scene = makeScene({ play, agent: 'claude' });
  const running = scene.ralph(['run', '-p', 'x', '--max-cost', '3']);
  await scene.logged('at gate 1/work/1');
  scene.openGate();
  const { code, stderr } = await running.exited;
  expect(code).toBe(8);
  expect(stderr).toContain('It has cost ~$4.00 of $3.00 (--max-cost).');
  expect(ranOf(scene)).toMatchObject([{ endedBy: 'budget', used: { costUsd: 4, costSource: 'estimated' } }]);
});

test('a run that was cut off has an estimated cost, too', async () => {
  const scene = makeScene({ play: `${call('m1', 1_000_000)}; at_gate`, agent: 'claude' });
  const running = scene.ralph(['run', '-p', 'x']);
  await scene.logged('at gate 1/work/1');
  running.signal('SIGINT');
  running.signal('SIGTERM');
  await running.exited;
  const cut = scene.journal().find(({ result }) => result.kind === 'interrupted')?.result;
  expect(cut).toMatchObject({ used: { costUsd: 2, costSource: 'estimated' } });
  expect((await scene.shell('ralph show')).stdout).toContain('~$2.00');
});

test('--no-prices neither estimates dollars nor takes them from the agent', async () => {
  const play = `${call('m1', 1000)}; claude_says '${DONE}'; claude_result '${DONE}'`;
  const scene = makeScene({ play, agent: 'claude' });
  const { code, stdout, stderr } = await scene.run('--no-prices');
  expect(code).toBe(0);
  expect(JSON.stringify(scene.journal())).not.toContain('costUsd');
  expect(`${stdout}${stderr}`).not.toContain('$');
  expect((await scene.shell('ralph ls --all')).stdout).not.toContain('$');
});

test('"prices": false in the settings does the same', async () => {
  const play = `claude_says '${DONE}'; claude_result '${DONE}'`;
  const scene = makeScene({ play, agent: 'claude', settings: { prices: false } });
  const { code, stderr } = await scene.run('--max-cost', '5');
  expect(code).toBe(2);
  expect(stderr).toContain('--max-cost needs dollars, and the settings say "prices": false');
  expect((await scene.run()).code).toBe(0);
  expect(JSON.stringify(scene.journal())).not.toContain('costUsd');
});

test('--no-prices refuses a budget in dollars', async () => {
  const { code, stderr } = await codex(DONE).run('--no-prices', '--max-cost', '5');
  expect(code).toBe(2);
  expect(stderr).toContain('--no-prices');
});

test('the price list is loaded only when it is needed', async () => {
  const loads = async (scene: Scene, ...args: string[]): Promise<boolean> => {
    const trace = join(ROOT, 'test/fakes/trace-loads.cjs');
    const line = `NODE_OPTIONS='--require ${trace}' LOADS='${scene.folder}/loads' ralph ${args.join(' ')}`;
    scene.write('loads', '');
    await scene.shell(line);
    return readFileSync(join(scene.folder, 'loads'), 'utf8').includes('price-list.cjs');
  };
  const claude = makeScene({ play: `${call('m1', 1000)}; claude_result '${DONE}'`, agent: 'claude' });
  expect(await loads(claude, 'run', '-p', 'x')).toBe(false);
  expect(await loads(claude, 'run', '-p', 'x', '--max-cost', '9')).toBe(true);
  const other = codex(DONE);
  expect(await loads(other, 'run', '-p', 'x')).toBe(true);
  expect(await loads(other, 'ls', '--all')).toBe(false);
  expect(await loads(other, 'run', '-p', 'x', '--no-prices')).toBe(false);
});
