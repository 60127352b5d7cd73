/** The real Claude Code is limited, the real Codex goes on in its place, and Claude Code comes back after its reset. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => scene.remove());

test('Codex works while Claude Code is limited, and Claude Code again after its reset', async () => {
  const settings = {
    agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
    includeIterationCountInPrompt: true,
    failureBackoffMs: 10,
  };
  scene = agentScene(programs, { 'answer.txt': 'none\n', '.ralph/settings.json': JSON.stringify(settings) });
  const turns = [
    { match: 'Iteration 1 of 4', fault: { status: 429, resetInSeconds: 3 } },
    // Longer than the limit: the reset comes while Codex works.
    { match: 'Iteration 1 of 4', say: 'I begin.', run: 'echo half >answer.txt; sleep 4' },
    { say: 'Half of it is there.' },
    { match: 'Iteration 2 of 4', say: 'I see the rest.', run: 'echo whole >answer.txt' },
    { say: 'Finished. <response>DONE</response>' },
  ];
  const args = ['run', '-p', 'Write the answer.', '-m', '4', '--fallback', 'codex'];
  const { code, stderr } = await scene.rehearse({ turns }, args);
  expect(stderr).toMatch(/claude is limited until [-\d]+ [\d:]+; continuing with codex/);
  expect(stderr).toContain('Continuing with claude');
  expect(stderr).toContain('✓ Done in 2 iterations');
  expect(stderr).toContain('5 turns played, 0 left');
  expect(code).toBe(0);
  expect(scene.read('answer.txt')).toBe('whole\n');
  const started = scene.journal().flatMap(({ key, result }) =>
    result.kind === 'started' ? [`${key} ${result.fallback ?? 'claude'}`] : [],
  );
  expect(started).toEqual(['1/work/1/start claude', '1/work/2/start codex', '2/work/1/start claude']);
});
