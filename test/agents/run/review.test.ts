/** The real Claude Code and Codex review each other's finished work, and cannot write while they do. */
import { expect, onTestFinished, test } from 'vitest';
import { agentScene, installAgents } from '../scene.ts';

const VERDICT = '<(review-[0-9a-f]+)>APPROVED';

test('rejected work is redone with the findings, and the loop ends once the reviewer approves', async () => {
  const settings = {
    agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
    guardrails: [{ command: 'test -f answer.txt', failAction: 'APPEND' }],
  };
  const scene = agentScene(installAgents('claude', 'codex'), { '.ralph/settings.json': JSON.stringify(settings) });
  onTestFinished(() => scene.remove());
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        // The first review tries to write, sees the diff, and rejects.
        { match: { pattern: VERDICT, anywhere: '+41' }, run: 'echo 42 >answer.txt; touch made-by-the-review.txt' },
        { match: { pattern: VERDICT, anywhere: '+41' }, say: '<$1>REJECTED: answer.txt:1 is not 42.</$1>' },
        { match: { pattern: VERDICT, anywhere: '+42' }, say: 'It is right. <$1>APPROVED</$1>' },
        { match: { anywhere: 'answer.txt:1 is not 42.' }, write: { path: 'answer.txt', content: '42\n' } },
        { match: { anywhere: 'answer.txt:1 is not 42.' }, say: 'Fixed. <response>DONE</response>' },
        { write: { path: 'answer.txt', content: '41\n' } },
        { say: 'Finished. <response>DONE</response>' },
      ],
    },
    ['run', 'Write the answer.', '--no-sandbox', '--review-agent', 'codex'],
  );
  expect(stderr).toContain('✗ Rejected by codex (review 1 of 3).');
  expect(stderr).toContain('    answer.txt:1 is not 42.');
  expect(stderr).toContain('✓ Approved by codex (review 2 of 3).');
  expect(stderr).toContain('7 turns played, 0 left');
  expect(code).toBe(0);
  expect(scene.read('answer.txt')).toBe('42\n');
  expect(scene.git('status', '--porcelain')).not.toContain('made-by-the-review');
  const agents = scene
    .journal()
    .flatMap(({ key, result }) => (result.kind === 'ran' ? [`${key} ${result.agent}`] : []));
  expect(agents).toEqual([
    '1/work/1/await claude',
    '1/review/1/await codex',
    '2/work/1/await claude',
    '2/review/1/await codex',
  ]);
}, 600_000);

test('Claude Code reviews in plan mode', async () => {
  const settings = { agent: { command: 'codex', flags: ['--dangerously-bypass-approvals-and-sandbox'] } };
  const scene = agentScene(installAgents('claude', 'codex'), { '.ralph/settings.json': JSON.stringify(settings) });
  onTestFinished(() => scene.remove());
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        { match: { pattern: VERDICT }, write: { path: 'made-by-the-review.txt', content: 'x' } },
        { match: { pattern: VERDICT }, say: 'It is right. <$1>APPROVED</$1>' },
        { write: { path: 'answer.txt', content: '42\n' } },
        { say: 'Finished. <response>DONE</response>' },
      ],
    },
    ['run', 'Write the answer.', '--no-sandbox', '--review-agent', 'claude'],
  );
  expect(stderr).toContain('✓ Approved by claude (review 1 of 3).');
  expect(stderr).toContain('4 turns played, 0 left');
  expect(code).toBe(0);
  expect(scene.git('status', '--porcelain')).not.toContain('made-by-the-review');
}, 600_000);
