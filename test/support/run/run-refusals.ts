/** What `ralph run` refuses to start: exit 2, an error and a hint, and no agent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScene, PROMPT, type Scene } from '../scene.ts';

const PLAY = 'echo "<response>DONE</response>"';

interface Refusal {
  readonly what: string;
  /** The text of the settings file. */
  readonly settings?: string;
  readonly flags?: readonly string[];
  readonly said: readonly string[];
}

const FIX = 'hint: Fix .ralph/settings.json';
const GUARDRAILS = '[{"command": "a", "failAction": "APPEND"}, {"command": "b", "failAction": "PANIC"}]';

const REFUSALS: readonly Refusal[] = [
  {
    what: 'settings without an agent',
    settings: '{}',
    said: ['error: agent.command must be configured in settings file\n', FIX],
  },
  {
    what: 'settings that are not JSON',
    settings: '{"agent":',
    said: ['error: .ralph/settings.json:1:10: expected "}" to close the "{" of line 1\n  1 | {"agent":\n', FIX],
  },
  {
    what: 'a wrong value deep in the settings',
    settings: `{"agent": {"command": "x"}, "guardrails": ${GUARDRAILS}}`,
    said: [': guardrails[1].failAction must be APPEND, PREPEND, or REPLACE, got "PANIC"\n', FIX],
  },
  {
    what: 'a limit of zero in the settings',
    settings: '{"agent": {"command": "x"}, "maximumIterations": 0}',
    said: ['error: .ralph/settings.json:1:50: maximumIterations must be a positive integer, got 0\n', FIX],
  },
  {
    what: 'a misspelt setting',
    settings: '{"agent": {"command": "x"}, "guardrail": []}',
    said: ['error: .ralph/settings.json:1:29: unknown key guardrail (did you mean "guardrails"?)\n', FIX],
  },
  {
    what: 'an agent that is not installed',
    settings: '{"agent": {"command": "no-such-agent"}}',
    said: ['error: agent command not found: no-such-agent', 'hint: Install it'],
  },
  {
    what: 'a whole command line as the agent',
    settings: '{"agent": {"command": "agent --model opus"}}',
    said: [
      'error: agent command not found: agent --model opus\n',
      'hint: The command is the program alone: "agent", with the flags ["--model","opus"].',
    ],
  },
  {
    what: 'an agent without the execute bit',
    settings: '{"agent": {"command": "./work.txt"}}',
    said: ['/work.txt is not executable\n'],
  },
  { what: 'no prompt', flags: [], said: ['error: must specify prompt (--prompt or --prompt-file)', 'hint: '] },
  {
    what: 'both prompts',
    flags: ['-p', 'x', '-f', 'y'],
    said: ['error: cannot specify both --prompt and --prompt-file', 'hint: '],
  },
  {
    what: 'a prompt file that is not there',
    flags: ['-f', 'no/such'],
    said: ['error: prompt file not found: no/such', 'hint: '],
  },
  { what: '-m 0', flags: ['-p', 'x', '-m', '0'], said: ['-m, --maximum-iterations', 'positive integer'] },
  { what: '-m 1e3x', flags: ['-p', 'x', '-m', '1e3x'], said: ['-m, --maximum-iterations', 'positive integer'] },
];

export function runRefusals(): void {
  test.each(REFUSALS)('$what', async ({ settings, flags = ['-p', 'x'], said }) => {
    const scene = makeScene({ play: PLAY });
    if (settings !== undefined) writeFileSync(join(scene.work, '.ralph/settings.json'), settings);
    const { code, stdout, stderr } = await scene.ralph(['run', ...flags]).exited;
    expect(code).toBe(2);
    for (const text of said) expect(stderr).toContain(text);
    expect(stderr).not.toContain('this is a bug');
    expect(stdout).toBe('');
    expect(scene.starts()).toEqual([]);
  });

  test('a state directory that cannot be created, with a hint how to choose another', async () => {
    const scene = makeScene({ play: PLAY });
    scene.env.XDG_STATE_HOME = join(scene.work, 'work.txt/state');
    const { code, stderr } = await scene.run();
    expect(code).toBe(2);
    expect(stderr).toContain(
      ` ${scene.env.XDG_STATE_HOME}/ralph/loops: part of this path is a file, not a directory\n`,
    );
    expect(stderr).toMatch(/\nhint: .*, or set XDG_STATE_HOME to a directory that you can write to\.\n$/);
    expect(scene.starts()).toEqual([]);
  });

  test('a second start in the same directory, with the pid of the first', async () => {
    const scene = makeScene({ play: `at_gate; ${PLAY}` });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const second = await scene.ralph(['run', '-p', PROMPT]).exited;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain(
      `error: a loop is already running in ${scene.work} (pid ${first.pid}, loop ${scene.loops()[0]?.slice(-8, -4)})`,
    );
    expect(second.stderr).toContain('hint: Stop it first: ralph stop ');
    expect(scene.loops()).toHaveLength(1);
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1']);
    await expectFree(scene);
  });
}

/** The directory is free again. */
async function expectFree(scene: Scene): Promise<void> {
  scene.openGate();
  expect(await scene.run()).toMatchObject({ code: 0 });
}
