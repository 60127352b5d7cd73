/** How flags and settings choose the sandbox of `ralph run`, and what it prints about that. */
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE, ROOT } from '../../support/scene.ts';

describe('the choice of the sandbox', () => {
  test('by default, there is none, and a line says so', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}` });
    const { stderr } = await scene.run();
    expect(stderr).toMatch(/^ {2}isolation {2}none, the agent can do whatever you can$/m);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('the settings choose it, and --no-sandbox overrides them', async () => {
    const settings = { sandbox: { kind: 'os', allowWrite: ['~/prompts', '~/starts.log'] } };
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}`, settings });
    await scene.run();
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    await scene.run('--no-sandbox');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('--sandbox=auto, or auto in the settings, uses the strongest one available, and records which', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}` });
    const found = await scene.run('--sandbox=auto', ...scene.own);
    expect(found.stderr).toMatch(/^ {2}isolation {2}operating system's sandbox \(/m);
    expect(scene.journal()[0]?.result).toMatchObject({ options: { sandbox: { kind: 'os' } } });
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    scene.write('bin/bwrap', '#!/bin/sh\necho "No permissions" >&2; exit 1\n');
    scene.write('bin/docker', '#!/bin/sh\nexit 1\n');
    await scene.shell('chmod +x ../bin/bwrap ../bin/docker');
    const settings = { agent: { command: join(scene.folder, 'bin/agent') }, sandbox: { kind: 'auto' } };
    scene.write('work/.ralph/settings.json', JSON.stringify(settings));
    const none = await scene.run();
    expect(none.stderr).toMatch(/^No sandbox: Docker Sandbox cannot be\s+used: [\s\S]*; [\s\S]*No\s+permissions/m);
    expect(none.stderr).toMatch(/^ {2}isolation {2}none, the agent can do whatever you can$/m);
    expect(none.code).toBe(0);
    expect((await scene.run('--dry-run')).stdout).toContain('\nSandbox: none\n');
    const narrowed = await scene.run('--deny-read', 'x');
    expect(narrowed.stderr).toContain('error: "x" needs a sandbox, and there is none');
    expect(narrowed.code).toBe(2);
  });

  test('--sandbox alone means Docker, and without Docker no loop begins', async () => {
    const scene = sandboxScene({ play: DONE });
    scene.write('bin/docker', '#!/bin/sh\necho "docker: unknown command: docker sandbox" >&2; exit 1\n');
    const { code, stderr } = await scene.shell(`chmod +x ../bin/docker; ralph run --sandbox -p x`);
    expect(stderr).toContain(
      'error: Docker Sandbox cannot be used: "docker sandbox ls" failed (docker: unknown command: docker sandbox)',
    );
    expect(stderr).toContain('--sandbox=os');
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('--sandbox=os names the programs that are missing, and no loop begins', async () => {
    const scene = sandboxScene({ play: DONE });
    symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
    const { code, stderr } = await scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph run --sandbox=os -p x`);
    expect(stderr).toContain("error: the operating system's sandbox cannot be used: bwrap, socat, rg not found");
    expect(stderr).toContain('apt-get install bubblewrap socat ripgrep');
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test.each([
    ['is missing', (file: string) => rmSync(file), 'apply-seccomp, which blocks sockets, is missing'],
    ['does not start', (file: string) => chmodSync(file, 0o644), 'apply-seccomp does not start ('],
  ])(
    'if its system call filter %s, no loop begins with --sandbox=os, and ralph doctor says why',
    async (_, spoil, why) => {
      const scene = sandboxScene({ play: DONE });
      const ralph = copyOfRalph(join(scene.folder, 'ralph'), spoil);
      const { code, stderr } = await scene.shell(`${ralph} run --sandbox=os -p x`);
      expect(stderr).toContain("error: the operating system's sandbox cannot be used: ");
      expect(stderr).toContain(why);
      expect(code).toBe(2);
      expect(scene.loops()).toEqual([]);
      const doctor = await scene.shell(`${ralph} doctor --json`);
      const { checks } = JSON.parse(doctor.stdout) as { checks: { level: string; what: string }[] };
      const [told] = checks.filter(({ what }) => what.startsWith("the operating system's sandbox"));
      expect(told).toMatchObject({ level: 'warning', what: expect.stringContaining(why) as string });
      const auto = await scene.shell(`${ralph} run --sandbox=auto --dry-run -p x`);
      expect(auto.stdout).toContain('\nSandbox: none\n');
    },
  );

  test('--allow-host is refused without a sandbox, and for every host', async () => {
    const scene = sandboxScene({ play: DONE });
    const without = await scene.run('--allow-host', 'example.com');
    expect(without.stderr).toContain('error: "example.com" needs a sandbox, and there is none');
    const every = await scene.run('--sandbox=os', '--allow-host', '*');
    expect(every.stderr).toContain('error: "*" is not a host that can be allowed');
    expect([without.code, every.code]).toEqual([2, 2]);
    expect(scene.loops()).toEqual([]);
  });

  test('--dry-run shows what the sandbox would allow', async () => {
    const scene = sandboxScene({ play: DONE });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('work/package.json', '{}');
    const { stdout } = await scene.sandboxed('--dry-run', '--allow-host', 'example.com');
    expect(stdout).toContain("Sandbox (the operating system's):\n  may be written:\n");
    expect(stdout).toContain(`  may be read only, within that:\n    ${scene.work}/.ralph\n`);
    expect(stdout).toContain(`  is hidden:\n    ${scene.folder}/.ssh\n    ${scene.state}/ralph\n`);
    expect(stdout).toContain('  may be reached:\n    *.npmjs.org\n    *.yarnpkg.com\n    example.com\n');
    expect(scene.loops()).toEqual([]);
  });

  test('the sandbox also works in a tmux pane', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; echo in a pane; ${DONE}` });
    const { code, stdout } = await scene.sandboxed('--runner', 'tmux');
    expect(stdout).toContain('in a pane');
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });
});

/** Copies the installation, and damages the program that blocks sockets. */
function copyOfRalph(folder: string, spoil: (filter: string) => void): string {
  for (const part of ['bin', 'dist/cli', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  spoil(join(folder, 'dist/cli/vendor/seccomp', process.arch, 'apply-seccomp'));
  return `${process.execPath} ${join(folder, 'bin/ralph.cjs')}`;
}
