/** The demo, and the first loop in a project without settings, on the simulated Mac. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK, testFolder } from '../support/folder.ts';
import { startProgram } from '../support/programs/program.ts';
import { bareProject, CLAUDE_DONE } from '../support/run/bare-project.ts';
import { ROOT } from '../support/scene.ts';
import { makeMac } from './mac.ts';

test('npm run demo plays all three acts', { timeout: 180_000 }, async () => {
  const mac = makeMac();
  const [command, ...args] = [...mac.front, 'node', join(ROOT, 'scripts/demo.mjs')];
  const env = { ...mac.env, PATH: mac.path, HOME: testFolder(ON_DISK) };
  const { code, stdout, stderr } = await startProgram([command, ...args], { cwd: ROOT, env }).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  expect(stdout).toContain('Act 3 of 3');
});

test('ralph run "…" in a project without settings runs the agent in the sandbox', async () => {
  const machine = makeMac();
  const play = `echo x >"$SCENE/outside"; ls -A "$XDG_STATE_HOME/ralph" "$HOME/Library/Cookies" >seen; echo y >inside; ${CLAUDE_DONE}`;
  const scene = bareProject({ machine, env: machine.env, play });
  mkdirSync(join(scene.folder, 'Library/Cookies'), { recursive: true });
  scene.write('Library/Cookies/Cookies.binarycookies', 'secret');
  const { code, stderr } = await scene.ralph(['run', 'fix it', '--check', 'test -e inside', ...scene.own]).exited;
  expect(stderr).toContain('unattended in the OS sandbox');
  expect(code).toBe(0);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect(scene.read('work/seen')).not.toContain('.binarycookies');
  expect(scene.read('work/seen').match(/^.+:$/gm)).toHaveLength(2);
  expect(machine.profiles().length).toBeGreaterThan(1);
});

test('a guarded file that an agent creates under another spelling is quarantined after the run', async () => {
  const machine = makeMac();
  const play = `mkdir -p .claude && echo '{}' >.claude/settings.json; ${CLAUDE_DONE}`;
  const scene = bareProject({ machine, env: machine.env, play });
  const { code, stderr } = await scene.ralph(['run', 'fix it', ...scene.own]).exited;
  expect(stderr).toContain(`moved ${scene.work}/.claude/settings.json to quarantine`);
  expect(code).toBe(0);
  expect(existsSync(join(scene.work, '.claude/settings.json'))).toBe(false);
});
