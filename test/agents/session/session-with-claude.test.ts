/** A loop driven to its end by the Stop hook, which the real Claude Code calls. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { parseJournal } from '../../../src/state/journal.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const CLAUDE = ['--', 'claude', '-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

test('the hook sends the agent back until it gives the promise', async () => {
  scene = agentScene(programs, { 'notes.txt': '' });
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        { match: 'Count to three', say: 'One.' },
        {
          match: 'Stop hook feedback',
          tool: { name: 'Bash', input: { command: 'echo two >> notes.txt', description: 'Note' } },
        },
        { say: 'Two. I promise <promise>done</promise> soon.' },
        { match: 'Count to three', say: 'Three. <promise>DONE</promise>' },
      ],
    },
    ['session', '-p', 'Count to three.', '-m', '9', ...CLAUDE],
  );
  expect(stderr).toContain('Ralph loop: PROMISE_ACCEPTED at iteration 2: promise found, accepted.\n');
  expect(stderr).toContain('4 turns played, 0 left');
  expect(code).toBe(0);
  expect(kinds()).toEqual(['created', ...ITERATION, 'waited', ...ITERATION, 'waited', ...ITERATION, 'ended']);
  expect(readFileSync(join(scene.work, 'notes.txt'), 'utf8')).toBe('two\n');
});

test('the loop runs to its limit, even beyond the 8 blocks that Claude Code allows by default', async () => {
  scene = agentScene(programs, { 'notes.txt': '' });
  const { code, stderr } = await scene.rehearse({ turns: [], otherwise: { say: 'Not yet.' } }, [
    'session',
    '-p',
    'Go on.',
    '-m',
    '12',
    ...CLAUDE,
  ]);
  expect(stderr).toContain('Ralph loop: MAX_ITERATIONS_REACHED (12): promise not found.\n');
  expect(stderr).toContain('Rehearsal: 13 requests');
  expect(code).toBe(1);
});

test('all options of the loop are flags of the command', async () => {
  scene = agentScene(programs, { 'notes.txt': '' });
  const options = ['--check', 'test -e made', '--check-timeout', '60', '--min-tool-calls', '2', '--ultrawork'];
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        { run: 'echo one >> notes.txt' },
        { say: '<promise>OK</promise>' },
        { match: 'Ultrawork mode', run: 'echo two >> notes.txt' },
        { say: '<promise>OK</promise>' },
        { match: 'Check failed (exit 1): test -e made', run: 'touch made' },
        { say: '<promise>OK</promise>' },
      ],
    },
    ['session', '-p', 'Make it.', '-c', 'OK', ...options, ...CLAUDE],
  );
  expect(stderr).toContain('6 turns played, 0 left');
  expect(stderr).toContain('Ralph loop: PROMISE_ACCEPTED at iteration 2: promise found, all checks passed, accepted.');
  expect(code).toBe(0);
});

test('a loop that gets nowhere ends with --stuck-after, and with its own exit code', async () => {
  scene = agentScene(programs, { 'notes.txt': '' });
  const args = ['session', '-p', 'Go on.', '--stuck-after', '2', ...CLAUDE];
  const { code, stderr } = await scene.rehearse({ turns: [], otherwise: { say: 'Not yet.' } }, args);
  expect(stderr).toContain('Ralph loop: STUCK at iteration 2: ');
  expect(code).toBe(7);
});

const ITERATION = ['inputs', 'started', 'ran'];

function kinds(): string[] {
  const loops = join(scene.state, 'ralph/loops');
  const [id = ''] = readdirSync(loops);
  const { records } = parseJournal(readFileSync(join(loops, id, 'journal.jsonl')), 'journal');
  return records.map(({ result }) => result.kind);
}
