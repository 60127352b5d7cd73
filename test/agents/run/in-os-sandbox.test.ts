/** Real agents in the operating system's sandbox: they do their work there, and their shell tool cannot get out. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Turn } from '../../../src/rehearsal/script/script.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const DONE: Turn = { say: 'Finished. <response>DONE</response>' };

describe.each([
  ['claude', ['--dangerously-skip-permissions']],
  ['codex', []],
] as const)('the real %s in the sandbox', (agent, flags) => {
  let program: string;
  let scene: AgentScene;

  beforeAll(() => {
    [program = ''] = installAgents(agent);
  }, 600_000);

  afterEach(() => scene.remove());

  const begin = (settings: object = {}): void => {
    const all = { agent: { command: agent, flags }, ...settings };
    scene = agentScene([program], {
      'answer.txt': 'none\n',
      'test.sh': 'grep -q right answer.txt\n',
      '.ralph/settings.json': JSON.stringify(all),
    });
  };
  const run = (turns: readonly Turn[], ...args: readonly string[]) =>
    scene.rehearse({ turns }, ['run', '-p', 'Write the answer.', '-m', '3', '--sandbox=os', ...args]);

  test('edits, runs the tests, commits; the guardrail is green and the rest is committed', async () => {
    begin({
      guardrails: [{ command: 'sh test.sh', failAction: 'APPEND' }],
      scm: { command: 'git', tasks: ['commit'] },
    });
    const { code, stdout, stderr } = await run([
      { say: 'I write it.', run: 'echo right > answer.txt && sh test.sh && git commit -aqm "By the agent"' },
      { say: 'Once more.', run: 'echo "right, and more" > answer.txt' },
      DONE,
      { match: 'commit message', say: 'Say more' },
    ]);
    expect(stderr).toContain("isolation  operating system's sandbox");
    expect(stderr).toMatch(/^✓ (?!Done|committed).* \d+\.\ds$/m);
    expect(stderr).not.toContain('Sandbox: refused');
    expect(stdout).toContain('I write it.');
    expect(code).toBe(0);
    expect(scene.read('answer.txt')).toBe('right, and more\n');
    expect(scene.git('log', '--format=%s')).toBe('Say more\nBy the agent\nbegin\n');
    expect(scene.processes()).toEqual([]);
  });

  test('keeps its state in the home folder, and is refused nothing that it needs', async () => {
    begin();
    const script = join(scene.folder, 'usual.json');
    writeFileSync(script, JSON.stringify({ turns: [{ run: 'echo right > answer.txt' }, DONE] }));
    // A rehearsal, but with the agent's folder at its default path.
    const moved = agent === 'claude' ? 'unset CLAUDE_CONFIG_DIR' : 'cp -r "$CODEX_HOME" ~/.codex; unset CODEX_HOME';
    const ralph = `${moved}; exec ralph run -p x -m 1 --sandbox=os`;
    const { code, stderr } = await scene.ralphRehearse(['--script', script, '--', 'sh', '-c', ralph]);
    expect(stderr).not.toContain('Sandbox: refused');
    expect(code).toBe(0);
    expect(scene.read('answer.txt')).toBe('right\n');
    expect(existsSync(join(scene.home, `.${agent}`))).toBe(true);
  });

  test('cannot reach files outside of the work tree, keys, hosts, the harness or the journal with its shell', async () => {
    begin();
    mkdirSync(join(scene.home, '.ssh'));
    writeFileSync(join(scene.home, '.ssh/id'), 'a key\n');
    const attacks = [
      `echo x > ${scene.folder}/outside && echo WROTE`,
      `grep key ${scene.home}/.ssh/id && echo READ`,
      `find ${scene.state} -name 'journal*' | grep . && echo FOUND`,
      `curl --max-time 5 -sSf http://example.com/ && echo REACHED`,
      `curl --max-time 5 -sSf --noproxy '*' http://93.184.216.34/ && echo REACHED`,
      `unshare --net true; nsenter --net=/proc/1/ns/net curl --max-time 5 -sSf --noproxy '*' http://93.184.216.34/ && echo REACHED`,
      `grep -l ralph.cjs /proc/[0-9]*/cmdline && echo SEEN`,
      `echo x > .git/hooks/pre-commit && echo HOOKED`,
      `mount -o remount,rw / && echo MOUNTED`,
      'echo through',
    ];
    scene.write('attacks.sh', `${attacks.join('\n')}\n`);
    const { code, stderr } = await run([{ run: 'sh attacks.sh > results.txt 2>&1' }, DONE]);
    expect(scene.read('results.txt')).toMatch(/^through$/m);
    expect(scene.read('results.txt')).not.toMatch(/WROTE|READ|FOUND|REACHED|SEEN|HOOKED|MOUNTED/);
    expect(stderr).toContain(`Sandbox: refused to write ${scene.folder}/outside`);
    expect(stderr).toContain('Sandbox: refused to connect to example.com:80');
    expect(stderr).toMatch(/^Usage: [\s\S]*? refusals\s+by\s+the\s+sandbox/m);
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });
});

test.each([
  ['gemini', ['--yolo'], 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['opencode', [], 'XDG_CONFIG_HOME', 'opencode/plugin/x.js'],
] as const)(
  'the real %s works in the sandbox, and leaves no configuration that it would obey outside',
  async (...row) => {
    const [agent, flags, variable, trustedConfig] = row;
    const settings = JSON.stringify({ agent: { command: agent, flags } });
    const scene = agentScene(installAgents(agent), { 'answer.txt': 'none\n', '.ralph/settings.json': settings });
    onTestFinished(() => scene.remove());
    const path = `$${variable}/${trustedConfig}`;
    const plant = `mkdir -p "${dirname(path)}"; echo planted > "${path}"; echo right > answer.txt`;
    const script = join(scene.folder, 'plant.json');
    writeFileSync(script, JSON.stringify({ turns: [{ run: plant }, DONE] }));
    const look = `ralph run -p x -m 1 --sandbox=os && ! grep -qs planted "${path}" && echo CLEAN`;
    const { stdout, stderr } = await scene.ralphRehearse(['--script', script, '--', 'sh', '-c', look]);
    expect(stderr).toContain("isolation  operating system's sandbox");
    expect(stdout).toContain('CLEAN');
    expect(scene.read('answer.txt')).toBe('right\n');
  },
);
