/** `~/.config/ralph/settings.json`, the user's own settings for all projects. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareProject, CLAUDE_DONE, KEEP_ARGUMENTS } from '../../support/run/bare-project.ts';
import { makeScene, type Scene } from '../../support/scene.ts';

const FILE = '.config/ralph/settings.json';

function writeUser(scene: Scene, settings: object): void {
  mkdirSync(join(scene.folder, '.config/ralph'), { recursive: true });
  scene.write(FILE, JSON.stringify(settings));
}

test('are overridden by those of the project, and --dry-run shows the origin of each value', async () => {
  const scene = makeScene({ play: 'echo', settings: { maximumIterations: 4 } });
  writeUser(scene, { maximumIterations: 3, completionResponse: 'OK', agent: { command: 'other', flags: ['-x'] } });
  const { code, stdout } = await scene.run('--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/maximumIterations +4 {2}\(\.ralph\/settings\.json\)/);
  expect(stdout).toContain(`"OK"  (${join(scene.folder, FILE)})`);
  expect(stdout).toMatch(/agent\.flags +\[\] {2}\(default\)/);
});

test('choose the agent and the checks of a project without settings, and are pinned', async () => {
  const scene = bareProject({ play: `${KEEP_ARGUMENTS}${CLAUDE_DONE}` });
  symlinkSync(join(scene.folder, 'bin/claude'), join(scene.folder, 'bin/mine'));
  scene.write('work/Makefile', 'test:\n\tfalse\n');
  const guardrails = [{ command: 'true', failAction: 'REPLACE', timeout: '5m' }];
  writeUser(scene, { agent: { command: 'mine', flags: ['--one'] }, guardrails, maximumIterations: 2 });
  const { code, stderr } = await scene.ralph(['run', 'do it', ...scene.own]).exited;
  expect(stderr).toContain('  agent      mine, in the OS sandbox');
  expect(stderr).toContain('  checks     true                      (your settings; --check to change)\n');
  expect(stderr).toContain('2 iterations');
  expect(scene.read('work/arguments')).toMatch(/^--one\n/);
  expect(code).toBe(0);
  const [first] = scene.journal();
  const check = { command: 'true', failAction: 'REPLACE', timeoutMs: 300_000 };
  expect(first?.result).toMatchObject({
    options: { chosen: { checks: [check], origins: { agent: join(scene.folder, FILE) } } },
    base: { pins: { [join(scene.folder, FILE)]: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  });
});

test('are found through XDG_CONFIG_HOME, and an error in them names the file', async () => {
  const scene = makeScene({ play: 'echo', env: { XDG_CONFIG_HOME: '/nowhere' } });
  writeUser(scene, { maximumIterations: 0 });
  expect((await scene.run('--dry-run')).code).toBe(0);
  const { code, stderr } = await scene.shell(`XDG_CONFIG_HOME=$SCENE/.config ralph run -p x`);
  expect(stderr).toContain(`hint: Fix ${join(scene.folder, FILE)}.\n`);
  expect({ code, loops: scene.loops() }).toEqual({ code: 2, loops: [] });
});

test('cannot be created by an agent that can write to the folder around them', async () => {
  const plant = `mkdir -p "$HOME/.config/ralph"; echo '{"sandbox": {"kind": "none"}}' >"$HOME/${FILE}"`;
  const scene = bareProject({ play: `${plant}; touch "$HOME/.config/other"; ${CLAUDE_DONE}` });
  mkdirSync(join(scene.folder, '.config'));
  const { code } = await scene.ralph(['run', 'do it', '--allow-write', '~/.config', ...scene.own]).exited;
  expect(code).toBe(0);
  expect(existsSync(join(scene.folder, '.config/other'))).toBe(true);
  expect(existsSync(join(scene.folder, FILE))).toBe(false);
});
