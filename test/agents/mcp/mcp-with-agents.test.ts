/** `ralph mcp` in real agents, set up as in docs/mcp.md: the model lists loops, and sends a message to one's agent. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { callsOf } from '../../support/mcp-client.ts';
import { endProcessesOf } from '../../support/programs/processes.ts';
import { startProgram } from '../../support/programs/program.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const TOLD = 'Use tabs, and say so in the README.';
const ASKED = 'What runs here? Tell it to use tabs.';
/** Waits for a file in its first iteration and is done in the second. It keeps its prompts. */
const WORKER = `#!/bin/sh
for prompt; do :; done
n=\${RALPH_KEY%%/*}
printf %s "$prompt" >"$SCENE/prompt-$n"
[ "$n" = 1 ] && until [ -e "$SCENE/go" ]; do sleep 0.05; done
[ "$n" = 2 ] && echo '<response>DONE</response>'
exit 0
`;

let programs: string[];

beforeAll(() => {
  programs = installAgents('claude', 'gemini', 'opencode');
}, 600_000);

function newScene(settings: object): AgentScene {
  const scene = agentScene(programs, { 'README.md': 'A project.\n' });
  onTestFinished(() => {
    endProcessesOf(scene.folder);
    scene.remove();
  });
  scene.write('.ralph/settings.json', JSON.stringify({ failureBackoffMs: 10, ...settings }));
  return scene;
}

test.each([
  [
    'claude',
    'mcp__ralph__',
    'claude-code',
    `claude mcp add ralph -- ralph mcp --allow write && claude -p '${ASKED}' --dangerously-skip-permissions`,
  ],
  [
    'gemini',
    'mcp_ralph_',
    'gemini-cli-mcp-client',
    `gemini mcp add ralph ralph mcp --allow write && gemini --approval-mode yolo -m gemini-2.5-flash -p '${ASKED}'`,
  ],
  [
    'opencode',
    'ralph_',
    'opencode',
    `echo '{ "mcp": { "ralph": { "type": "local", "command": ["ralph", "mcp", "--allow", "write"] } } }' >opencode.json &&
      opencode run '${ASKED}'`,
  ],
])(
  '%s: the model lists the loops and sends one a message, which is in the next prompt of its agent',
  async (_agent, prefix, client, line) => {
    const scene = newScene({ agent: { command: '../worker' } });
    writeFileSync(join(scene.folder, 'worker'), WORKER, { mode: 0o755 });
    const loop = startProgram(['ralph', 'run', '-p', 'Write a page.', '-m', '3'], {
      cwd: scene.work,
      env: { ...scene.env, SCENE: scene.folder },
      detached: true,
    });
    const prompt = (n: number): string => join(scene.folder, `prompt-${n}`);
    await vi.waitUntil(() => existsSync(prompt(1)), { timeout: 60_000, interval: 20 });
    const [created] = scene.journal();
    const id = created?.result.kind === 'created' ? created.result.id : '';

    const script = {
      turns: [
        { match: ASKED, say: 'I look.', tool: { name: `${prefix}list_loops`, input: {} } },
        // Matches only if the tool's answer names the loop.
        { match: id, say: 'I tell it.', tool: { name: `${prefix}tell_loop`, input: { loop: id, text: TOLD } } },
        { match: 'with its next prompt', say: 'It knows now.' },
      ],
      otherwise: { say: 'Nothing.' },
    };
    const file = join(scene.folder, 'script.json');
    writeFileSync(file, JSON.stringify(script));
    const { code, stdout, stderr } = await scene.ralphRehearse([
      '--script',
      file,
      '--',
      'sh',
      '-c',
      `${line} </dev/null`,
    ]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('It knows now.'),
      stderr: expect.stringContaining('3 turns played, 0 left'),
    });

    writeFileSync(join(scene.folder, 'go'), '');
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(readFileSync(prompt(2), 'utf8')).toContain(
      `## A message for you\nFrom the program "${client}", which the person who runs this loop lets steer it:\n\n${TOLD}`,
    );
    expect(callsOf(scene)).toMatchObject([
      { tool: 'list_loops', outcome: 'done', allow: 'write', inside: null, client: { name: client } },
      { tool: 'tell_loop', outcome: 'begun', arguments: { loop: id, text: TOLD } },
      { tool: 'tell_loop', outcome: 'done', detail: id },
    ]);
  },
);

test('the agent of a loop, with ralph as its MCP server, sees only that loop and has no tool to send messages', async () => {
  const server = { command: 'ralph', args: ['mcp', '--allow', 'write'] };
  const scene = newScene({
    agent: { command: 'claude', flags: ['--dangerously-skip-permissions', '--mcp-config=.mcp.json'] },
  });
  scene.write('.mcp.json', JSON.stringify({ mcpServers: { ralph: server } }));
  const other = await scene.rehearse({ turns: [{ say: '<response>DONE</response>' }] }, ['run', '-p', 'Another page.']);
  expect(other).toMatchObject({ code: 0 });
  const [first = ''] = scene.loops();
  const { code, stdout, stderr } = await scene.rehearse(
    {
      turns: [
        { tool: { name: 'mcp__ralph__list_loops', input: {} } },
        { tool: { name: 'mcp__ralph__loop_status', input: { loop: first } } },
        { match: 'there is no loop', tool: { name: 'mcp__ralph__tell_loop', input: { loop: first, text: 'x' } } },
        { match: 'No such tool', say: '<response>DONE</response>' },
      ],
    },
    ['run', '-p', 'Write a page.', '-m', '1'],
  );
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const [own = ''] = scene.loops().filter((id) => id !== first);
  expect(callsOf(scene)).toMatchObject([
    { tool: 'list_loops', outcome: 'done', inside: own },
    { tool: 'loop_status', outcome: 'failed', inside: own },
  ]);
});
