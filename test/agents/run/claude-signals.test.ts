/** What the real Claude Code reports beside its work: refusals that fail nothing, failures that look like success. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

function claudeWith(...flags: readonly string[]): AgentScene {
  const settings = { agent: { command: 'claude', flags } };
  return agentScene(programs, { '.ralph/settings.json': JSON.stringify(settings) });
}

test('at its own turn limit the iteration fails, even if it said the completion response', async () => {
  scene = claudeWith('--dangerously-skip-permissions', '--max-turns', '1');
  const { code, stderr } = await scene.rehearse(
    { turns: [], otherwise: { say: 'Working. <response>DONE</response>', run: 'true' } },
    ['run', '-p', 'Write the answer.', '-m', '1'],
  );
  expect(stderr).toContain('Agent failed (exit 1: it reached its own limit of turns)');
  expect(stderr).toMatch(/^✗ Stopped at the limit of \d+ iterations? · /m);
  expect(code).toBe(1);
});

test('a refused permission is reported, with how to allow it', async () => {
  scene = claudeWith();
  const { code, stderr } = await scene.rehearse(
    { turns: [{ run: 'touch made.txt' }, { say: 'I could not. <response>DONE</response>' }] },
    ['run', '-p', 'Write the answer.', '-m', '1'],
  );
  expect(stderr).toContain('Agent: Permission refused for 1 tool call (Bash): allow them in agent.flags');
  expect(code).toBe(0);
});

test('a refused key is detected in text mode, too', async () => {
  scene = claudeWith();
  const { code, stderr } = await scene.rehearse({ turns: [{ fault: { status: 401 }, times: 20 }] }, [
    'run',
    '-p',
    'Write the answer.',
    '--no-stream-agent-output',
  ]);
  expect(stderr).toMatch(/^! Stopped .*: the agent could not authenticate/m);
  expect(code).toBe(4);
});
