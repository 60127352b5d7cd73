/** One stories loop per directory: which .ralph-active markers are respected, and which are not. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identify, thisMachine } from '../../src/process/identity/identity.ts';
import { startProgram } from '../support/programs/program.ts';
import { story } from '../support/stories/stories.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

const ONE = [story('A')];

const start = (scene: StoriesScene, ...flags: string[]) =>
  scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), ...flags);

describe('one loop per directory', () => {
  test('a second start is refused with the first one’s pid', async () => {
    const scene = storiesScene(ONE, { play: 'at_gate; honest' });
    const loop = start(scene, '-n', '1');
    await scene.logged('at gate 1/work/1');
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(`error: a loop is already running in ${scene.work} (pid ${loop.pid}`);
    expect(code).toBe(2);
    expect(JSON.parse(scene.read('work/.ralph-active'))).toMatchObject({ pid: loop.pid });
    expect((await scene.stories('archive').exited).stderr).toContain(
      `error: a loop is running in ${scene.work} (pid ${loop.pid})`,
    );
    expect((await scene.stories('init', '--force').exited).stderr).toContain(
      `error: a loop is already running in ${scene.work} (pid ${loop.pid}`,
    );
    scene.openGate();
    expect((await loop.exited).stderr).toContain('Story A: submitted for review');
  });

  test('with another state folder, too, because of the marker', async () => {
    const scene = storiesScene(ONE, { play: 'at_gate; honest' });
    const loop = start(scene, '-n', '1');
    await scene.logged('at gate 1/work/1');
    const other = await scene.shell(
      `XDG_STATE_HOME=$SCENE/other ralph stories run --no-sandbox --agent $SCENE/bin/agent`,
    );
    expect(other.stderr).toContain(`(pid ${loop.pid})`);
    expect(other.code).toBe(2);
    scene.openGate();
    await loop.exited;
  });

  test('a marker with only the pid of a shell is respected while the shell lives, and taken over when it is gone', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const shell = startProgram(['sh', '-c', 'echo up; read -r _'], { env: scene.env, stdin: forever() });
    await shell.says('up');
    const marker = JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', pid: shell.pid, max_iterations: 15 });
    writeFileSync(join(scene.work, '.ralph-active'), marker);
    const refused = await scene.loop('-n', '1');
    expect(refused.stderr).toBe(
      `error: .ralph-active says that a loop runs in ${scene.work}\nhint: Wait until it ends, or stop it where it was started. If no loop runs there, remove .ralph-active.\n`,
    );
    const archived = await scene.stories('archive').exited;
    expect(archived.stderr).toBe(refused.stderr);
    expect((await scene.stories('status').exited).stdout).not.toContain(String(shell.pid));
    expect(readFileSync(join(scene.work, '.ralph-active'), 'utf8')).toBe(marker);
    shell.signal('SIGKILL');
    await shell.exited;
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain(`.ralph-active was left by process ${shell.pid}, which is gone`);
    expect(scene.story('A').reviewStatus).toBe('needs_review');
  });

  test('a pid that belongs to another process by now is not taken for a loop', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const place = thisMachine();
    const self = identify(process.pid);
    const owner = { startTime: `${self?.startTime}0`, boot: place.boot, pidNamespace: place.pidNamespace };
    writeFileSync(join(scene.work, '.ralph-active'), JSON.stringify({ pid: process.pid, process: owner }));
    const { code } = await scene.loop('-n', '1');
    expect(code).toBe(1);
  });

  test.each([
    ['an empty object', "echo '{}' >.ralph-active"],
    ['the pid of another process', `echo '{"pid":1}' >.ralph-active`],
    ['a folder', 'rm .ralph-active; mkdir .ralph-active; touch .ralph-active/x'],
    ['a link', 'ln -sf /etc/hostname .ralph-active'],
  ])('%s that an agent leaves in the marker’s place is removed at the end', async (_what, act) => {
    const scene = storiesScene(ONE, { play: `honest; ${act}` });
    const { code, stderr } = await scene.loop('-n', '1');
    expect({ code, isThere: scene.has('.ralph-active') }).toEqual({ code: 1, isThere: false });
    expect(stderr).not.toContain('kill ');
  });
});

/** An input that stays open and empty. */
async function* forever(): AsyncGenerator<string> {
  await new Promise(() => undefined);
  yield '';
}
