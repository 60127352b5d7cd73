import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
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
    // Nor is it a repository for git by that.
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
    // A repository that an agent makes there changes nothing about that.
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
    // Root reads everything.
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

describe('the next snapshot', () => {
  test('holds what was changed, added, removed, renamed, and what changed its kind', async () => {
    for (const path of ['same', 'edited', 'gone', 'old', 'becomes-folder', 'folder/a', 'becomes-link']) write(path);
    const before = await begun.take();
    const copies = (name: string) => cpSync(work, join(folder, name), { recursive: true, verbatimSymlinks: true });
    copies('a');
    write('edited', 'other\n');
    // As long as before, and of the same time.
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
    expect(kept('cat-file', 'blob', `${after.commit}:same`)).toBe('same\n');
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

describe('of the project', () => {
  test('no filter, hook, monitor or attribute runs anything', async () => {
    const ran = join(folder, 'ran');
    const program = join(folder, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    for (const key of ['filter.f.clean', 'filter.f.smudge', 'filter.f.process', 'diff.f.command', 'diff.f.textconv'])
      git('config', key, program);
    git('config', 'core.fsmonitor', program);
    git('config', 'core.hooksPath', folder);
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'post-commit'])
      cpSync(program, join(folder, hook));
    write('.gitattributes', '* filter=f diff=f\n');
    write('a');
    const first = await begun.take();
    write('a', 'other\n');
    const second = await begun.take(1);
    expect(kept('diff', first.commit, second.commit)).toContain('+other');
    expect(existsSync(ran)).toBe(false);
    // The trap itself works.
    spawnSync('git', ['add', 'a'], { cwd: work, env: scene.env });
    expect(existsSync(ran)).toBe(true);
  });

  test('an index that says anything leads nowhere else', async () => {
    write('a');
    const blob = git('hash-object', '-w', 'a').trim();
    const raw = (path: string) => `100644 ${blob}\t${path}\n`;
    spawnSync('git', ['update-index', '--add', '--index-info'], { cwd: work, env: scene.env, input: raw('xx/yy') });
    const index = join(work, '.git/index');
    const planted = readFileSync(index).toString('latin1').replace('xx/yy', '../zz');
    writeFileSync(index, planted, 'latin1');
    writeFileSync(join(folder, 'zz'), 'of the user');
    expect(await begun.files()).toEqual(['a']);
    writeFileSync(index, 'nonsense');
    expect(await begun.files()).toEqual(['a']);
  });

  test('an index that is a pipe, which git would wait for, is not read', async () => {
    write('nested/a');
    git('init', '-q', 'nested');
    for (const repository of ['.', 'nested']) execFileSync('mkfifo', [join(work, repository, '.git/index')]);
    expect(await begun.files()).toEqual(['nested/a']);
  });

  test('nothing is touched: refs, index, logs and objects', async () => {
    write('a');
    git('add', '-A');
    git('commit', '-qm', 'one');
    write('a', 'stashed\n');
    git('stash', '-q');
    write('b');
    git('add', 'b');
    const before = everythingIn(join(work, '.git'));
    await begun.take();
    write('c');
    await begun.take(1);
    expect(everythingIn(join(work, '.git'))).toEqual(before);
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
    const half = join(begun.store.gitFolder, 'objects/pack/tmp_pack_x');
    appendFileSync(half, 'half');
    expect(await begun.files()).toEqual(['a']);
    expect(existsSync(half)).toBe(false);
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
