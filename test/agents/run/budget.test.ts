/** Dollar budgets with real agents: by what they report, by estimates, and by the agent's own budget flag. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Ran } from '../../../src/core/record.ts';
import type { Turn } from '../../../src/rehearsal/script/script.ts';
import { type AgentScene, agentScene, installAgents, PERMITTED } from '../scene.ts';

let claude: string;
let codex: string;
let scene: AgentScene;

beforeAll(() => {
  [claude = '', codex = ''] = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => scene.remove());

const MILLION = 1_000_000;

function sceneOf(program: string, command: string, flags: readonly string[] = []): AgentScene {
  const settings = { agent: { command, flags }, failureBackoffMs: 10 };
  return agentScene([program], { '.ralph/settings.json': JSON.stringify(settings) }, PERMITTED);
}

/** A script without an end. */
const working = (input: number, output: number): { turns: Turn[]; otherwise: Turn } => ({
  turns: [],
  otherwise: { say: 'On it goes.', run: 'true', usage: { inputTokens: input, outputTokens: output } },
});

const ranIn = ({ journal }: AgentScene): Ran[] =>
  journal().flatMap(({ result }) => (result.kind === 'ran' ? [result] : []));

test('Claude Code is ended in mid-run once the estimated cost of its messages exceeds the budget', async () => {
  scene = sceneOf(claude, 'claude', ['--dangerously-skip-permissions']);
  const { code, stderr } = await scene.rehearse(working(MILLION / 2, 1), [
    'run',
    '-p',
    'Work.',
    '--max-cost',
    '9',
    '-m',
    '2',
  ]);
  expect(stderr).toMatch(/^ {2}It has cost ~\$\d+\.\d\d of \$9\.00 \(--max-cost\)\./m);
  expect(stderr).toMatch(/^warning: \d\d % of a budget is used\. It has cost ~\$/m);
  expect(code).toBe(8);
  expect(ranIn(scene)).toMatchObject([{ endedBy: 'budget', used: { costSource: 'estimated' } }]);
});

describe.each(['--no-sandbox', '--sandbox=os'])('with %s', (sandbox) => {
  test('Claude Code is asked to wrap up at 90 % of a budget, once', async () => {
    scene = sceneOf(claude, 'claude', ['--dangerously-skip-permissions']);
    const asked = { anywhere: 'The budget for this work is nearly used up' };
    const script = {
      turns: [
        { match: asked, say: 'Done for today. <response>DONE</response>' },
        { say: 'I begin.', run: 'true', usage: { inputTokens: 92_000, outputTokens: 1 } },
      ],
      otherwise: { say: 'On it goes.', run: 'true', usage: { inputTokens: 10, outputTokens: 1 } },
    };
    const flags = ['--max-tokens', '100K', '-m', '1', sandbox];
    const { code, stderr } = await scene.rehearse(script, ['run', '-p', 'Work.', ...flags]);
    expect(stderr).not.toContain('refused');
    expect(code).toBe(0);
    expect(ranIn(scene)).toMatchObject([{ outcome: { kind: 'worked' } }]);
    const asides = readdirSync(scene.runsFolder()).filter((name) => name.endsWith('.aside'));
    expect(asides.map((name) => readFileSync(join(scene.runsFolder(), name), 'utf8'))).toEqual(['']);
  });
});

/**
 * ralph does not pass the agent's budget flag if the model is behind another address, because prices there are unknown.
 * This program hides that address from ralph.
 */
function unproxied(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-agents-claude-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'claude');
  writeFileSync(file, `#!/bin/sh\nANTHROPIC_BASE_URL=$SCRIPTED_URL exec ${program} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

test('Claude Code gets the rest of the budget as its own limit; if it stops there, the loop ends as out of budget', async () => {
  scene = sceneOf(unproxied(claude), 'claude', ['--dangerously-skip-permissions']);
  // While it runs, Claude Code does not report the tokens of its output: only it knows what they cost.
  scene.write('script.json', JSON.stringify(working(1, MILLION)));
  const hidden = 'export SCRIPTED_URL=$ANTHROPIC_BASE_URL; unset ANTHROPIC_BASE_URL';
  const run = `${hidden}; exec ralph run -p Work. --max-cost 3 -m 2`;
  const { code, stderr } = await scene.ralphRehearse(['--script', 'script.json', '--', 'sh', '-c', run]);
  expect(stderr).toMatch(/^ {2}It has cost \$\d+\.\d\d of \$3\.00 \(--max-cost\)\./m);
  expect(code).toBe(8);
  expect(ranIn(scene)).toMatchObject([
    { endedBy: 'budget', account: { isOutOfBudget: true, costSource: 'reported' }, outcome: { kind: 'failed' } },
  ]);
});

test('Codex reports tokens at the end of its run; their estimated cost counts', async () => {
  scene = sceneOf(codex, 'codex');
  const script = { turns: [{ say: 'Half of it.', usage: { inputTokens: MILLION, outputTokens: 10 }, times: 9 }] };
  const { code, stderr } = await scene.rehearse(script, ['run', '-p', 'Work.', '--max-cost', '8', '-m', '5']);
  expect(stderr).toMatch(/^ {2}It has cost ~\$10\.00 of \$8\.00 \(--max-cost\)\./m);
  expect(code).toBe(8);
  expect(ranIn(scene).map(({ account }) => account)).toMatchObject([
    { model: 'gpt-5.5', costSource: 'estimated', pricedAs: ['openai/gpt-5.5'] },
    { model: 'gpt-5.5', costSource: 'estimated', pricedAs: ['openai/gpt-5.5'] },
  ]);
});
