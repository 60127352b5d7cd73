/** `ralph diff` shows what each iteration of a loop changed, and `ralph rewind` restores it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everythingIn } from '../support/git/snapshot-scene.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

/** Edits a file in each of three iterations; the second one makes a file and the third one removes it. */
const THREE = `echo "line $n" >>work.txt
  case $n in 2) echo new >new ;; 3) rm new; ${DONE} ;; esac`;

const filesIn = (scene: Scene) => everythingIn(scene.work, ['.git', '.ralph']);

async function threeIterations(): Promise<Scene> {
  const scene = makeScene({ play: THREE });
  writeFileSync(join(scene.work, 'dirty'), 'not of the loop\n');
  expect(await scene.run('-m', '5')).toMatchObject({ code: 0 });
  return scene;
}

describe('ralph diff', () => {
  test('shows what the loop, or one iteration of it, has changed, but not earlier changes', async () => {
    const scene = await threeIterations();
    const lines = async (...args: string[]) => (await scene.ralph(['diff', ...args]).exited).stdout.split('\n');
    const changed = (all: readonly string[]) => all.filter((line) => /^[-+](?![-+])/.test(line));
    expect(changed(await lines('1'))).toEqual(['+line 1']);
    expect(changed(await lines('2'))).toEqual(['+new', '+line 2']);
    expect(changed(await lines('3'))).toEqual(['-new', '+line 3']);
    expect(changed(await lines())).toEqual(['+line 1', '+line 2', '+line 3']);
    expect(await lines('2', '--name-only')).toEqual(['new', 'work.txt', '']);
    expect(await lines(scene.loops()[0] ?? '', '2', '--stat')).toContain(' 2 files changed, 2 insertions(+)');
  });

  test('prints a patch that git can apply, even for binary files', async () => {
    const play = `case $n in 1) head -c 300 /dev/urandom >binary ;; 2) head -c 300 /dev/urandom >binary; ${DONE} ;; esac`;
    const scene = makeScene({ play });
    await scene.run('-m', '3');
    const binary = () => readFileSync(join(scene.work, 'binary'), 'latin1');
    const second = binary();
    expect(await scene.shell('ralph diff 2 | git apply -R')).toMatchObject({ code: 0, stderr: '' });
    expect(binary()).not.toBe(second);
    expect(await scene.shell('ralph diff 2 | git apply')).toMatchObject({ code: 0, stderr: '' });
    expect(binary()).toBe(second);
  });

  test('lets no escape sequence of the agent reach the terminal', async () => {
    const scene = makeScene({ play: `printf '\\033]0;owned\\007\\033[31mred\\033[0m\\r\\n' >evil; ${DONE}` });
    await scene.run();
    const terminal = openTerminal(scene, 'ralph diff');
    await terminal.shows('+red');
    expect(terminal.colors()).toContain('\u001B[32m+red');
    expect(terminal.colors()).not.toContain('\u001B[31mred');
    expect((await scene.ralph(['diff']).exited).stdout).toContain('+\u001B]0;owned\u0007\u001B[31mred');
  });

  test('says which files were left out, and why there is nothing to show', async () => {
    const scene = makeScene({ play: DONE });
    writeFileSync(join(scene.work, 'large'), '');
    truncateSync(join(scene.work, 'large'), 11 * 1024 * 1024);
    expect(await scene.ralph(['diff']).exited).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: there is no loop in /),
    });
    await scene.run();
    const { code, stderr } = await scene.ralph(['diff', '1']).exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'No file was changed.\n1 file left out: large (too large)\n' });
    const later = await scene.ralph(['diff', '2']).exited;
    expect(later.stderr).toContain('its last iteration that has ended is 1\n');
  });

  test('says that a loop outside a git work tree has no snapshots', async () => {
    const scene = makeScene({ play: DONE });
    rmSync(join(scene.work, '.git'), { recursive: true });
    await scene.run();
    const { code, stderr } = await scene.ralph(['diff']).exited;
    expect(code).toBe(2);
    expect(stderr).toContain(`has no snapshots: ${scene.work} is not in a git work tree\n`);
    expect(scene.journal().some(({ result }) => 'tree' in result)).toBe(false);
  });
});

describe('ralph rewind', () => {
  test('makes a branch, and leaves the work tree alone', async () => {
    const scene = await threeIterations();
    const before = filesIn(scene);
    const { code, stdout } = await scene.ralph(['rewind', '2']).exited;
    const branch = `ralph/${(scene.loops()[0] ?? '').slice(-8, -4)}-2`;
    expect(code).toBe(0);
    expect(stdout).toContain(`git switch ${branch} `);
    expect(scene.git('show', `${branch}:work.txt`)).toBe('begin\nline 1\nline 2\n');
    expect(scene.git('show', `${branch}:dirty`)).toBe('not of the loop\n');
    expect(filesIn(scene)).toEqual(before);
    expect(await scene.ralph(['rewind', '2']).exited).toMatchObject({ code: 2 });
    expect(await scene.ralph(['rewind', '2', '--branch', 'mine']).exited).toMatchObject({ code: 0 });
  });

  test('in place asks first, and prints the command that restores everything', async () => {
    const scene = await threeIterations();
    const after = filesIn(scene);
    expect(await scene.ralph(['rewind', '0', '--in-place']).exited).toMatchObject({ code: 2 });
    const terminal = openTerminal(scene, 'ralph rewind 0 --in-place; [ $? = 1 ] && ralph rewind 0 --in-place');
    await terminal.shows('(y/N):');
    terminal.type('n');
    await terminal.shows('Nothing was changed.');
    expect(filesIn(scene)).toEqual(after);
    terminal.type('y');
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(readFileSync(join(scene.work, 'work.txt'), 'utf8')).toBe('begin\n');
    const [back = 'no command'] = /ralph rewind \S+ backup-\d+ --in-place/.exec(terminal.screen()) ?? [];
    expect(await scene.shell(`${back} --yes`)).toMatchObject({ code: 0 });
    expect(filesIn(scene)).toEqual(after);
  });

  test('in place is refused while the loop runs, but a branch can be made', async () => {
    const scene = makeScene({ play: `echo $n >>work.txt; case $n in 2) at_gate; ${DONE} ;; esac` });
    const running = scene.ralph(['run', '-p', 'x', '-m', '3']);
    await scene.logged('at gate 2/work/1');
    const { code, stderr } = await scene.ralph(['rewind', '1', '--in-place', '--yes']).exited;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: loop \w{4} is running \(pid \d+\)\n/),
    });
    expect(await scene.ralph(['rewind', '1']).exited).toMatchObject({ code: 0 });
    scene.openGate();
    expect(await running.exited).toMatchObject({ code: 0 });
  });
});

describe('ralph rewind --in-place in a subfolder', () => {
  test.each([
    ['the folder above', ''],
    ['a folder beside it', 'beside'],
  ])('is refused while another loop runs in %s', async (_where, folder) => {
    const scene = makeScene({ play: DONE });
    for (const name of ['sub', 'beside']) {
      mkdirSync(join(scene.work, name));
      cpSync(join(scene.work, '.ralph'), join(scene.work, name, '.ralph'), { recursive: true });
    }
    const sub = join(scene.work, 'sub');
    expect(await scene.ralph(['run', '-p', 'x'], sub).exited).toMatchObject({ code: 0 });
    const [first] = scene.loops();
    scene.write('play', `echo edited >work.txt; at_gate; ${DONE}`);
    const other = join(scene.work, folder).replace(/\/$/, '');
    const running = scene.ralph(['run', '-p', 'x'], other);
    await scene.logged('at gate 1/work/1');
    const before = filesIn(scene);
    const rewind = () => scene.ralph(['rewind', '0', '--in-place', '--yes'], sub).exited;
    const { code, stderr } = await rewind();
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(` in ${other}, which is part of `) });
    const [, named, stop] = /^error: loop (\w+) is running \(pid \d+\)[\s\S]*ralph stop (\w+);/.exec(stderr) ?? [];
    expect(stop).toBe(named);
    expect(scene.loops().find((id) => id !== first)).toContain(named);
    expect(filesIn(scene)).toEqual(before);
    scene.openGate();
    expect(await running.exited).toMatchObject({ code: 0 });
    expect(await rewind()).toMatchObject({ code: 0 });
  });
});

test('a loop leaves the repository unchanged, byte by byte: refs, index, logs, stash and objects', async () => {
  const scene = makeScene({ play: THREE });
  writeFileSync(join(scene.work, 'work.txt'), 'stashed\n');
  scene.git('stash', '-q');
  writeFileSync(join(scene.work, 'staged'), 'x');
  scene.git('add', 'staged');
  const repository = () => everythingIn(join(scene.work, '.git'), ['info']);
  const before = repository();
  await scene.run('-m', '5');
  expect(repository()).toEqual(before);
});

test('after a kill in the middle of a snapshot, ralph resume takes the snapshot again', async () => {
  const scene = makeScene({ play: `echo "line $n" >>work.txt; ${DONE}` });
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const half = '(head -c 100; echo half >>"$SCENE/starts.log"; until [ -e "$SCENE/go" ]; do sleep 0.02; done)';
  const slow = `case "$1$(cat "$SCENE/slow")" in fast-importyes) ${half} | ${real} "$@" ;; *) exec ${real} "$@" ;; esac`;
  mkdirSync(join(scene.folder, 'bin'), { recursive: true });
  scene.write('slow', 'no');
  writeFileSync(join(scene.folder, 'bin/git'), `#!/bin/sh\n${slow}\n`, { mode: 0o755 });
  scene.write('play', `echo yes >"$SCENE/slow"; echo "line $n" >>work.txt; ${DONE}`);
  const supervisor = scene.ralph(['run', '-p', 'x']);
  await scene.logged('half');
  supervisor.signal('SIGKILL');
  await supervisor.exited;
  expect(scene.journal().at(-1)?.result.kind).toBe('started');
  scene.write('slow', 'no');
  scene.write('go', '');
  scene.write('play', DONE);
  expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
  expect((await scene.ralph(['diff', '1']).exited).stdout).toContain('+line 1\n');
});
