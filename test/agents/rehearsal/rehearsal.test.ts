/** Every agent plays the same script in a network namespace, without an account, and leaves nothing behind. */
import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { lookAtNetwork } from '../../../src/rehearsal/namespace.ts';
import { type AgentName, type AgentScene, agentScene, installAgents } from '../scene.ts';

const INSTALL_MS = 600_000;
const PROMPT = 'Please write the file.';

const COMMAND_LINES: Readonly<Record<AgentName, readonly string[]>> = {
  claude: ['-p', PROMPT, '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
  codex: ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
  copilot: ['-p', PROMPT, '--allow-all', '--output-format', 'json', '--no-ask-user'],
  gemini: ['-p', PROMPT, '-o', 'stream-json', '--approval-mode', 'yolo'],
  opencode: ['run', '--auto', '--format', 'json', PROMPT],
  pi: ['-p', '--mode', 'json', PROMPT],
  qwen: ['-p', PROMPT, '-y', '-o', 'stream-json'],
};

const SCRIPT = `turns:
  - match: ${PROMPT}
    say: I write the file.
    write: { path: made.txt, content: "hello\\n" }
    run: ["cat /proc/self/net/dev > devices.txt", "cat made.txt"]
  - match: hello
    say: All finished.
`;

let scene: AgentScene;

afterEach(() => scene.remove());

test.each(Object.entries(COMMAND_LINES) as [AgentName, readonly string[]][])(
  '%s does what the script says, reaches only the loopback interface and leaves the home folder alone',
  { timeout: INSTALL_MS },
  async (agent, args) => {
    scene = agentScene(installAgents(agent), {});
    scene.write('s.yaml', SCRIPT);
    const flags = ['--script', 's.yaml', '--record', 'asked.jsonl'];
    const { code, stdout, stderr } = await scene.ralphRehearse([...flags, '--', agent, ...args]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(scene.read('made.txt')).toBe('hello\n');
    expect(stdout).toContain('All finished.');
    expect(stderr).toContain('2 turns played, 0 left');
    expect(stderr).toContain('Requests: in asked.jsonl');
    expect(turnsIn(scene.read('asked.jsonl'))).toEqual([0, 1]);
    expect(readdirSync(scene.home)).toEqual(['.cache']);
    if (lookAtNetwork(process.env).kind === 'open') return;
    expect(stderr).toContain('Network: shut off by a namespace');
    expect(
      scene
        .read('devices.txt')
        .match(/^ *[^ :|]+:/gm)
        ?.map((name) => name.trim()),
    ).toEqual(['lo:']);
  },
);

test.each([
  // Refused only to root.
  ['claude', 'cannot be used with root/sudo privileges', process.getuid?.() !== 0],
  ['gemini', 'not running in a trusted directory', false],
] as const)(
  '%s refuses to start in a rehearsal if it would in the real run',
  { timeout: INSTALL_MS },
  async (agent, words, runs) => {
    scene = agentScene(installAgents(agent), {}, { IS_SANDBOX: '', GEMINI_CLI_TRUST_WORKSPACE: '' });
    scene.write('s.yaml', SCRIPT);
    const { code, stdout, stderr } = await scene.ralphRehearse([
      '--script',
      's.yaml',
      '--',
      agent,
      ...COMMAND_LINES[agent],
    ]);
    const said = stdout + stderr;
    expect({ ran: code === 0, refused: said.includes(words) }).toEqual({ ran: runs, refused: !runs });
    expect(stderr).toContain(runs ? '2 turns played' : 'Rehearsal: the command asked no model');
  },
);

/** The turns that answered the requests, in order. */
function turnsIn(record: string): unknown[] {
  const lines = record.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).flatMap(({ answer }) => (answer?.kind === 'turn' ? [answer.index] : []));
}

test('the built-in script takes a loop through a failed guardrail to its end', { timeout: INSTALL_MS }, async () => {
  const settings = {
    agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
    completionResponse: 'SHIPPED',
    guardrails: [{ command: 'test -e seen || { touch seen; exit 1; }', failAction: 'APPEND' }],
    scm: { command: 'git', tasks: ['commit'] },
    failureBackoffMs: 0,
  };
  scene = agentScene(installAgents('claude'), { '.ralph/settings.json': JSON.stringify(settings) });
  const { code, stderr } = await scene.ralphRehearse(['--', 'ralph', 'run', '-p', 'Write a note.', '-m', '3']);
  expect(stderr).toMatch(/^✗ .* exit 1 +\d+\.\ds$/m);
  expect(stderr).toContain('✓ Done in ');
  expect(stderr).toContain('Script: built in');
  expect(stderr).not.toContain('── 3/3');
  expect(code).toBe(0);
  expect(scene.read('rehearsal-note.txt')).toBe('The model was here.\n');
});

test('the built-in script asks for nothing that a sandbox refuses', { timeout: INSTALL_MS }, async () => {
  const settings = { agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] } };
  scene = agentScene(installAgents('claude'), { '.ralph/settings.json': JSON.stringify(settings) });
  const loop = ['ralph', 'run', '--sandbox=os', '-p', 'Write a note.', '-m', '3'];
  const { code, stderr } = await scene.ralphRehearse(['--', ...loop]);
  expect(stderr).toContain("isolation  operating system's sandbox");
  expect(stderr).not.toContain('refused');
  expect(scene.read('rehearsal-note.txt')).toBe('The model was here.\n');
  expect(code).toBe(0);
});
