/** `ralph init` on a real terminal: the seed's questions word for word, and nothing written before the last answer. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';
import {
  ACTION,
  answer,
  BLANKS,
  COMMAND,
  FLAGS,
  GUARDRAIL,
  HINT,
  LIMIT,
  OVERWRITE,
  RESPONSE,
  SCM,
  SCM_COMMAND,
  SCM_TASKS,
  WHOLE,
} from '../../support/terminal/init-dialogue.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

/** A project that has no settings yet. */
function newProject(agent?: string): Scene {
  const scene = makeScene({ play: 'true', ...(agent === undefined ? {} : { agent }) });
  rmSync(join(scene.work, '.ralph'), { recursive: true });
  return scene;
}

function settingsOf(scene: Scene): unknown {
  return JSON.parse(scene.read('work/.ralph/settings.json'));
}

describe('a new project', () => {
  test('shows what it found, then the seed’s example flow: its questions, its words, its settings', async () => {
    const scene = newProject('claude');
    scene.write('work/Makefile', 'test lint:\n');
    const terminal = openTerminal(scene, 'ralph init');
    const flow = [
      [COMMAND, 'claude'],
      [FLAGS, '--model,opus'],
      [LIMIT, ''],
      [RESPONSE, ''],
      [GUARDRAIL, 'make lint'],
      [ACTION, 'APPEND'],
      [HINT, 'Fix lint errors only. Do not change behavior.'],
      [GUARDRAIL, 'make test'],
      [ACTION, 'APPEND'],
      [HINT, ''],
      [GUARDRAIL, ''],
      [SCM, 'y'],
      [SCM_COMMAND, 'git'],
      [SCM_TASKS, 'commit'],
    ] as const;
    await answer(terminal, flow);
    const { code, screen } = await terminal.ended();
    const dialogue = flow.map(([question, text]) => `${question} ${text}`.trimEnd());
    const [found, asked] = screen.trim().split('To write this without being asked: ralph init --yes\n\n');
    expect(found).toMatch(
      /^Found here:\n {2}agent {4}claude\n {2}flags .*\n {2}checks {3}make test · make lint {2}\(Makefile\)\n/,
    );
    const written = [
      '',
      'Settings written to .ralph/settings.json',
      'To commit them first: git add .ralph && git commit -m "Set up ralph"',
      'To start: ralph run "Fix the failing tests"',
    ];
    expect(asked).toBe([...dialogue, ...written].join('\n'));
    expect(code).toBe(0);
    expect(scene.read('work/.ralph/settings.json')).toBe(
      `${JSON.stringify(
        {
          $schema: './settings.schema.json',
          maximumIterations: 10,
          completionResponse: 'DONE',
          outputTruncateChars: 5000,
          streamAgentOutput: true,
          agent: { command: 'claude', flags: ['--model', 'opus'] },
          guardrails: [
            { command: 'make lint', failAction: 'APPEND', hint: 'Fix lint errors only. Do not change behavior.' },
            { command: 'make test', failAction: 'APPEND' },
          ],
          scm: { command: 'git', tasks: ['commit'] },
        },
        null,
        2,
      )}\n`,
    );
    const shipped: unknown = JSON.parse(readFileSync(join(ROOT, 'dist/settings.schema.json'), 'utf8'));
    expect(JSON.parse(scene.read('work/.ralph/settings.schema.json'))).toEqual(shipped);
    expect(readdirSync(join(scene.work, '.ralph')).sort()).toEqual(['settings.json', 'settings.schema.json']);
  });

  test('blank answers take what was found: the agent, its checks, and its flags with a sandbox', async () => {
    const scene = newProject('claude');
    scene.write('work/Makefile', 'test:\n');
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.shows('A blank answer takes what was found, or the default.');
    await answer(terminal, [[COMMAND, ''], ...BLANKS]);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(settingsOf(scene)).toMatchObject({
      agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
      guardrails: [{ command: 'make test', failAction: 'APPEND' }],
      sandbox: { kind: 'auto' },
    });
  });

  test('a wrong answer is asked for again; answers win over the defaults', async () => {
    const scene = newProject();
    const terminal = openTerminal(scene, 'ralph init');
    await answer(terminal, [[COMMAND, '   ']]);
    await terminal.shows('Agent command is required');
    await answer(terminal, [
      [COMMAND, '  my agent  '],
      [FLAGS, ' --a , , --b c '],
      [LIMIT, 'many'],
    ]);
    await terminal.shows('Please enter a valid number');
    await answer(terminal, [[LIMIT, '0']]);
    await terminal.shows('Must be greater than 0');
    await answer(terminal, [
      [LIMIT, '7'],
      [RESPONSE, 'FINISHED'],
      [GUARDRAIL, 'true'],
      [ACTION, 'PANIC'],
    ]);
    await terminal.shows('  Invalid action. Must be APPEND, PREPEND, or REPLACE');
    await answer(terminal, [
      [ACTION, 'rePlace'],
      [HINT, ''],
      [GUARDRAIL, 'false'],
      [ACTION, ''],
      [HINT, ''],
      [GUARDRAIL, ''],
      [SCM, 'n'],
    ]);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(settingsOf(scene)).toMatchObject({
      maximumIterations: 7,
      completionResponse: 'FINISHED',
      agent: { command: 'my agent', flags: ['--a', '--b c'] },
      guardrails: [
        { command: 'true', failAction: 'REPLACE' },
        { command: 'false', failAction: 'APPEND' },
      ],
    });
    expect(settingsOf(scene)).not.toHaveProperty('scm');
  });

  test('the next run uses what it wrote', async () => {
    const scene = newProject();
    const terminal = openTerminal(scene, 'ralph init && ralph run -p work');
    scene.write('play', 'echo "<response>DONE</response>"');
    await answer(terminal, [[COMMAND, 'agent'], ...BLANKS]);
    const { code, screen } = await terminal.ended();
    expect(screen).toContain('── 1/10 ──');
    expect(screen).toContain('✓ Done in ');
    expect(code).toBe(0);
  });

  test('answers that are pasted at once are all taken', { timeout: 10_000 }, async () => {
    const scene = newProject();
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.asks(COMMAND);
    terminal.paste('claude\n--model opus\n5\n\n\nn\n');
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(settingsOf(scene)).toMatchObject({
      agent: { command: 'claude', flags: ['--model opus'] },
      maximumIterations: 5,
    });
  });

  test.each([
    ['C-c', 0],
    ['C-d', 0],
    ['C-c', 5],
    ['C-d', 3],
  ])('%s after %i answers: aborted, exit 130, nothing written', async (key, count) => {
    const scene = newProject();
    const terminal = openTerminal(scene, 'ralph init');
    await answer(terminal, WHOLE.slice(0, count));
    await terminal.asks(WHOLE[count]?.[0] ?? '');
    terminal.press(key);
    const { code, screen } = await terminal.ended();
    expect(screen.split('\n').at(-1)).toBe('Aborted.');
    expect(code).toBe(130);
    expect(readdirSync(scene.work)).toEqual(['.git', 'work.txt']);
  });

  test.each(['TERM', 'HUP', 'INT'])('SIG%s from another process: aborted, exit 130', async (signal) => {
    const scene = newProject();
    const terminal = openTerminal(scene, `sh -c 'echo $$ >"$SCENE/pid"; exec ralph init'`);
    await answer(terminal, WHOLE.slice(0, 2));
    await terminal.asks(WHOLE[2]?.[0] ?? '');
    process.kill(Number(scene.read('pid')), `SIG${signal}`);
    const { code, screen } = await terminal.ended();
    expect(screen.split('\n').at(-1)).toBe('Aborted.');
    expect(code).toBe(130);
  });

  test('settings that cannot be written: exit 2 with the reason', async () => {
    const scene = newProject();
    scene.write('work/.ralph', 'in the way');
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.until((screen) => screen !== '');
    if (!terminal.screen().includes(COMMAND)) await answer(terminal, [[OVERWRITE, 'y']]);
    await answer(terminal, WHOLE);
    const { code, screen } = await terminal.ended();
    expect(screen).toContain('error: cannot write .ralph/settings.json: ');
    expect(code).toBe(2);
  });
});

describe('a project that has settings', () => {
  const BASE = { agent: { command: 'one' }, maximumIterations: 3 };

  test('shows them with defaults and file name; Enter means No: exit 0, nothing changed', async () => {
    const scene = newProject();
    const text = project(scene, BASE);
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.asks(OVERWRITE);
    const [shown = '', after] = terminal.screen().split('\nLoaded from .ralph/settings.json\n');
    expect(JSON.parse(shown)).toMatchObject({
      agent: { command: 'one' },
      maximumIterations: 3,
      completionResponse: 'DONE',
    });
    expect(after).toBe(OVERWRITE);
    terminal.type('');
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(scene.read('work/.ralph/settings.json')).toBe(text);
    expect(readdirSync(join(scene.work, '.ralph'))).toEqual(['settings.json']);
  });

  test('shows the effective settings if there is a local overlay, and names both files', async () => {
    const scene = newProject();
    project(scene, BASE);
    scene.write('work/.ralph/settings.local.json', JSON.stringify({ agent: { command: 'two' } }));
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.asks(OVERWRITE);
    const [shown = '', after] = terminal
      .screen()
      .split('\nLoaded from .ralph/settings.json (with local overlay from settings.local.json)\n');
    expect(JSON.parse(shown)).toMatchObject({ agent: { command: 'two' }, maximumIterations: 3 });
    expect(after).toBe(OVERWRITE);
    terminal.press('C-c');
    const { code, screen } = await terminal.ended();
    expect(screen).toMatch(/\nAborted\.$/);
    expect(code).toBe(130);
  });

  test('keeps a local overlay without asking, and names it', async () => {
    const scene = newProject();
    mkdirSync(join(scene.work, '.ralph'));
    scene.write('work/.ralph/settings.local.json', JSON.stringify({ maximumIterations: 3 }));
    const terminal = openTerminal(scene, 'ralph init');
    await answer(terminal, [[COMMAND, 'three'], ...BLANKS]);
    const { code, screen } = await terminal.ended();
    expect(code).toBe(0);
    expect(screen).toMatch(
      /^\.ralph\/settings\.local\.json is kept; it overrides what you answer here\.\nFound here:\n/,
    );
    expect(settingsOf(scene)).toMatchObject({ agent: { command: 'three' }, maximumIterations: 10 });
  });

  test('replaces them on a yes', async () => {
    const scene = newProject();
    project(scene, BASE);
    const terminal = openTerminal(scene, 'ralph init');
    await answer(terminal, [[OVERWRITE, 'Y'], [COMMAND, 'three'], ...BLANKS]);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(settingsOf(scene)).toMatchObject({ agent: { command: 'three' }, maximumIterations: 10 });
  });

  test.each([
    ['not JSON', '{"agent":'],
    ['a wrong value', '{"agent": {"command": "x"}, "maximumIterations": 0}'],
  ])('reports malformed ones (%s), and overwrites them only on a yes', async (_what, text) => {
    const scene = newProject();
    await scene.shell('mkdir .ralph');
    scene.write('work/.ralph/settings.json', text);
    const terminal = openTerminal(scene, 'ralph init');
    await terminal.asks(OVERWRITE);
    expect(terminal.screen()).toMatch(/^error: existing settings file is malformed: .+/);
    terminal.type('no');
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(scene.read('work/.ralph/settings.json')).toBe(text);
  });

  function project(scene: Scene, settings: object): string {
    const text = JSON.stringify(settings);
    mkdirSync(join(scene.work, '.ralph'));
    scene.write('work/.ralph/settings.json', text);
    return text;
  }
});

test('without a terminal: exit 2 with the reason, nothing written', async () => {
  const scene = newProject();
  const { code, stdout, stderr } = await scene.shell('ralph init </dev/null');
  expect(stderr).toMatch(/^error: init requires an interactive terminal\nhint: /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(readdirSync(scene.work)).toEqual(['.git', 'work.txt']);
});
