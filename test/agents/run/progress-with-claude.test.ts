/** A new plan and an answer reach the next prompt of the real Claude Code; the run that plans cannot change files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

const FLAGS = ['--dangerously-skip-permissions'];
const settings = {
  agent: { command: 'claude', flags: FLAGS },
  guardrails: [{ command: 'test -f answer.txt', failAction: 'APPEND' }],
};
const begin = () => agentScene(programs, { '.ralph/settings.json': JSON.stringify(settings) });

test('a stuck loop gets a new plan from a read-only run, and continues with it', async () => {
  scene = begin();
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
    ['run', 'Write the answer.'],
  );
  expect(stderr).toContain('! Stuck: the last 3 iterations changed nothing.');
  expect(stderr).toContain('    Use the abacus.');
  expect(stderr).not.toContain('has changed files');
  expect(code).toBe(0);
  expect(scene.read('answer.txt')).toBe('42\n');
  expect(scene.git('status', '--porcelain')).not.toContain('made-by-the-pivot');
  const runs = scene.journal().filter(({ result }) => result.kind === 'ran');
  expect(runs.map(({ key }) => key.split('/').slice(0, 2).join('/'))).toEqual([
    '1/work',
    '2/work',
    '3/work',
    '3/pivot',
    '4/work',
  ]);
  expect(readFileSync(join(scene.runsFolder(), '3-pivot-1.out'), 'utf8')).toContain('"permissionMode":"plan"');
});

test('the loop waits for an answer to a question, and continues the same iteration with it', async () => {
  scene = begin();
  const script = {
    turns: [
      { match: { anywhere: 'Use 42.' }, write: { path: 'answer.txt', content: '42\n' } },
      { match: { anywhere: 'Use 42.' }, say: '<response>DONE</response>' },
    ],
    otherwise: { say: '<response>BLOCKED: which number?</response>' },
  };
  const ralph = scene.start(script, ['run', 'Write the answer.', '--on-blocked', 'wait']);
  await ralph.says('The agent asks: which number?');
  await ralph.says('ralph answer');
  expect((await scene.rehearse({ turns: [] }, ['answer', 'Use 42.'])).code).toBe(0);
  expect((await ralph.exited).code).toBe(0);
  expect(scene.read('answer.txt')).toBe('42\n');
});
