/** What a snapshot contains, and what it leaves out by name. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SnapshotScene, snapshotScene } from '../../../test/support/git/snapshot-scene.ts';

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

describe('a snapshot holds', () => {
  test('tracked and new files, not ignored ones, by every list of what to ignore', async () => {
    for (const path of ['a', 'sub/b', 'ign/c', 'sub/x.log', 'own', 'mine', 'everywhere', 'tracked.log']) write(path);
    write('.gitignore', 'ign/\n*.log\n');
    writeFileSync(join(work, '.git/info/exclude'), 'own\n');
    mkdirSync(join(folder, '.config/git'), { recursive: true });
    writeFileSync(join(folder, '.config/git/ignore'), 'everywhere\n');
    git('add', '-f', 'a', 'tracked.log');
    expect(await begun.files()).toEqual(['.gitignore', 'a', 'mine', 'sub/b', 'tracked.log']);
    writeFileSync(join(folder, 'more'), 'mine\n');
    git('config', '--global', 'core.excludesFile', '~/more');
    begun = scene.begin();
    expect(await begun.files()).toEqual(['.gitignore', 'a', 'everywhere', 'sub/b', 'tracked.log']);
  });

  test('whatever a name or a file is made of, byte by byte', async () => {
    const names = ['with space', 'new\nline', '"quoted"', 'back\\slash', 'ümlaut', '-dash', ':colon', '\ttab'];
    for (const name of names) write(name);
    const bytes = Buffer.from([0x62, 0xff, 0xfe]);
    writeFileSync(Buffer.concat([Buffer.from(`${work}/`), bytes]), 'odd');
    const binary = Buffer.from(Array.from({ length: 4096 }, (_one, at) => at % 256));
    write('binary', binary);
    write('crlf', 'a\r\nb\r\n');
    write('empty', '');
    write('.gitattributes', '* text=auto eol=lf\ncrlf working-tree-encoding=UTF-16\n');
    const { commit } = await begun.take();
    const listed = execFileSync('git', [
      '--git-dir',
      begun.store.gitFolder,
      'ls-tree',
      '-r',
      '-z',
      '--name-only',
      commit,
    ]);
    const found = listed.toString('latin1').split('\0').filter(Boolean);
    expect(found).toContain(bytes.toString('latin1'));
    expect(found).toHaveLength(names.length + 5);
    const read = (path: string) =>
      execFileSync('git', ['--git-dir', begun.store.gitFolder, 'cat-file', 'blob', `${commit}:${path}`]);
    expect(read('binary')).toEqual(binary);
    expect(read('crlf').toString()).toBe('a\r\nb\r\n');
    expect(read('new\nline').toString()).toBe('new\nline\n');
  });

  test('links as links, which are never followed, and the bit that makes a program', async () => {
    write('run', '#!/bin/sh\n');
    chmodSync(join(work, 'run'), 0o755);
    writeFileSync(join(folder, 'secret'), 'secret');
    symlinkSync('loop', join(work, 'loop'));
    symlinkSync('..', join(work, 'up'));
    symlinkSync(join(folder, 'secret'), join(work, 'out'));
    const { commit } = await begun.take();
    const modes = kept('ls-tree', '-r', commit)
      .split('\n')
      .map((line) => line.replace(/ blob \w+\t/, ' '));
    expect(modes.filter(Boolean)).toEqual(['120000 loop', '120000 out', '100755 run', '120000 up']);
    expect(kept('cat-file', 'blob', `${commit}:out`)).toBe(join(folder, 'secret'));
  });

  test('nothing behind a folder that has become a link, whatever the index says', async () => {
    write('a/secret');
    git('add', '-A');
    rmSync(join(work, 'a'), { recursive: true });
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere/secret'), 'of the user');
    symlinkSync(join(folder, 'elsewhere'), join(work, 'a'));
    expect(await begun.files()).toEqual(['a']);
  });

  test('the unignored files of repositories inside, not their .git', async () => {
    write('nested/kept');
    write('nested/deep/kept');
    write('nested/ignored');
    write('nested/own');
    write('nested/.gitignore', 'ignored\n');
    git('init', '-q', 'nested');
    git('init', '-q', 'nested/deep');
    writeFileSync(join(work, 'nested/.git/info/exclude'), 'own\n');
    write('ignored');
    const expected = ['ignored', 'nested/.gitignore', 'nested/deep/kept', 'nested/kept'];
    expect(await begun.files()).toEqual(expected);
    expect(await begun.files(1)).toEqual(expected);
  });

  test.each(['a file', 'a submodule'])('no ignored file of a folder in whose place %s is tracked', async (tracked) => {
    write('.gitignore', '.env\n*.key\n');
    if (tracked === 'a file') write('config');
    else {
      git('init', '-q', 'config');
      git('-C', 'config', 'commit', '-q', '--allow-empty', '-m', 'x');
    }
    git('add', '.');
    expect(git('ls-files')).toBe('.gitignore\nconfig\n');
    rmSync(join(work, 'config'), { recursive: true });
    for (const path of ['.env', 'tls.key', 'main', 'deep/.env', 'deep/main']) write(`config/${path}`);
    const expected = ['.gitignore', 'config/deep/main', 'config/main'];
    expect(await begun.files()).toEqual(expected);
    // An empty `.git` does not make it a repository, either.
    mkdirSync(join(work, 'config/.git'));
    expect(await begun.files(1)).toEqual(expected);
  });

  test('the files of a submodule, and those of a worktree', async () => {
    const other = join(folder, 'other');
    execFileSync('git', ['init', '-q', other], { env: scene.env });
    writeFileSync(join(other, 'inside'), 'x');
    execFileSync('git', ['-C', other, 'add', '-A'], { env: scene.env });
    execFileSync('git', ['-C', other, 'commit', '-qm', 'x'], { env: scene.env });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
    git('commit', '-qm', 'one');
    write('sub/new');
    expect(await begun.files()).toEqual(['.gitmodules', 'sub/inside', 'sub/new']);
    git('worktree', 'add', '-q', join(folder, 'tree'));
    begun = scene.begin(join(folder, 'tree'), { loop: 'two' });
    writeFileSync(join(folder, 'tree/here'), 'x');
    expect(await begun.files()).toEqual(['.gitmodules', 'here']);
  });

  test('the whole work tree, also where the loop works further down', async () => {
    write('a');
    write('down/b');
    begun = scene.begin(join(work, 'down'), { loop: 'two' });
    expect(begun.store.root).toBe(work);
    expect(await begun.files()).toEqual(['a', 'down/b']);
    // A repository that an agent creates there does not change that.
    git('init', '-q', 'down');
    begun = scene.begin(join(work, 'down'), { loop: 'two' });
    expect(begun.store.root).toBe(work);
  });

  test('nothing of the loops themselves, where their state lies in the work tree', async () => {
    write('a');
    begun = scene.begin(work, { except: join(work, 'state') });
    write('state/loops/x/journal.jsonl');
    write('stately');
    expect(await begun.files()).toEqual(['a', 'stately']);
  });
});

describe('left out and named', () => {
  test('large files, what cannot be read, and a pipe where a file was', async () => {
    write('large');
    truncateSync(join(work, 'large'), 10 * 1024 * 1024 + 1);
    write('just');
    truncateSync(join(work, 'just'), 10 * 1024 * 1024);
    write('pipe');
    git('add', 'pipe');
    rmSync(join(work, 'pipe'));
    execFileSync('mkfifo', [join(work, 'pipe')]);
    write('locked');
    chmodSync(join(work, 'locked'), 0);
    const { commit, leftOut } = await begun.take();
    // Root can read everything.
    const isRoot = process.getuid?.() === 0;
    const files = [
      { path: 'large', why: 'too large' },
      { path: 'pipe', why: 'not a file' },
      ...(isRoot ? [] : [{ path: 'locked', why: 'unreadable' }]),
    ];
    expect(leftOut?.files).toEqual(expect.arrayContaining(files));
    const names = kept('ls-tree', '-r', '--name-only', commit).trim().split('\n');
    expect(names).toEqual(isRoot ? ['just', 'locked'] : ['just']);
  });

  test('the first of many; all are counted', async () => {
    for (let at = 0; at < 25; at++) {
      write(`large${at}`);
      truncateSync(join(work, `large${at}`), 11 * 1024 * 1024);
    }
    const { leftOut } = await begun.take();
    expect(leftOut?.count).toBe(25);
    expect(leftOut?.files).toHaveLength(20);
  });
});
