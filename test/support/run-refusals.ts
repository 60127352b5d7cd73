/** What `ralph run` refuses to begin: exit 2, a sentence of fact and a hint, and no agent was started. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScene, PROMPT, type Scene } from './scene.ts';

const PLAY = 'echo "<response>DONE</response>"';

/** The settings' text, or null for no settings; the flags; what is said. */
const REFUSALS: readonly (readonly [
  title: string,
  settings: string | null,
  flags: readonly string[],
  said: string[],
])[] = [
  ['no settings', null, ['-p', 'x'], ['error: agent.command must be configured', 'hint: Write .ralph/settings.json']],
  ['settings that are not JSON', '{"agent":', ['-p', 'x'], ['error: failed to load settings: ', 'hint: ']],
  [
    'a wrong value deep in the settings',
    '{"agent": {"command": "x"}, "guardrails": [{"command": "a", "failAction": "APPEND"}, {"command": "b", "failAction": "PANIC"}]}',
    ['-p', 'x'],
    ['guardrails.1.failAction: ', 'hint: '],
  ],
  [
    'a limit of zero in the settings',
    '{"agent": {"command": "x"}, "maximumIterations": 0}',
    ['-p', 'x'],
    ['maximumIterations: ', 'hint: '],
  ],
  ['a misspelt setting', '{"agent": {"command": "x"}, "guardrail": []}', ['-p', 'x'], ['"guardrail"', 'hint: ']],
  ['no prompt', '', [], ['error: must specify prompt (--prompt or --prompt-file)', 'hint: ']],
  [
    'both prompts',
    '',
    ['-p', 'x', '-f', 'y'],
    ["option '-p, --prompt <text>' cannot be used with option '-f, --prompt-file <path>'"],
  ],
  ['a prompt file that is not there', '', ['-f', 'no/such'], ['error: prompt file not found: no/such', 'hint: ']],
  ['-m 0', '', ['-p', 'x', '-m', '0'], ['-m, --maximum-iterations', 'positive integer']],
  ['-m 1e3x', '', ['-p', 'x', '-m', '1e3x'], ['-m, --maximum-iterations', 'positive integer']],
  [
    'an agent that is not installed',
    '{"agent": {"command": "no-such-agent"}}',
    ['-p', 'x'],
    ['error: agent command not found: no-such-agent', 'hint: Install it'],
  ],
];

export function runRefusals(): void {
  test.each(REFUSALS)('%s', async (_title, settings, flags, said) => {
    const scene = makeScene({ play: PLAY });
    if (settings === null) rmSync(join(scene.work, '.ralph'), { recursive: true });
    else if (settings !== '') writeFileSync(join(scene.work, '.ralph/settings.json'), settings);
    const { code, stdout, stderr } = await scene.ralph(['run', ...flags]).exited;
    expect(code).toBe(2);
    for (const text of said) expect(stderr).toContain(text);
    expect(stderr).not.toContain('this is a bug');
    expect(stdout).toBe('');
    expect(scene.starts()).toEqual([]);
  });

  test('a second start in the same directory, with the pid of the first', async () => {
    const scene = makeScene({ play: `at_gate; ${PLAY}` });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const second = await scene.ralph(['run', '-p', PROMPT]).exited;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toContain(
      `error: a loop already runs in ${scene.work} (pid ${first.pid}, loop ${scene.loops()[0]})`,
    );
    expect(second.stderr).toContain(`hint: Stop it first: kill ${first.pid}`);
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
