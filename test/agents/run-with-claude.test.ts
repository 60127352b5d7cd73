/** Proof 1: the real Claude Code through two iterations of `ralph run`, with a guardrail that fails first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type ClaudeScene, claudeScene, installClaude } from './claude.ts';

const SETTINGS = {
  agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
  guardrails: [
    { command: 'grep -q right answer.txt || { echo "answer.txt is not right"; exit 1; }', failAction: 'APPEND' },
  ],
  scm: { command: 'git', tasks: ['commit'] },
};

let claude: string;
let scene: ClaudeScene;

beforeAll(() => {
  claude = installClaude();
}, 600_000);

afterEach(() => scene.remove());

test('a guardrail fails, its output is fed back, the second iteration is accepted and committed', async () => {
  scene = claudeScene(claude, { 'answer.txt': 'none\n', '.ralph/settings.json': JSON.stringify(SETTINGS) });
  const { code, stdout, stderr } = await scene.rehearse(
    {
      turns: [
        { match: 'Write the answer', say: 'I write a first answer.', tool: bash('echo wrong > answer.txt') },
        { say: 'Finished. <response>DONE</response>' },
        // Only a prompt that holds the guardrail's own output gets the mended answer.
        { match: 'answer.txt is not right', say: 'I mend it.', tool: bash('echo right > answer.txt') },
        { say: 'Mended. <response>DONE</response>' },
        { match: 'commit message', say: 'Write the right answer' },
      ],
    },
    ['run', '-p', 'Write the answer.', '-m', '4'],
  );
  expect(stderr).toContain('=== Ralph iteration 1/4 ===');
  expect(stderr).toContain('(exit 1, action=APPEND)');
  expect(stderr).toContain('=== Ralph iteration 2/4 ===');
  expect(stderr).toContain('All guardrails passed');
  expect(stderr).toContain('Completion response matched');
  expect(stderr).not.toContain('iteration 3/4');
  expect(stderr).toContain('Rehearsal: 5 requests, 5 turns played, 0 left');
  expect(stdout).toContain('I mend it.');
  expect(stdout).toContain('⏺ Bash(echo right > answer.txt)');
  expect(code).toBe(0);
  expect(readFileSync(join(scene.work, 'answer.txt'), 'utf8')).toBe('right\n');
  expect(scene.git('log', '--format=%s')).toBe('Write the right answer\nbegin\n');
});

test('an agent that reports an error is a failed iteration, though it said the completion response', async () => {
  const settings = { ...SETTINGS, agent: { command: 'claude', flags: [...SETTINGS.agent.flags, '--max-turns', '1'] } };
  scene = claudeScene(claude, { 'answer.txt': 'right\n', '.ralph/settings.json': JSON.stringify(settings) });
  const { code, stderr } = await scene.rehearse(
    { turns: [], otherwise: { say: 'Working. <response>DONE</response>', tool: bash('true') } },
    ['run', '-p', 'Write the answer.', '-m', '1'],
  );
  expect(stderr).toContain('Agent failed (exit 1)');
  expect(stderr).toContain('Maximum iterations reached without completion response.');
  expect(code).toBe(1);
});

function bash(command: string) {
  return { name: 'Bash', input: { command, description: 'Write a file' } };
}
