/** The next snapshot of the same work tree, and snapshots that cannot be taken. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { everythingIn, type SnapshotScene, snapshotScene } from '../../../test/support/git/snapshot-scene.ts';
import { findStore, openStore } from './store.ts';

let scene: SnapshotScene;
let begun: ReturnType<SnapshotScene['begin']>;
let folder: string;
let work: string;

beforeEach(() => {
  scene = snapshotScene();
  ({ folder, work } = scene);
  begun = scene.begin();
});

const write: SnapshotScene['write'] = (...given) => scene.write(...given);
const git: SnapshotScene['git'] = (...args) => scene.git(...args);
const kept: typeof begun.kept = (...args) => begun.kept(...args);

describe('the next snapshot', () => {
  test('holds what was changed, added, removed, renamed, and what changed its kind', async () => {
    for (const path of ['same', 'edited', 'gone', 'old', 'becomes-folder', 'folder/a', 'becomes-link']) write(path);
    const before = await begun.take();
    const copies = (name: string) => cpSync(work, join(folder, name), { recursive: true, verbatimSymlinks: true });
    copies('a');
    write('edited', 'other\n');
    // Of the same size and time as before.
    utimesSync(join(work, 'edited'), 1, 1);
    for (const path of ['gone', 'becomes-folder', 'folder', 'becomes-link'])
      rmSync(join(work, path), { recursive: true });
    write('becomes-folder/b');
    write('folder');
    symlinkSync('same', join(work, 'becomes-link'));
    git('mv', '-f', 'old', 'new', '-k');
    execFileSync('mv', [join(work, 'old'), join(work, 'new')]);
    copies('b');
    const after = await begun.take(1);
    const shown = kept('diff', '--no-renames', before.commit, after.commit);
    for (const copy of ['a', 'b']) rmSync(join(folder, copy, '.git'), { recursive: true });
    const args = ['diff', '--no-index', '--no-renames', 'a', 'b'];
    const { stdout } = spawnSync('git', args, { cwd: folder, env: scene.env, encoding: 'utf8' });
    expect(stdout).toContain('edited');
    expect(shown).toBe(stdout.replaceAll(/([ab])\/[ab]\//g, '$1/'));
    const names = kept('diff', '--no-renames', '--name-only', before.commit, after.commit).trim().split('\n');
    expect([before.changed, after.changed]).toEqual([undefined, names.length]);
    expect(kept('cat-file', 'blob', `${after.commit}:same`)).toBe('same\n');
  });

  test('counts no file that was only touched, and one whose mode changed', async () => {
    for (const path of ['touched', 'made-a-program', 'same']) write(path);
    await begun.take();
    utimesSync(join(work, 'touched'), 1, 1);
    expect(await begun.take(1)).toMatchObject({ changed: 0 });
    chmodSync(join(work, 'made-a-program'), 0o755);
    expect(await begun.take(2)).toMatchObject({ changed: 1 });
  });

  test('where nothing differs is the last one: nothing is written, also where files were touched or written again', async () => {
    for (const path of ['touched', 'again', 'a/b', 'hidden']) write(path);
    chmodSync(join(work, 'hidden'), 0o000);
    const before = await begun.take();
    const store = everythingIn(begun.store.gitFolder);
    utimesSync(join(work, 'touched'), 1, 1);
    rmSync(join(work, 'again'));
    write('again');
    expect(await begun.take(1)).toEqual({ ...before, changed: 0 });
    expect(everythingIn(begun.store.gitFolder)).toEqual(store);
    write('again', 'other\n');
    const after = await begun.take(2);
    expect(after).toMatchObject({ changed: 1 });
    expect(after.commit).not.toBe(before.commit);
    expect(kept('cat-file', 'blob', `${after.commit}:again`)).toBe('other\n');
    expect((await begun.take(3)).commit).toBe(after.commit);
    rmSync(join(work, 'again'));
    expect(await begun.take(4)).toMatchObject({ changed: 1 });
  });

  test('is found whatever number came after it, in few packs, also where its name went to another', async () => {
    const commits: string[] = [];
    for (let round = 0; round < 60; round++) {
      write('a', `${round}\n`);
      commits.push((await begun.take(Math.floor(round / 2))).commit);
    }
    expect(commits.map((commit) => kept('cat-file', 'blob', `${commit}:a`))).toEqual(commits.map((_, at) => `${at}\n`));
    const packs = readdirSync(join(begun.store.gitFolder, 'objects/pack')).filter((name) => name.endsWith('.pack'));
    expect(packs.length).toBeLessThan(50);
  });

  test('is the same to a supervisor that remembers nothing', async () => {
    for (const path of ['a', 'b/c']) write(path);
    await begun.take();
    rmSync(join(work, 'a'));
    write('d');
    const remembered = await begun.take(1);
    begun = scene.begin();
    const again = await begun.take(1);
    const tree = (commit: string) => kept('rev-parse', `${commit}^{tree}`);
    expect(tree(again.commit)).toBe(tree(remembered.commit));
    expect(kept('rev-parse', 'refs/iterations/1').trim()).toBe(again.commit);
  });

  test('sees an edit that leaves size and time as they were', async () => {
    write('a', 'one\n');
    utimesSync(join(work, 'a'), 1, 1);
    await begun.take();
    write('a', 'two\n');
    utimesSync(join(work, 'a'), 1, 1);
    const { commit } = await begun.take(1);
    expect(kept('cat-file', 'blob', `${commit}:a`)).toBe('two\n');
  });
});

describe('where it cannot be taken', () => {
  test('the reason is a sentence, and the next one is whole', async () => {
    write('a');
    begun = scene.begin(work, { env: { ...scene.env, PATH: '/nonexistent' } });
    await expect(begun.take()).rejects.toThrow('git is not installed');
    begun = scene.begin();
    rmSync(join(begun.store.gitFolder, 'objects'), { recursive: true });
    writeFileSync(join(begun.store.gitFolder, 'objects'), 'in the way');
    await expect(begun.take()).rejects.toThrow(/./);
    rmSync(join(begun.store.gitFolder, 'objects'));
    mkdirSync(join(begun.store.gitFolder, 'objects/pack'), { recursive: true });
    expect(await begun.files()).toEqual(['a']);
  });

  test('a signal ends it at once; what it left half done is removed', async () => {
    write('a');
    await expect(begun.take(0, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    const half = ['tmp_pack_x', '.tmp-1-pack-x.pack'].map((name) => join(begun.store.gitFolder, 'objects/pack', name));
    for (const path of half) appendFileSync(path, 'half');
    expect(await begun.files()).toEqual(['a']);
    expect(half.filter((path) => existsSync(path))).toEqual([]);
  });

  test('what the user has git ignore is asked for again after a signal', async () => {
    write('a');
    write('mine');
    writeFileSync(join(folder, 'more'), 'mine\n');
    git('config', '--global', 'core.excludesFile', '~/more');
    await expect(begun.take(0, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(await begun.files()).toEqual(['a']);
  });

  test('there is no store without a repository', () => {
    const plain = join(folder, 'plain');
    mkdirSync(plain);
    expect(openStore(join(folder, 'none'), plain)).toBeNull();
    expect(findStore(join(folder, 'none'))).toBeNull();
  });
});
