/** The real Claude Code plays a script from end to end, without an account. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Rehearsed, rehearse } from '../../../src/rehearsal/rehearse.ts';
import type { Script, ToolCall } from '../../../src/rehearsal/script/script.ts';
import { installAgents, PERMITTED } from '../scene.ts';

const INSTALL_MS = 600_000;
const RUN_MS = 60_000;

let claude: string;
let cwd: string;

beforeAll(() => {
  [claude = ''] = installAgents('claude');
}, INSTALL_MS);

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'claude-rehearsal-'));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function play(script: Script): Promise<Rehearsed> {
  const flags = ['--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
  const out = openSync(join(cwd, 'stream.jsonl'), 'w');
  try {
    const command = [claude, '-p', 'please write the file', ...flags];
    // With the real HOME, the agent's shell would read the start-up files of the user who runs the tests.
    const env = { ...process.env, ...PERMITTED, HOME: join(cwd, 'home') };
    return await rehearse({ script, command, env, cwd, stdio: ['ignore', out, 'inherit'] });
  } finally {
    closeSync(out);
  }
}

function bash(command: string): ToolCall {
  return { name: 'Bash', input: { command, description: 'Write a file' } };
}

/** Parses every line, because in this release the line does not begin with its type. */
function resultLine(): unknown {
  const lines = readFileSync(join(cwd, 'stream.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { type?: unknown }).find(({ type }) => type === 'result');
}

test('a tool call is carried out and the closing text arrives', { timeout: RUN_MS }, async () => {
  const { exitCode, requests } = await play({
    turns: [
      {
        match: 'please write the file',
        say: 'I will write the file.',
        tool: bash('echo hello-from-claude > made.txt && cat made.txt'),
        usage: { inputTokens: 1000, outputTokens: 30 },
      },
      { match: 'hello-from-claude', say: 'All finished.', usage: { inputTokens: 1100, outputTokens: 12 } },
    ],
  });

  expect(exitCode).toBe(0);
  expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('hello-from-claude\n');
  expect(resultLine()).toMatchObject({
    subtype: 'success',
    is_error: false,
    num_turns: 2,
    result: 'All finished.',
    usage: { input_tokens: 2100, output_tokens: 42 },
  });
  expect(requests.flatMap(({ answer }) => (answer.kind === 'turn' ? [answer.index] : []))).toEqual([0, 1]);
});

test('several tools in one turn are all carried out', { timeout: RUN_MS }, async () => {
  const { exitCode } = await play({ turns: [{ tools: [bash('echo 1 > a'), bash('echo 2 > b')] }, { say: 'Both.' }] });
  expect(exitCode).toBe(0);
  expect([readFileSync(join(cwd, 'a'), 'utf8'), readFileSync(join(cwd, 'b'), 'utf8')]).toEqual(['1\n', '2\n']);
});

test('an exhausted script stops the agent, and the result says so', { timeout: RUN_MS }, async () => {
  const { exitCode, requests } = await play({ turns: [] });
  expect(exitCode).toBe(0);
  expect(resultLine()).toHaveProperty('result', 'The rehearsal script is exhausted: every turn was played.');
  expect(requests.at(-1)?.answer).toEqual({ kind: 'exhausted', left: 0 });
});
