/** `ralph run --dry-run` shows what a run would do and why, and starts and writes nothing. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject, withoutSandbox } from '../support/run/bare-project.ts';
import { makeScene, type Scene } from '../support/scene.ts';

const PLAY = 'echo "<response>DONE</response>"';

/** Every file of the scene with its content and modification time, and every folder. */
function everything(scene: Scene): Record<string, string> {
  const entries = readdirSync(scene.folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}` : 'no file'];
    }),
  );
}

/** The settings in the output: `path value (origin)`, with single spaces. */
function settingsShown(stdout: string): string[] {
  const [, table = ''] = /^Settings:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  return table.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
}

describe('each value with its origin', () => {
  test('the defaults', async () => {
    const scene = makeScene({ play: PLAY });
    scene.write('work/.ralph/settings.json', '{"agent": {"command": "agent"}}');
    const { code, stdout } = await scene.run('--dry-run');
    expect(code).toBe(0);
    expect(settingsShown(stdout).sort()).toEqual(
      [
        'maximumIterations 10 (default)',
        'completionResponse "DONE" (default)',
        'outputTruncateChars 5000 (default)',
        'streamAgentOutput true (default)',
        'includeIterationCountInPrompt false (default)',
        'failureBackoffMs 1000 (default)',
        'agent.command "agent" (.ralph/settings.json)',
        'agent.flags [] (default)',
        'guardrails [] (default)',
        'display.emoji true (default)',
        'display.timestamps false (default)',
        'display.maxOutputLines 3 (default)',
        'display.maxOutputChars 120 (default)',
      ].sort(),
    );
  });

  test('file, local file and flag', async () => {
    const scene = makeScene({ play: PLAY, settings: { maximumIterations: 5, completionResponse: 'A' } });
    scene.write(
      'work/.ralph/settings.local.json',
      '{"agent": {"command": "agent", "flags": ["--model opus"]}, "maximumIterations": 6}',
    );
    const flags = ['-m', '7', '-c', 'B', '--no-stream-agent-output', '--agent-timeout', '90s'];
    const { stdout } = await scene.run('--dry-run', ...flags);
    const shown = settingsShown(stdout);
    expect(shown).toContain('maximumIterations 7 (--maximum-iterations)');
    expect(shown).toContain('completionResponse "B" (--completion-response)');
    expect(shown).toContain('streamAgentOutput false (--no-stream-agent-output)');
    expect(shown).toContain('agent.timeout "1m30s" (--agent-timeout)');
    expect(shown).toContain('failureBackoffMs 10 (.ralph/settings.json)');
    expect(shown).toContain('agent.flags ["--model","opus"] (.ralph/settings.local.json)');
    const without = settingsShown((await scene.run('--dry-run')).stdout);
    expect(without).toContain('maximumIterations 6 (.ralph/settings.local.json)');
    expect(without).toContain('completionResponse "A" (.ralph/settings.json)');
    expect(without.join('\n')).not.toContain('agent.timeout');
  });

  test('a timeout of less than a second is shown in milliseconds', async () => {
    const scene = makeScene({ play: PLAY });
    const { stdout } = await scene.run('--dry-run', '--agent-timeout', '500ms');
    expect(settingsShown(stdout)).toContain('agent.timeout "500ms" (--agent-timeout)');
  });
});

test('values chosen for a project without settings have their origin, too, and no agent starts', async () => {
  const scene = bareProject({ play: PLAY });
  scene.write('work/Makefile', 'test:\n');
  const dry = (...flags: string[]) => scene.ralph(['run', 'do it', '--dry-run', ...flags]).exited;
  const { code, stdout, stderr } = await dry();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const shown = settingsShown(stdout);
  expect(shown).toContain('agent.command "claude" (installed)');
  expect(shown).toContain('agent.flags ["--dangerously-skip-permissions"] (to work unattended)');
  expect(shown).toContain('guardrails ["make test"] (Makefile)');
  expect(shown).toContain('sandbox.kind "os" (the strongest here)');
  expect(stdout).toContain("\nSandbox (the operating system's):\n");
  expect(stdout).toContain('First prompt:\ndo it\n\nWhen everything is done and the checks pass (make test), answer ');
  const given = settingsShown((await dry('--agent', 'claude', '--model', 'm', '--check', 'x', '--sandbox=os')).stdout);
  expect(given).toContain('agent.command "claude" (--agent)');
  expect(given).toContain('agent.flags ["--model","m","--dangerously-skip-permissions"] (to work unattended, --model)');
  expect(given).toContain('guardrails ["x"] (--check)');
  expect(given.join('\n')).not.toContain('the strongest here');
  expect(scene.starts()).toEqual([]);
});

test('without a sandbox, it says that the agent would work without one', async () => {
  const scene = withoutSandbox({ env: { IS_SANDBOX: '1' } });
  const { code, stdout } = await scene.ralph(['run', 'do it', '--dry-run']).exited;
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\nSandbox: none\n {2}claude would work unattended without a sandbox: .*\n {2}.*--no-sandbox\n/,
  );
});

describe('the exact command line', () => {
  const flags = ['--model opus', '--append-system-prompt "be brief"'];
  const USER = "--model opus --append-system-prompt 'be brief'";
  test.each([
    ['claude', [], `claude -p --output-format stream-json --verbose ${USER} 'Do the work.'`],
    ['claude', ['--no-stream-agent-output'], `claude -p --output-format text ${USER} 'Do the work.'`],
    ['agent', [], `agent ${USER} 'Do the work.'`],
    ['agent', ['--no-stream-agent-output'], `agent ${USER} 'Do the work.'`],
  ])('%s %j', async (command, given, line) => {
    const scene = makeScene({ play: PLAY, agent: command, settings: { agent: { command, flags } } });
    const { stdout } = await scene.run('--dry-run', ...given);
    expect(stdout).toContain(`\nCommand line:\n  ${line}\n  runs ${join(scene.folder, 'bin', command)}\n`);
  });

  test('is what a real run starts', async () => {
    const play = `for word; do printf '%s\\n' "$word"; done >"$SCENE/arguments"; claude_result x`;
    const scene = makeScene({ play, agent: 'claude', settings: { agent: { command: 'claude', flags } } });
    const { stdout } = await scene.run('--dry-run');
    const [, line = ''] = /Command line:\n {2}(.*)\n/.exec(stdout) ?? [];
    await scene.run('-m', '1');
    const typed = await scene.shell(`set -- ${line}; shift; for word; do printf '%s\\n' "$word"; done`);
    expect(scene.read('arguments')).toBe(typed.stdout);
    expect(typed.stdout).toContain('be brief\n');
  });

  test('a prompt that is passed on stdin and a missing program are reported', async () => {
    const scene = makeScene({ play: PLAY, settings: { agent: { command: '/nowhere/claude' } } });
    const { code, stdout } = await scene.ralph(['run', '--dry-run', '-p', '- a list']).exited;
    expect(stdout).toContain(
      '\nCommand line (the prompt is passed on stdin):\n  /nowhere/claude -p --output-format stream-json --verbose\n',
    );
    expect(stdout).toContain('\n  warning: /nowhere/claude is not on the PATH\n');
    expect(code).toBe(0);
  });
});

describe('the first prompt', () => {
  test('from the flag, with the iteration count', async () => {
    const scene = makeScene({ play: PLAY, settings: { includeIterationCountInPrompt: true } });
    const { stdout } = await scene.run('--dry-run', '-m', '4');
    expect(stdout).toMatch(/\nFirst prompt:\nIteration 1 of 4, 3 remaining\.\n\nDo the work\.\n\nDry run: .*\n$/);
  });

  test('from a file', async () => {
    const scene = makeScene({ play: PLAY });
    scene.write('prompt', 'From a file,\nin two lines.');
    const { stdout } = await scene.ralph(['run', '--dry-run', '-f', '../prompt']).exited;
    expect(stdout).toContain('\nFirst prompt:\nFrom a file,\nin two lines.\n\nDry run: nothing was started.\n');
  });
});

test('nothing is started and nothing is written', async () => {
  const guardrails = [{ command: 'touch "$SCENE/guardrail"', failAction: 'APPEND' }];
  const scm = { command: 'git', tasks: ['commit'] };
  const scene = makeScene({ play: `echo line >>work.txt; ${PLAY}`, settings: { guardrails, scm } });
  const before = everything(scene);
  expect(await scene.run('--dry-run', '--verbose')).toMatchObject({ code: 0, stderr: '' });
  expect(everything(scene)).toEqual(before);
  expect(scene.starts()).toEqual([]);
});

test.each([[['--sandbox=os', '--allow-host', 'not a host']], [['--allow-host', 'example.com']]])(
  '%j: an error in the flags is the only output',
  async (flags) => {
    const scene = makeScene({ play: PLAY });
    const { code, stdout, stderr } = await scene.run('--dry-run', ...flags);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('error: ');
  },
);

test('a dry run is refused like a run, and shows no secret', async () => {
  const env = { MY_TOKEN: 'hush-hush-1234' };
  const scene = makeScene({
    play: PLAY,
    env,
    settings: { agent: { command: 'agent', flags: ['--key', 'hush-hush-1234'] } },
  });
  expect(await scene.ralph(['run', '--dry-run']).exited).toMatchObject({ code: 2, stdout: '' });
  const { stdout } = await scene.run('--dry-run');
  expect(stdout).toContain('agent --key ');
  expect(stdout).not.toContain('hush');
  scene.write('work/.ralph/settings.json', '{"agent": {"command": "agent"}, "maximumIterations": 0}');
  const { code, stderr } = await scene.run('--dry-run');
  expect(stderr).toContain(': maximumIterations must be a positive integer, got 0\n');
  expect(code).toBe(2);
});
