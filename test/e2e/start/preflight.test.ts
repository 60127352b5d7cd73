/** What newcomers get wrong, and how an 80×24 terminal then ends: with the mistake and what to do. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutProgram } from '../../bad-input/without-program.ts';
import { DONE, makeScene, PROMPT, type Scene, type SceneOptions } from '../../support/scene.ts';
import { openTerminal, type Terminal } from '../../support/terminal/terminal.ts';

const SIZE = { columns: 80, rows: 24 };
const COMMIT = { command: 'git', tasks: ['commit'] };

function sceneOf(options: Partial<SceneOptions> = {}): Scene {
  return makeScene({ play: DONE, ...options });
}

/** The prompt asks for the answer that ends the loop, so that there is no warning about it. */
const RUN = 'ralph run -p "Answer <response>DONE</response>."';

const typed = (scene: Scene, line: string): Terminal => openTerminal(scene, line, SIZE);

/** A wrapped line, whose continuation is indented, counts as one. */
const lastLines = (screen: string, count: number): string[] =>
  screen
    .replaceAll(/\n {2}(?=[^ ])/g, ' ')
    .split('\n')
    .slice(-count);

/** No loop was created, and no agent was started. */
function expectUnbegun(scene: Scene, screen: string): void {
  expect(screen).not.toContain('── 1/');
  expect(scene.starts()).toEqual([]);
  expect(scene.loops()).toEqual([]);
}

describe('ends before the first iteration, with exit code 2', () => {
  test('an agent that is not installed', async () => {
    const scene = sceneOf({ settings: { agent: { command: 'codex' } } });
    Object.assign(scene.env, withoutProgram('codex', scene.env));
    const { code, screen } = await typed(scene, 'ralph run -p "Do the work."').ended();
    expect(lastLines(screen, 2)).toEqual([
      'error: agent command not found: codex',
      'hint: Install it (npm install -g @openai/codex), or set agent.command in .ralph/settings.json to the program you use.',
    ]);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
  });

  test.each([
    ['without the execute bit', (file: string) => writeFileSync(file, '#!/bin/sh\n'), 'is not executable'],
    ['a directory', (file: string) => mkdirSync(file), 'is a directory'],
    [
      'with an interpreter that is not there',
      (file: string) => writeFileSync(file, '#!/no/such\n', { mode: 0o755 }),
      'needs the interpreter /no/such, which cannot be run',
    ],
  ])('an agent that is %s', async (_what, make, why) => {
    const scene = sceneOf({ settings: { agent: { command: './my-agent' } } });
    make(join(scene.work, 'my-agent'));
    const { code, screen } = await typed(scene, 'ralph run -p "Do the work."').ended();
    expect(lastLines(screen, 2)[0]).toBe(`error: agent command cannot be run: ${scene.work}/my-agent ${why}`);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
  });

  test('no tmux', async () => {
    const scene = sceneOf();
    const { PATH } = withoutProgram('tmux', scene.env);
    const { code, screen } = await typed(scene, `PATH=${PATH} ralph run -p "Do the work." --runner tmux`).ended();
    expect(lastLines(screen, 2)).toEqual([
      'error: tmux is not installed',
      'hint: Install it, or start a new loop without --runner tmux.',
    ]);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
  });

  test('no Docker', async () => {
    const scene = sceneOf({ agent: 'claude', settings: {} });
    Object.assign(scene.env, withoutProgram('docker', scene.env), { ANTHROPIC_API_KEY: 'x' });
    const { code, screen } = await typed(scene, 'ralph run -p "Do the work." --sandbox').ended();
    const [error, hint] = lastLines(screen, 2);
    expect(error).toBe('error: Docker Sandbox cannot be used: docker is not on the PATH');
    expect(hint).toMatch(/^hint: It needs Docker Desktop .*; --sandbox=os is the operating system's own\.$/);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
  });

  test.runIf(process.getuid?.() === 0)('permissions skipped as root', async () => {
    const agent = { command: 'claude', flags: ['--dangerously-skip-permissions'] };
    const scene = sceneOf({ agent: 'claude', settings: { agent }, env: { ANTHROPIC_API_KEY: 'x', IS_SANDBOX: '' } });
    const { code, screen } = await typed(scene, 'ralph run -p "Do the work."').ended();
    expect(lastLines(screen, 2)).toEqual([
      'error: Claude Code refuses --dangerously-skip-permissions when run as root',
      'hint: Run ralph as another user, or, in a disposable container, set IS_SANDBOX=1.',
    ]);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
    scene.env.IS_SANDBOX = '1';
    await scene.run('-m', '1');
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });

  test('several mistakes are reported at once, each with its fix, below the warnings', async () => {
    const guardrails = [{ command: './check.sh', failAction: 'APPEND' }];
    const scene = sceneOf({ settings: { agent: { command: 'no-such-agent' }, guardrails } });
    const { PATH } = withoutProgram('tmux', scene.env);
    const { code, screen } = await typed(scene, `PATH=${PATH} ralph run -p "Do the work." --runner tmux`).ended();
    expect(screen.split('\n')).toEqual([
      'Before the first iteration:',
      '! ./check.sh: command not found',
      '    the agent may create it; it counts as failed until then',
      'error: 2 problems keep the loop from starting:',
      '✗ agent command not found: no-such-agent',
      '    Install it, or set agent.command in .ralph/settings.json to the program you use.',
      '✗ tmux is not installed',
      '    Install it, or start a new loop without --runner tmux.',
    ]);
    expect(code).toBe(2);
    expectUnbegun(scene, screen);
  });

  test('a second loop in the folder', async () => {
    const scene = sceneOf({ play: `at_gate; ${DONE}` });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const { code, screen } = await typed(scene, 'ralph run -p "Do the work."').ended();
    const [error, hint] = lastLines(screen, 2);
    expect(error).toBe(
      `error: a loop is already running in ${scene.work} (pid ${first.pid}, loop ${scene.loops()[0]?.slice(-8, -4)})`,
    );
    expect(hint).toMatch(/^hint: Stop it first: ralph stop /);
    expect(code).toBe(2);
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 0 });
  });
});

describe('is reported right above the first iteration, which starts all the same', () => {
  /** The lines above the rule of the first iteration while its agent works. */
  async function aboveFirst(scene: Scene, line = `${RUN} -m 2`): Promise<[Terminal, string[]]> {
    const terminal = typed(scene, line);
    await scene.logged('at gate 1/work/1');
    await terminal.shows('── 1/');
    const lines = terminal.screen().split('\n');
    return [terminal, lines.slice(0, lines.findIndex((shown) => shown.startsWith('── 1/')) - 1)];
  }

  test('a commit outside of git', async () => {
    const scene = sceneOf({ play: `at_gate; ${DONE}`, settings: { scm: COMMIT } });
    rmSync(join(scene.work, '.git'), { recursive: true });
    const [terminal, above] = await aboveFirst(scene);
    expect(above.slice(-3)).toEqual([
      'Before the first iteration:',
      '! the work tree is not in a git repository (git commit will fail)',
      '    to make it one, run: git init',
    ]);
    scene.openGate();
    expect((await terminal.ended()).code).toBe(11);
  });

  test('uncommitted files, with their number', async () => {
    const scene = sceneOf({ play: `at_gate; ${DONE}`, settings: { scm: COMMIT } });
    scene.write('work/work.txt', 'edited\n');
    scene.write('work/new.txt', 'not tracked, and so not committed\n');
    const [terminal, above] = await aboveFirst(scene);
    expect(above.slice(-2)).toEqual([
      '! the work tree has 1 uncommitted file',
      '    it will be part of the first commit; --worktree keeps it out',
    ]);
    scene.openGate();
    expect((await terminal.ended()).code).toBe(0);
  });

  test('commits without an author, if git does not know who you are', async () => {
    const scene = sceneOf({ play: `at_gate; ${DONE}`, settings: { scm: COMMIT } });
    for (const who of ['AUTHOR', 'COMMITTER'])
      for (const what of ['NAME', 'EMAIL']) delete scene.env[`GIT_${who}_${what}`];
    const config = 'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.useConfigOnly GIT_CONFIG_VALUE_0=true';
    const [terminal, above] = await aboveFirst(scene, `${config} ${RUN} -m 2`);
    expect(above.slice(-2)).toEqual([
      '! git does not know who you are: commits will fail',
      '    git config --global user.name "…"; git config --global user.email "…"',
    ]);
    scene.openGate();
    await terminal.ended();
  });

  test('a guardrail that is not found; the loop ends if it stays missing', async () => {
    const guardrails = [{ command: './check.sh --all', failAction: 'APPEND' }];
    const scene = sceneOf({ play: `[ $n = 1 ] && at_gate; ${DONE}`, settings: { guardrails } });
    const [terminal, above] = await aboveFirst(scene, `${RUN} -m 10`);
    expect(above.slice(-2)).toEqual([
      '! ./check.sh --all: ./check.sh was not found',
      '    the agent may create it; it counts as failed until then',
    ]);
    scene.openGate();
    const { code, screen } = await terminal.ended();
    expect(code).toBe(2);
    expect(screen).toContain('✗ ./check.sh --all  exit 127');
    expect(screen).toMatch(
      /\nhint: Install what it needs, or fix guardrails in \.ralph\/settings\.json\.\s+Its\s+output .*\n\n✗ Stopped after 2 /,
    );
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toHaveLength(2);
  });

  const NOT_LOGGED_IN = `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"Not logged in · Please run /login"}`;

  test.runIf(process.platform === 'linux')('an agent without a login', async () => {
    const scene = sceneOf({ agent: 'claude', play: `at_gate; echo '${NOT_LOGGED_IN}'; exit 1` });
    const [terminal, above] = await aboveFirst(scene);
    expect(above.slice(-2)).toEqual([
      '! no login of Claude Code was found',
      '    to log in: start claude once and log in, or set ANTHROPIC_API_KEY',
    ]);
    scene.openGate();
    const { code, screen } = await terminal.ended();
    expect(code).toBe(4);
    expect(screen).toContain('Not logged in · Please run /login');
  });

  test.each([
    ['a key in the environment', { ANTHROPIC_API_KEY: 'x' }, null],
    ['credentials on the disk', {}, '.claude/.credentials.json'],
    ['settings that may hold a login', {}, '.claude/settings.json'],
  ])('%s: there is no warning about a login', async (_what, env, file) => {
    const scene = sceneOf({ agent: 'claude', env });
    mkdirSync(join(scene.folder, '.claude'));
    if (file !== null) scene.write(file, '{"apiKeyHelper": "x"}');
    expect((await scene.run()).stderr).not.toContain('login');
  });

  test.runIf(process.platform === 'linux')('empty settings, as a sandbox leaves them, are not a login', async () => {
    const scene = sceneOf({ agent: 'claude' });
    mkdirSync(join(scene.folder, '.claude'));
    scene.write('.claude/settings.json', '{}\n');
    expect((await scene.run()).stderr).toContain('! no login of Claude Code was found');
  });
});

test('a refused permission is reported in the words of ralph run', async () => {
  const denied = `{"type":"result","subtype":"success","result":"I could not.","permission_denials":[{"tool_name":"Bash"}]}`;
  const scene = sceneOf({ agent: 'claude', play: `echo '${denied}'`, env: { ANTHROPIC_API_KEY: 'x' } });
  const { screen } = await typed(scene, 'ralph run -p "Do the work." -m 1').ended();
  expect(screen).toContain(
    'Agent: Permission refused for 1 tool call (Bash): allow them in agent.flags of .ralph/settings.json',
  );
  expect(screen).not.toContain('stories');
});

test('with --verbose, what is in order is reported as well', async () => {
  const scene = sceneOf({ settings: { guardrails: [{ command: 'true && test -e work.txt', failAction: 'APPEND' }] } });
  chmodSync(join(scene.folder, 'bin/agent'), 0o755);
  const { stderr } = await scene.run('-V');
  expect(stderr).toContain(`\nBefore the first iteration:\n✓ agent: ${scene.folder}/bin/agent\n`);
  expect(stderr).toMatch(/\n✓ \d+(?:\.\d)? [GM]B free for the state directory: /);
});
