/** The real Claude Code reaches a limit or a reserve; the real Codex works in its place, or the loop waits. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => scene.remove());

const SETTINGS = {
  agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
  includeIterationCountInPrompt: true,
  failureBackoffMs: 10,
};
const FILES = { 'answer.txt': 'none\n', '.ralph/settings.json': JSON.stringify(SETTINGS) };

/** Codex reports its usage windows only in its own record of the session. */
const AGENTS = { claude: SETTINGS.agent, codex: { command: 'codex' } };

test.each(Object.entries(AGENTS))(
  '--reserve waits until the window of %s resets, and ralph quota shows it',
  async (name, agent) => {
    scene = agentScene(programs, { ...FILES, '.ralph/settings.json': JSON.stringify({ ...SETTINGS, agent }) });
    const turns = [
      { match: 'Iteration 1 of 4', say: 'Half of it.', window: { used: 0.8, resetInSeconds: 4 } },
      { match: 'Iteration 2 of 4', say: '<response>DONE</response>', window: { used: 0.1, resetInSeconds: 7200 } },
    ];
    const { code } = await scene.rehearse({ turns }, ['run', '-p', 'Write.', '-m', '4', '--reserve', '30%']);
    expect(code).toBe(0);
    const records = scene.journal();
    const first = records.find(({ result }) => result.kind === 'ran');
    const [window] = first?.result.kind === 'ran' ? (first.result.quota ?? []) : [];
    expect(window).toMatchObject({ name: 'five_hour', used: 0.8 });
    const second = records.find(({ key }) => key === '2/work/2/start');
    expect(second?.at).toBeGreaterThanOrEqual(window?.resetsAt ?? Number.POSITIVE_INFINITY);
    const { stdout } = await scene.rehearse({ turns: [] }, ['quota']);
    expect(stdout).toMatch(new RegExp(`^${name} \\(rehearsal\\) {2}five hour {2}10 %`, 'm'));
  },
);

test('Codex works while Claude Code is limited, and Claude Code works again after its reset', async () => {
  scene = agentScene(programs, FILES);
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
  const started = scene
    .journal()
    .flatMap(({ key, result }) => (result.kind === 'started' ? [`${key} ${result.fallback ?? 'claude'}`] : []));
  expect(started).toEqual(['1/work/1/start claude', '1/work/2/start codex', '2/work/1/start claude']);
});
