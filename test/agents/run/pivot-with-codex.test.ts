/** The real Codex makes a different plan in its read-only sandbox, and the plan reaches the next prompt. */
import { expect, onTestFinished, test } from 'vitest';
import { agentScene, installAgents } from '../scene.ts';

test('a stuck loop gets a new plan from a run that cannot write, and continues with it', async () => {
  const settings = {
    agent: { command: 'codex', flags: ['--dangerously-bypass-approvals-and-sandbox'] },
    guardrails: [{ command: 'test -f answer.txt', failAction: 'APPEND' }],
  };
  const scene = agentScene(installAgents('codex'), { '.ralph/settings.json': JSON.stringify(settings) });
  onTestFinished(() => scene.remove());
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        { match: { anywhere: 'is making no progress' }, run: 'touch made-by-the-pivot.txt' },
        { match: { anywhere: 'is making no progress' }, say: 'I looked. <response>Use the abacus.</response>' },
        { match: { anywhere: 'Use the abacus.' }, write: { path: 'answer.txt', content: '42\n' } },
        { match: { anywhere: 'Use the abacus.' }, say: '<response>DONE</response>' },
      ],
      otherwise: { say: 'I think about it.' },
    },
    ['run', 'Write the answer.', '--no-sandbox'],
  );
  expect(stderr).toContain('! Stuck: the last 3 iterations changed nothing.');
  expect(stderr).toContain('    Use the abacus.');
  expect(stderr).not.toContain('has changed files');
  expect(code).toBe(0);
  expect(scene.read('answer.txt')).toBe('42\n');
  expect(scene.git('status', '--porcelain')).not.toContain('made-by-the-pivot');
}, 600_000);
