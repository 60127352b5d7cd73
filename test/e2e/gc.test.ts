/** `ralph gc`, and the automatic clean-up once a day at the end of a loop. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ending } from '../../src/core/ending.ts';
import { leaveLoopIn } from '../support/loops/left-loop.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const DAY_MS = 24 * 60 * 60_000;
const ENDED: Ending = { kind: 'done' };

/** Leaves a loop that is so many days old, with a transcript of one megabyte. */
function leave(scene: Scene, number: number, days: number, ending: Ending | null = ENDED, cwd = scene.work): string {
  const id = `20260101-00000${number}-${String(number).repeat(8)}`;
  const folder = join(scene.state, 'ralph/loops', id);
  const at = Date.now() - days * DAY_MS;
  leaveLoopIn(folder, { id, loopKind: 'run', cwd, createdAt: at, updatedAt: at, ending });
  writeFileSync(join(folder, 'transcript'), Buffer.alloc(1024 ** 2));
  return id;
}

const gc = (scene: Scene, ...flags: string[]) => scene.ralph(['gc', ...flags]).exited;

describe('ralph gc <loop>', () => {
  test('deletes an unfinished loop, and a new run no longer mentions it', async () => {
    const scene = makeScene({ play: `[ $n = 1 ] || ${DONE}` });
    await scene.run('-m', '1');
    const [id = ''] = scene.loops();
    const short = id.slice(-8, -4);
    expect((await gc(scene, short, '--dry-run')).stdout).toMatch(new RegExp(`^Would delete loop ${short} \\(1/1, `));
    expect(scene.loops()).toEqual([id]);
    const { code, stdout } = await gc(scene, short);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Deleted loop \w+ \(1\/1, .+\)\. Your files are as they were\.\n$/),
    });
    expect(scene.loops()).toEqual([]);
    expect((await scene.run('-m', '1')).stderr).not.toContain('unfinished');
  });

  test('a running loop is refused; a killed one can be deleted once it is stopped', async () => {
    const scene = makeScene({ play: 'at_gate' });
    const ralph = scene.ralph(['run', '-p', 'Do it.']);
    await scene.logged('at gate 1/work/1');
    const short = scene.loops()[0]?.slice(-8, -4) ?? '';
    expect(await gc(scene, short)).toMatchObject({
      code: 2,
      stderr: `error: loop ${short} is running (pid ${ralph.pid})\nhint: Stop it first: ralph stop ${short}\n`,
    });
    ralph.signal('SIGKILL');
    await ralph.exited;
    expect((await scene.ralph(['stop', short]).exited).stdout).toContain(`To drop it, run: ralph gc ${short}\n`);
    expect((await gc(scene, short)).code).toBe(0);
    expect(scene.loops()).toEqual([]);
  });

  test('if a name matches no loop, nothing is deleted', async () => {
    const scene = makeScene({ play: DONE });
    await scene.run();
    const short = scene.loops()[0]?.slice(-8, -4) ?? '';
    expect(await gc(scene, short, 'nosuch')).toMatchObject({ code: 2, stderr: expect.stringContaining('"nosuch"') });
    expect(scene.loops()).toHaveLength(1);
  });
});

describe('ralph gc', () => {
  test('--dry-run lists what would be deleted, with sizes and the total, and deletes nothing', async () => {
    const scene = makeScene({ play: DONE });
    for (const [number, days] of [40, 31, 10].entries()) leave(scene, number, days);
    const { code, stdout } = await gc(scene, '--dry-run');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '0000      run       40d     1.0 MB  .  done',
      '1111      run       31d     1.0 MB  .  done',
      'Would delete 2 loops, 2.0 MB; the rest takes 1.0 MB.',
      '',
    ]);
    expect(scene.loops()).toHaveLength(3);
    expect((await gc(scene)).stdout).toContain('\nDeleted 2 loops, 2.0 MB; the rest takes 1.0 MB.\n');
    expect(scene.loops()).toHaveLength(1);
    expect((await gc(scene)).stdout).toBe('Nothing to delete: all loops together take 1.0 MB.\n');
  });

  test('--older-than and --keep-bytes decide what is kept', async () => {
    const scene = makeScene({ play: DONE });
    const ids = [10, 5, 3, 1].map((days, number) => leave(scene, number, days));
    await gc(scene, '--older-than', '7d');
    expect(scene.loops()).toEqual(ids.slice(1));
    await gc(scene, '--keep-bytes', '2200KB');
    expect(scene.loops()).toEqual(ids.slice(2));
    expect(await gc(scene, '--older-than', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('7d') });
    expect(await gc(scene, '--keep-bytes', 'much')).toMatchObject({ code: 2, stderr: expect.stringContaining('5GB') });
  });

  test('keeps resumable loops, unless their directory is gone, and loops of sessions and workers', async () => {
    const scene = makeScene({ play: DONE });
    const cutOff = leave(scene, 1, 90, null);
    leave(scene, 2, 90, null, join(scene.folder, 'gone'));
    const ofWorker = leave(scene, 3, 90);
    const ofSession = leave(scene, 4, 90);
    for (const [folder, id] of [
      [join(scene.folder, 'swarm/loops'), ofWorker],
      [join(scene.state, 'ralph/sessions'), ofSession],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'name'), `${id}\n`);
    }
    expect((await scene.shell('SWARM_HOME=$SCENE/swarm ralph gc')).stdout).toContain(
      'unfinished, its directory is gone',
    );
    expect(scene.loops()).toEqual([cutOff, ofWorker, ofSession]);
  });
});

describe('the automatic clean-up', () => {
  test('runs once a day at the end of a loop, and prints a line only if it deleted something', async () => {
    const scene = makeScene({ play: DONE });
    const old = leave(scene, 1, 40);
    expect((await scene.run()).stderr).toMatch(
      /\nDeleted 1 loop from .*\/ralph\/loops, 1\.0 MB \(older than 30 days, .*\n$/,
    );
    expect(scene.loops()).not.toContain(old);
    const another = leave(scene, 2, 40);
    expect((await scene.run()).stderr).not.toContain('Deleted');
    expect(scene.loops()).toContain(another);
    const yesterday = new Date(Date.now() - 2 * DAY_MS);
    utimesSync(join(scene.state, 'ralph/collected'), yesterday, yesterday);
    await scene.run();
    expect(scene.loops()).not.toContain(another);
    utimesSync(join(scene.state, 'ralph/collected'), yesterday, yesterday);
    expect((await scene.run()).stderr).not.toContain('Deleted');
  });

  test('never fails a loop', async () => {
    const scene = makeScene({ play: DONE });
    leave(scene, 1, 40);
    mkdirSync(join(scene.state, 'ralph/collected'));
    const yesterday = new Date(Date.now() - 2 * DAY_MS);
    utimesSync(join(scene.state, 'ralph/collected'), yesterday, yesterday);
    expect(await scene.run()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
  });
});

test('the next gc deletes a clean checkout that a dead supervisor left', async () => {
  const scene = makeScene({ play: DONE });
  await scene.run('-m', '1');
  const left = join(scene.folder, '.cache/ralph/proofs', `${scene.loops()[0]}-a1B2c3`);
  mkdirSync(left, { recursive: true });
  const { stdout } = await scene.shell('ralph gc');
  expect(stdout).toContain('Deleted 1 leftover of loops that are gone or never began.\n');
  expect(existsSync(left)).toBe(false);
});
