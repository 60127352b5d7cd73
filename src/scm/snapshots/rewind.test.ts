import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { everythingIn, type SnapshotScene, snapshotScene } from '../../../test/support/git/snapshot-scene.ts';
import { backupCommit, rewindInPlace, rewindToBranch } from './rewind.ts';

let scene: SnapshotScene;
let begun: ReturnType<SnapshotScene['begin']>;
let work: string;

beforeEach(() => {
  scene = snapshotScene();
  ({ work } = scene);
  scene.write('tracked');
  scene.write('.gitignore', 'ignored\n');
  scene.git('add', '-A');
  scene.git('commit', '-qm', 'one');
  scene.write('ignored', 'mine\n');
  begun = scene.begin();
});

const branchOf = (commit: string, branch = 'ralph/x-1') =>
  rewindToBranch(begun.store, { commit, branch, message: 'Iteration 1' }, scene.env);
const inPlace = (commit: string) => rewindInPlace(begun.store, commit, { take: begun.taker, env: scene.env });

describe('into a branch', () => {
  test('a commit on top of HEAD holds the files of the snapshot; nothing else is touched', async () => {
    scene.write('new', 'one\n');
    scene.write('tracked', 'changed\n');
    const { commit } = await begun.take(1);
    scene.write('new', 'two\n');
    scene.git('add', 'new');
    const tree = everythingIn(work, ['.git']);
    const index = readFileSync(join(work, '.git/index'));
    const made = await branchOf(commit);
    expect(scene.git('rev-parse', 'ralph/x-1').trim()).toBe(made);
    expect(scene.git('rev-parse', 'ralph/x-1^')).toBe(scene.git('rev-parse', 'HEAD'));
    expect(scene.git('ls-tree', '-r', '--name-only', 'ralph/x-1').trim().split('\n')).toEqual([
      '.gitignore',
      'new',
      'tracked',
    ]);
    expect(scene.git('show', 'ralph/x-1:new')).toBe('one\n');
    expect(scene.git('log', '-1', '--format=%s %an', 'ralph/x-1')).toBe('Iteration 1 ralph\n');
    expect(everythingIn(work, ['.git'])).toEqual(tree);
    expect(readFileSync(join(work, '.git/index'))).toEqual(index);
    // It does not depend on the loop's store.
    rmSync(begun.store.gitFolder, { recursive: true });
    expect(scene.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('a branch that is there stays, and a name that is none is refused', async () => {
    const { commit } = await begun.take(1);
    await branchOf(commit);
    const before = scene.git('rev-parse', 'ralph/x-1');
    scene.write('new');
    const later = await begun.take(2);
    await expect(branchOf(later.commit)).rejects.toThrow('the branch ralph/x-1 already exists');
    expect(scene.git('rev-parse', 'ralph/x-1')).toBe(before);
    await expect(branchOf(commit, 'a..b')).rejects.toThrow('"a..b" is not a valid branch name');
  });

  test('in a repository without a commit, in one of SHA-256, and in a worktree', async () => {
    const fresh = join(scene.folder, 'fresh');
    scene.gitIn(scene.folder, 'init', '-q', '--object-format=sha256', fresh);
    writeFileSync(join(fresh, 'a'), 'x');
    begun = scene.begin(fresh, { loop: 'two' });
    const made = await branchOf((await begun.take(1)).commit);
    expect(made).toHaveLength(64);
    expect(scene.gitIn(fresh, 'log', '--format=%H', 'ralph/x-1').trim()).toBe(made);
    const tree = join(scene.folder, 'tree');
    scene.git('worktree', 'add', '-q', tree);
    writeFileSync(join(tree, 'b'), 'x');
    begun = scene.begin(tree, { loop: 'three' });
    await branchOf((await begun.take(1)).commit, 'other');
    expect(scene.git('ls-tree', '--name-only', 'other', 'b')).toBe('b\n');
  });

  test('no hook or program of the project runs', async () => {
    const ran = join(scene.folder, 'ran');
    const program = join(scene.folder, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    cpSync(program, join(work, '.git/hooks/reference-transaction'));
    scene.git('config', 'core.fsmonitor', program);
    scene.git('config', 'gpg.program', program);
    scene.git('config', 'commit.gpgSign', 'true');
    rmSync(ran, { force: true });
    await branchOf((await begun.take(1)).commit);
    expect(existsSync(ran)).toBe(false);
    // The trap itself works.
    scene.git('branch', 'any');
    expect(existsSync(ran)).toBe(true);
  });

  test('a .git that leads elsewhere is not believed', async () => {
    const { commit } = await begun.take(1);
    const other = join(scene.folder, 'other');
    scene.gitIn(scene.folder, 'init', '-q', other);
    rmSync(join(work, '.git'), { recursive: true });
    writeFileSync(join(work, '.git'), `gitdir: ${other}/.git\n`);
    await expect(branchOf(commit)).rejects.toThrow(`${work} has no repository that a branch could be made in`);
  });
});

describe('in place', () => {
  test('ignored files of a folder in whose place a file was are in the way, and stay', async () => {
    const { commit } = await begun.take();
    rmSync(join(work, 'tracked'));
    scene.write('tracked/ignored', 'mine\n');
    scene.write('tracked/main');
    const before = everythingIn(work, ['.git']);
    await expect(inPlace(commit)).rejects.toThrow(/tracked/);
    expect(everythingIn(work, ['.git'])).toEqual(before);
  });

  test('files are as they were, and come back by the backup; ignored and large ones stay', async () => {
    scene.write('edited', 'one\r\n');
    scene.write('.gitattributes', '* text eol=crlf filter=f\n');
    scene.write('folder/gone');
    scene.write('run', '#!/bin/sh\n');
    chmodSync(join(work, 'run'), 0o755);
    symlinkSync('edited', join(work, 'link'));
    scene.git('init', '-q', 'nested');
    scene.write('nested/a', 'one\n');
    const before = everythingIn(work, ['.git']);
    const { commit } = await begun.take(1);
    const head = everythingIn(join(work, '.git'));
    scene.write('edited', 'two\n');
    for (const path of ['folder', 'link', 'run']) rmSync(join(work, path), { recursive: true });
    scene.write('folder', 'now a file\n');
    scene.write('more/new');
    scene.write('nested/a', 'two\n');
    scene.write('nested/b');
    scene.write('ignored', 'still mine\n');
    scene.write('large', '');
    truncateSync(join(work, 'large'), 11 * 1024 * 1024);
    const after = everythingIn(work, ['.git']);
    const backup = await inPlace(commit);
    expect(backup).toMatchObject({ name: 'backup-1', leftOut: { count: 1 } });
    const stay = { [join(work, 'ignored')]: 'still mine\n', [join(work, 'large')]: after[join(work, 'large')] };
    expect(everythingIn(work, ['.git'])).toEqual({ ...before, ...stay });
    expect(readlinkSync(join(work, 'link'))).toBe('edited');
    expect(lstatSync(join(work, 'run')).mode & 0o111).toBe(0o111);
    expect(everythingIn(join(work, '.git'))).toEqual(head);
    expect(existsSync(join(work, 'nested/.git/HEAD'))).toBe(true);
    const again = await inPlace(backupCommit(begun.store, 'backup-1') ?? '');
    expect(again.name).toBe('backup-2');
    expect(everythingIn(work, ['.git'])).toEqual(after);
    expect(backupCommit(begun.store, 'backup-7')).toBeNull();
    expect(backupCommit(begun.store, '../iterations/1')).toBeNull();
  });

  test.each(['was', 'was/deep', 'large'])(
    '%s, which was not kept, is not overwritten: it is named',
    async (inTheWay) => {
      for (const path of ['was', 'large']) scene.write(path, 'a file\n');
      const { commit } = await begun.take(1);
      rmSync(join(work, 'was'));
      scene.write('.gitignore', 'ignored\nwas\ndeep\n');
      scene.write(inTheWay, 'the only copy\n');
      if (inTheWay === 'large') truncateSync(join(work, 'large'), 11 * 1024 * 1024);
      const before = everythingIn(work, ['.git']);
      await expect(inPlace(commit)).rejects.toThrow(inTheWay.slice(0, 3));
      expect(everythingIn(work, ['.git'])).toEqual(before);
    },
  );

  test('where git waits for ever, it is ended, and nothing is changed', async () => {
    const { commit } = await begun.take(1);
    scene.write('sub/new');
    const before = everythingIn(work, ['.git']);
    execFileSync('mkfifo', [join(work, 'sub/.gitignore')]);
    const rewound = rewindInPlace(begun.store, commit, { take: begun.taker, env: scene.env, patience: 300 });
    await expect(rewound).rejects.toThrow(`no backup of ${work} could be made: git took longer than 0.3 seconds`);
    expect(everythingIn(work, ['.git'])).toEqual(before);
  });

  test('nothing is written through a folder that has become a link', async () => {
    scene.write('a/b', 'one\n');
    const { commit } = await begun.take(1);
    rmSync(join(work, 'a'), { recursive: true });
    const outside = join(scene.folder, 'outside');
    execFileSync('mkdir', [outside]);
    symlinkSync(outside, join(work, 'a'));
    await inPlace(commit);
    expect(existsSync(join(outside, 'b'))).toBe(false);
    expect(readFileSync(join(work, 'a/b'), 'utf8')).toBe('one\n');
  });
});
