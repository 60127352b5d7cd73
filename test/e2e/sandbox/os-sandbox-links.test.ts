/** `ralph run --sandbox=os`: writable paths that are links, and links by which an agent could escape. */
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type SandboxScene, sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

const disk = (scene: SandboxScene): string => join(scene.folder, 'disk');

function sceneWith(play: string, settings = {}): SandboxScene {
  const scene = sandboxScene({ play, settings });
  for (const folder of ['disk/sub', 'other', 'place']) mkdirSync(join(scene.folder, folder), { recursive: true });
  symlinkSync(disk(scene), join(scene.folder, 'place/link'));
  return scene;
}

describe('a link in a place where the agent cannot write', () => {
  test.each([
    ['is allowed', 'place/link', 'disk'],
    ['leads to what is allowed', 'place/link/sub', 'disk/sub'],
  ])('%s: its target is writable by both names', async (_, allowed, target) => {
    const scene = sceneWith(`echo x >"$SCENE/${allowed}/by-link"; echo x >"$SCENE/${target}/by-name"; ${DONE}`);
    const { code, stderr } = await scene.sandboxed('--allow-write', join(scene.folder, allowed));
    expect(readdirSync(join(scene.folder, target)).filter((name) => name.startsWith('by'))).toEqual([
      'by-link',
      'by-name',
    ]);
    expect(stderr).toContain('Usage: 1 run, cost unknown');
    expect(code).toBe(0);
  });

  test('must still lead where it led when the loop began; otherwise no program starts', async () => {
    const command = 'touch "$SCENE/other/by-guardrail"';
    const scene = sceneWith(`at_gate; ${DONE}`, { guardrails: [{ command, failAction: 'APPEND' }] });
    const link = join(scene.folder, 'place/link');
    const ralph = scene.startSandboxed('-m', '1', '--allow-write', link, '--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    // A person or another loop changes the link.
    rmSync(link);
    symlinkSync(join(scene.folder, 'other'), link);
    scene.openGate();
    expect((await ralph.exited).code).toBe(1);
    expect(checked(scene)).toContain(
      `${link} is writable and now leads to ${join(scene.folder, 'other')}, but led to ${disk(scene)} when the loop began`,
    );
    expect(readdirSync(join(scene.folder, 'other'))).toEqual([]);
  });
});

function checked(scene: SandboxScene): string {
  const [found] = scene.journal().flatMap(({ result }) => (result.kind === 'checked' ? [result] : []));
  return String(found?.output);
}

describe('a link in the work tree', () => {
  test('does not let the agent out by pointing it elsewhere, neither at once nor later', async () => {
    const command = 'touch "$SCENE/other/by-guardrail"';
    const play = `ln -sfn "$SCENE/other" here; touch here/at-once; ${DONE}`;
    const scene = sceneWith(play, { guardrails: [{ command, failAction: 'APPEND' }] });
    mkdirSync(join(scene.work, 'sub'));
    symlinkSync('sub', join(scene.work, 'here'));
    const { code, stdout } = await scene.sandboxed('-m', '1', '--allow-write', 'here');
    expect(stdout).toContain('DONE');
    expect(checked(scene)).toContain(`${scene.work}/here is writable and now leads to ${join(scene.folder, 'other')}`);
    expect(readdirSync(join(scene.folder, 'other'))).toEqual([]);
    expect(code).toBe(1);
  });

  test('that an agent planted for the next loop, under a name that the settings allow, is refused', async () => {
    const settings = { sandbox: { kind: 'os', allowWrite: ['.vscode'] } };
    const scene = sceneWith(`ln -s "$SCENE/other" .vscode; ${DONE}`, settings);
    expect((await scene.sandboxed()).code).toBe(0);
    scene.write('play', `touch "$SCENE/other/escaped"; ${DONE}`);
    const { code, stderr } = await scene.sandboxed();
    expect(code).toBe(2);
    const other = join(scene.folder, 'other');
    expect(stderr).toContain(
      `error: ${scene.work}/.vscode should be writable, but leads to ${other} through a link that the agent could have created`,
    );
    expect(stderr).toContain(`allow that path itself: ${other}`);
    expect(scene.starts()).toHaveLength(1);
    expect(readdirSync(other)).toEqual([]);
  });

  test('works if its target is allowed, too', async () => {
    const scene = sceneWith(`echo x >here/made; ${DONE}`);
    symlinkSync(disk(scene), join(scene.work, 'here'));
    expect((await scene.sandboxed('--allow-write', 'here', '--allow-write', disk(scene))).code).toBe(0);
    expect(scene.read('disk/made')).toBe('x\n');
  });
});
