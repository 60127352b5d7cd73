import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import {
  fileStamp,
  followLinks,
  makeFolders,
  openForWriting,
  readPlainText,
  realWorkFolder,
  writeFile,
} from './files.ts';

test('folders are made with those on the way, for whom the mode says, and what is there stays', () => {
  const folder = testFolder();
  makeFolders(join(folder, 'a/b/c'), 0o700);
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  expect(() => makeFolders(join(folder, 'a/b'), 0o755)).not.toThrow();
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  makeFolders(join(folder, 'link/below'));
  expect(statSync(join(folder, 'real/below')).isDirectory()).toBe(true);
});

test('where nothing can be made that is reported, and not tried for ever', () => {
  expect(() => makeFolders('/proc/no/such/folder')).toThrow(
    expect.objectContaining({ code: 'ENOENT', path: '/proc/no' }),
  );
});

test('what is in the way is named', () => {
  const folder = testFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeFolders(file)).toThrow(expect.objectContaining({ code: 'EEXIST', path: file }));
  expect(() => makeFolders(join(file, 'a/b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  expect(() => makeFolders(loop)).toThrow(expect.objectContaining({ path: loop }));
});

test('a pipe without a reader is refused, and not waited for', () => {
  const pipe = join(testFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const refused = expect.objectContaining({ code: 'ENXIO', path: pipe });
  expect(() => writeFile(pipe, 'x')).toThrow(refused);
  expect(() => writeFile(pipe, 'x', { flag: 'a' })).toThrow(refused);
  expect(() => openForWriting(pipe, 0o600)).toThrow(refused);
  expect(() => readPlainText(pipe)).toThrow(`${pipe} is not a plain file but a named pipe`);
});

test('what is there is replaced, added to or refused, as asked', () => {
  const file = join(testFolder(), 'file');
  writeFile(file, 'one\n', { mode: 0o600 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFile(file, 'two\n', { flag: 'a' });
  expect(readPlainText(file)).toBe('one\ntwo\n');
  writeFile(file, 'new\n');
  expect(readPlainText(file)).toBe('new\n');
  expect(() => writeFile(file, 'x', { flag: 'wx' })).toThrow('EEXIST');
});

test.runIf(process.platform === 'linux')('a write for which there is no room names the file', () => {
  const noRoom = expect.objectContaining({ code: 'ENOSPC', path: '/dev/full' });
  expect(() => writeFile('/dev/full', 'x')).toThrow(noRoom);
  expect(() => writeFile('/dev/full', 'x', { flag: 'a' })).toThrow(noRoom);
});

test('the stamp of a file changes with what it holds, its rights and the file itself; there is none of nothing', () => {
  const file = join(testFolder(), 'file');
  const stamps = [fileStamp(file)];
  const changes = [
    () => writeFileSync(file, 'one'),
    () => writeFileSync(file, 'three'),
    () => chmodSync(file, 0o400),
    () => {
      writeFileSync(`${file}.next`, 'other');
      renameSync(`${file}.next`, file);
    },
  ];
  for (const change of changes) {
    change();
    stamps.push(fileStamp(file));
    expect(fileStamp(file)).toBe(stamps.at(-1));
  }
  expect(stamps[0]).toBeNull();
  expect(new Set(stamps).size).toBe(changes.length + 1);
  expect(fileStamp(join(file, 'below'))).toBeNull();
});

test('the folder that a loop is to work in is found through links, and named where it is gone', () => {
  const folder = testFolder();
  const link = join(testFolder(), 'link');
  symlinkSync(folder, link);
  expect(realWorkFolder(link)).toBe(realpathSync.native(folder));
  const gone = join(folder, 'gone');
  expect(() => realWorkFolder(gone)).toThrow(
    expect.objectContaining({ message: `cannot work in ${gone}: no such file or directory`, code: 'WORK_TREE' }),
  );
});

test('links are followed one after the other, also to where nothing is, and told by their real places', () => {
  const folder = realpathSync(testFolder());
  const at = (path: string): string => join(folder, path);
  mkdirSync(at('real/inner'), { recursive: true });
  symlinkSync(at('real'), at('absolute'));
  symlinkSync('../absolute/inner', at('real/relative'));
  symlinkSync('nowhere/at/all', at('dangling'));
  symlinkSync('round', at('round'));
  expect(followLinks(`${at('absolute/relative')}/../inner/new`)).toEqual({
    leadsTo: at('real/inner/new'),
    links: ['absolute', 'real/relative', 'absolute'].map(at),
  });
  expect(followLinks(at('dangling/x'))).toEqual({ leadsTo: at('nowhere/at/all/x'), links: [at('dangling')] });
  expect(followLinks(at('real/inner'))).toEqual({ leadsTo: at('real/inner'), links: [] });
  expect(followLinks(at('round')).links).toHaveLength(40);
});
