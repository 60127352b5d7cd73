/** What people get wrong in their first ten minutes with `ralph run`: exit 2, and the command that was meant. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject, CLAUDE_DONE, withoutSandbox } from '../../support/run/bare-project.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

describe('the prompt', () => {
  test.each([
    ['ralph run fix the tests', 'error: put the prompt in quotes\n', 'hint: For example: ralph run "fix the tests"\n'],
    ['ralph run work.txt', 'work.txt is a file; did you mean -f work.txt?', 'ralph run -f work.txt'],
    ['ralph run x -p y', 'the prompt is given twice: "x" and --prompt', 'For example: ralph run "Fix'],
    ['ralph run x -f work.txt', 'the prompt is given twice: "x" and --prompt-file', 'For example: ralph run "Fix'],
    ['ralph run ""', 'the prompt is empty', 'ralph run -p "Fix the failing tests"'],
    ['ralph run </dev/null', 'must specify prompt (--prompt or --prompt-file)', 'ralph run "Fix the failing tests"'],
    ['ralph rnu', 'there is no command rnu; did you mean ralph run?', 'ralph --help'],
    ['ralph run x --agent cluade', 'agent command not found: cluade; did you mean claude?', 'another with --agent'],
    ['ralph run x --agent amp --model m --no-sandbox', 'agent command not found: amp', 'Install it (npm install'],
    ['ralph run x --model m --agent ../bin/mine', '--model cannot be passed on', 'agent.flags'],
  ])('%s', async (line, said, hint) => {
    const scene = bareProject();
    symlinkSync(join(scene.folder, 'bin/claude'), join(scene.folder, 'bin/mine'));
    const { code, stdout, stderr } = await scene.shell(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toContain(hint);
    expect(scene.loops()).toEqual([]);
  });
});

test('ralph without arguments starts nothing, even if there is a PROMPT.md', async () => {
  const scene = bareProject();
  const { code, stderr } = await scene.shell('echo x >PROMPT.md; ralph </dev/null');
  expect(stderr).toContain('error: must specify prompt (--prompt or --prompt-file)\n');
  expect({ code, loops: scene.loops() }).toEqual({ code: 2, loops: [] });
});

test('without an agent, the error says how to install each', async () => {
  const scene = bareProject({ agent: 'other' });
  symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
  const { code, stderr } = await scene.shell('PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph run "do it"');
  expect(stderr).toContain('error: no coding agent is installed\n');
  expect(stderr).toContain('  Claude Code  npm install -g @anthropic-ai/claude-code\n');
  expect({ code, loops: scene.loops() }).toEqual({ code: 2, loops: [] });
});

describe('where there is no sandbox', () => {
  const IN_CONTAINER = { env: { IS_SANDBOX: '1' } };

  test('and no terminal to ask on: exit 2 with what to do, and nothing starts', async () => {
    const scene = withoutSandbox(IN_CONTAINER);
    const { code, stderr } = await scene.ralph(['run', 'do it']).exited;
    expect(stderr).toMatch(/^error: claude would work unattended without a sandbox: .*No permissions/m);
    expect(stderr).toMatch(/^hint: .*--no-sandbox/m);
    expect({ code, loops: scene.loops() }).toEqual({ code: 2, loops: [] });
  });

  test.each([
    ['', 2],
    ['n', 2],
    ['C-c', 130],
  ])('ralph asks on a terminal: %j means no', async (answer, exit) => {
    const scene = withoutSandbox(IN_CONTAINER);
    const terminal = openTerminal(scene, 'ralph run "do it"', { columns: 80, rows: 24 });
    await terminal.asks('Start it without a sandbox? (y/N):');
    expect(terminal.screen()).toMatch(/could do\s+whatever you can/);
    if (answer === 'C-c') terminal.press(answer);
    else terminal.type(answer);
    const { code } = await terminal.ended();
    expect({ code, loops: scene.loops() }).toEqual({ code: exit, loops: [] });
  });

  test.each([
    ['yes at the terminal', 'ralph run "do it"'],
    ['--no-sandbox', 'ralph run "do it" --no-sandbox'],
  ])('%s: the agent works unattended, and the output says so', async (_what, line) => {
    const play = `case " $* " in *" --dangerously-skip-permissions "*) ${CLAUDE_DONE} ;; esac`;
    const scene = withoutSandbox({ ...IN_CONTAINER, play });
    const terminal = openTerminal(scene, line, { columns: 80, rows: 30 });
    if (!line.includes('--no-sandbox')) {
      await terminal.asks('Start it without a sandbox? (y/N):');
      terminal.type('y');
    }
    const { code, screen } = await terminal.ended();
    expect(screen).toContain('  agent      claude 1.2.3, unattended, no sandbox');
    expect(code).toBe(0);
  });

  test('an agent that ralph does not know just runs', async () => {
    const scene = withoutSandbox({ agent: 'mine', play: 'echo "<response>DONE</response>"' });
    const { code, stderr } = await scene.ralph(['run', 'do it', '--agent', 'mine']).exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('  agent      mine, no sandbox') });
  });

  test.runIf(process.getuid?.() === 0)('as root, an error says that the agent would refuse', async () => {
    const scene = withoutSandbox();
    const { code, stderr } = await scene.ralph(['run', 'do it', '--no-sandbox']).exited;
    expect(stderr).toContain('error: Claude Code refuses --dangerously-skip-permissions when run as root\n');
    expect(code).toBe(2);
  });
});
