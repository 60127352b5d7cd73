import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { appendPlain, inHeldFolder, removeEntry } from './held-folder.ts';

let project: string;
let elsewhere: string;

beforeEach(() => {
  const folder = testFolder();
  [project, elsewhere] = [join(folder, 'project'), join(folder, 'elsewhere')];
  for (const path of [project, elsewhere]) mkdirSync(path);
});

const inProject = (path: string): string => join(project, path);

describe('a folder', () => {
  test.runIf(process.platform === 'linux')('that is exchanged while it is held stays the one that it was', () => {
    inHeldFolder(inProject('a'), { makes: true }, (held) => {
      renameSync(inProject('a'), inProject('b'));
      symlinkSync(elsewhere, inProject('a'));
      writeFileSync(join(held, 'file'), 'text');
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(readFileSync(inProject('b/file'), 'utf8')).toBe('text');
  });

  test('on the way that is a link is not entered', () => {
    mkdirSync(join(elsewhere, 'b'));
    symlinkSync(elsewhere, inProject('a'));
    const enter = () => inHeldFolder(inProject('a/b'), { makes: true }, (held) => held);
    expect(enter).toThrow(`${inProject('a')} leads elsewhere`);
  });

  test('takes the place of a link or a file, only below the one that is named', () => {
    symlinkSync(elsewhere, inProject('a'));
    inHeldFolder(inProject('a/b/c'), { makes: true, clearsBelow: project }, (held) => writeFileSync(`${held}/x`, ''));
    expect(lstatSync(inProject('a')).isDirectory()).toBe(true);
    expect(readdirSync(inProject('a/b/c'))).toEqual(['x']);
    expect(readdirSync(elsewhere)).toEqual([]);
    symlinkSync(elsewhere, inProject('d'));
    const enter = () => inHeldFolder(inProject('d/e'), { makes: true, clearsBelow: inProject('d') }, (held) => held);
    expect(enter).toThrow(`${inProject('d')} leads elsewhere`);
  });

  test('is made only where that is asked for', () => {
    expect(() => inHeldFolder(inProject('a'), {}, (held) => held)).toThrow('ENOENT');
  });
});

describe('adding to a file', () => {
  test('makes it, and goes on behind what is there', () => {
    for (const text of ['one\n', 'two\n']) appendPlain(inProject('logs/log'), text, { makes: true });
    expect(readFileSync(inProject('logs/log'), 'utf8')).toBe('one\ntwo\n');
  });

  test.each<[string, (path: string) => unknown]>([
    ['a link', (path) => symlinkSync(join(elsewhere, 'file'), path)],
    ['a second name of a file', (path) => linkSync(join(elsewhere, 'file'), path)],
    ['a pipe without a reader', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
  ])('leaves %s alone', (_what, make) => {
    writeFileSync(join(elsewhere, 'file'), 'mine');
    make(inProject('log'));
    expect(() => appendPlain(inProject('log'), 'text')).toThrow();
    expect(readFileSync(join(elsewhere, 'file'), 'utf8')).toBe('mine');
  });
});

test('a folder that is in the way is moved aside whole; a link goes, and what it leads to stays', () => {
  mkdirSync(inProject('list/deep'), { recursive: true });
  writeFileSync(inProject('list/deep/file'), 'mine');
  symlinkSync(elsewhere, inProject('link'));
  for (const name of ['list', 'link', 'none']) removeEntry(inProject(name));
  const [aside = '', ...others] = readdirSync(project);
  expect(others).toEqual([]);
  expect(aside).toMatch(/^\.list\..+\.put-aside$/);
  expect(readFileSync(inProject(`${aside}/deep/file`), 'utf8')).toBe('mine');
  expect(lstatSync(elsewhere).isDirectory()).toBe(true);
});
