/** `ralph doctor`: what it reports about a machine and a folder, and whether a loop could run there. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutProgram } from '../../bad-input/without-program.ts';
import { ON_DISK } from '../../support/folder.ts';
import { DONE, makeScene, type Scene, type SceneOptions } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

interface Check {
  readonly section: string;
  readonly level: string;
  readonly what: string;
  readonly fix: string;
}

/** On disk, because the operating system's sandbox does not see a folder in memory. */
function sceneOf(options: Partial<SceneOptions> = {}): Scene {
  return makeScene({ play: DONE, place: ON_DISK, ...options });
}

async function doctor(scene: Scene) {
  const { code, stdout, stderr } = await scene.ralph(['doctor', '--json']).exited;
  const { canRun, checks } = JSON.parse(stdout) as { canRun: boolean; checks: Check[] };
  const find = (part: string) => checks.find(({ what }) => what.includes(part));
  return { code, stderr, canRun, checks, find };
}

/** Puts an executable of that name on the scene's PATH. */
function install(scene: Scene, name: string, lines: string): void {
  const file = join(scene.folder, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}

describe('where a loop can run', () => {
  test('it says so and exits with 0, and its lines fit into 80 columns', async () => {
    const scene = sceneOf();
    install(scene, 'claude', 'echo 9.8.7');
    const { code, screen } = await openTerminal(scene, 'ralph doctor', { columns: 80, rows: 60 }).ended();
    expect(screen.split('\n').filter((line) => [...line].length > 80 && !line.includes(scene.folder))).toEqual([]);
    for (const title of ['Machine', 'Agents', 'Sandboxes', 'This folder'])
      expect(screen).toContain(`\n${title}\n`.trimStart());
    expect(screen).toMatch(/\n[!✓] Claude Code 9\.8\.7/);
    expect(screen).toMatch(/\n· Codex is not installed: npm install -g @openai\/codex\n/);
    expect(screen.split('\n').at(-1)).toBe('✓ A loop can run here.');
    expect(code).toBe(0);
  });

  test('it changes nothing, and shows versions, logins and the sandbox that works', async () => {
    const scene = sceneOf({ env: { OPENAI_API_KEY: 'sk-secret-of-mine-1234567890' } });
    install(scene, 'codex', 'echo "codex-cli 1.2.3"');
    const { code, canRun, find, checks, stderr } = await doctor(scene);
    expect({ code, canRun, stderr }).toEqual({ code: 0, canRun: true, stderr: '' });
    expect(find('Node.js')).toMatchObject({ section: 'Machine', level: 'ok' });
    expect(find('git ')?.what).toMatch(/^git \d+\.\d+/);
    expect(find('Codex')).toMatchObject({ level: 'ok', what: 'Codex 1.2.3, login: OPENAI_API_KEY' });
    expect(find("operating system's sandbox")).toMatchObject({ section: 'Sandboxes' });
    expect(find('agent: ')).toMatchObject({
      section: 'This folder',
      level: 'ok',
      what: `agent: ${scene.folder}/bin/agent`,
    });
    expect(JSON.stringify(checks)).not.toContain('sk-secret');
    expect(existsSync(scene.state)).toBe(false);
    expect(scene.git('status', '--porcelain', '--untracked-files=all')).toBe('?? .ralph/settings.json\n');
    expect(scene.starts()).toEqual([]);
  });

  test('a missing program that only some loops need is a warning', async () => {
    const scene = sceneOf();
    Object.assign(scene.env, withoutProgram('tmux', scene.env));
    const { code, find } = await doctor(scene);
    expect(find('tmux is not installed')).toMatchObject({
      level: 'warning',
      fix: 'it is needed by --runner tmux and swarm',
    });
    expect(code).toBe(0);
  });

  test('a loop that can be resumed is mentioned', async () => {
    const scene = sceneOf({ play: 'true' });
    await scene.run('-m', '1');
    expect((await doctor(scene)).find('1 loop could be continued')).toMatchObject({ level: 'note' });
  });
});

describe('where no loop can run', () => {
  test.each<[what: string, prepare: (scene: Scene) => void, problem: string]>([
    [
      'settings that are no JSON',
      (scene) => scene.write('work/.ralph/settings.json', '{"agent": {"command": "agent",}}'),
      '.ralph/settings.json',
    ],
    [
      'settings of the user that are wrong',
      (scene) => {
        mkdirSync(join(scene.folder, '.config/ralph'), { recursive: true });
        scene.write('.config/ralph/settings.json', '{"maximumIterations": 0}');
      },
      'maximumIterations must be a positive integer, got 0',
    ],
    [
      'an agent that is not there',
      (scene) => scene.write('work/.ralph/settings.json', '{"agent": {"command": "no-such-agent"}}'),
      'agent command not found: no-such-agent',
    ],
    [
      'a state directory that cannot be written',
      (scene) => Object.assign(scene.env, { XDG_STATE_HOME: '/proc/no/such' }),
      'the state directory cannot be written: /proc/no/such',
    ],
  ])('%s', async (_what, prepare, problem) => {
    const scene = sceneOf();
    prepare(scene);
    const { code, canRun, find } = await doctor(scene);
    expect(find(problem)).toMatchObject({ level: 'error', fix: expect.stringMatching(/./) });
    expect({ code, canRun }).toEqual({ code: 1, canRun: false });
    const { screen } = await openTerminal(scene, 'ralph doctor', { columns: 80, rows: 60 }).ended();
    expect(screen.split('\n').at(-1)).toBe('✗ A loop cannot run here: fix what is marked ✗.');
  });
});
