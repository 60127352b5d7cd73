import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { findProgram, programFinder, whyNoProgram } from './which.ts';

let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function leaveFile(path: string, mode = 0o755): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  return file;
}

test('a plain name is looked for along the path, first match first', () => {
  const first = leaveFile('a/agent');
  leaveFile('b/agent');
  expect(findProgram('agent', [join(folder, 'none'), join(folder, 'a'), join(folder, 'b')].join(delimiter), '/')).toBe(
    first,
  );
});

test('a file that cannot be run and a folder of that name are passed over', () => {
  leaveFile('a/agent', 0o644);
  mkdirSync(join(folder, 'b/agent'), { recursive: true });
  const found = leaveFile('c/agent');
  expect(findProgram('agent', ['a', 'b', 'c'].map((name) => join(folder, name)).join(delimiter), '/')).toBe(found);
});

test('what cannot be run is told for what it is', () => {
  const plain = leaveFile('plain', 0o644);
  mkdirSync(join(folder, 'folder'));
  const script = leaveFile('script');
  writeFileSync(script, '#!/no/such/interpreter\n');
  symlinkSync('loop', join(folder, 'loop'));
  expect(whyNoProgram('plain', folder, '/')).toBe(`${plain} is not executable`);
  expect(whyNoProgram('./folder', undefined, folder)).toBe(`${folder}/folder is a directory`);
  expect(whyNoProgram(script, undefined, '/')).toBe(
    `${script} needs the interpreter /no/such/interpreter, which cannot be run`,
  );
  expect(whyNoProgram('./loop', undefined, folder)).toBe(`${folder}/loop cannot be read: ELOOP`);
  expect(whyNoProgram('none', folder, '/')).toBeNull();
});

test('a name with a slash is a file, seen from the working directory and not from the path', () => {
  const program = leaveFile('bin/agent');
  expect(findProgram('./bin/agent', undefined, folder)).toBe(program);
  expect(findProgram(program, undefined, '/')).toBe(program);
  expect(findProgram('./agent', join(folder, 'bin'), folder)).toBeNull();
});

test('a relative folder in the path is seen from the working directory', () => {
  const program = leaveFile('node_modules/.bin/agent');
  expect(findProgram('agent', 'node_modules/.bin', folder)).toBe(program);
});

test('a link to a program is one, a link to nothing is none', () => {
  symlinkSync(leaveFile('real'), join(folder, 'link'));
  symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
  expect(findProgram('link', folder, '/')).toBe(join(folder, 'link'));
  expect(findProgram('dangling', folder, '/')).toBeNull();
});

test('what is nowhere is not found', () => {
  expect(findProgram('no-such-agent', process.env.PATH, folder)).toBeNull();
  expect(findProgram('/no/such/agent', process.env.PATH, folder)).toBeNull();
});

test('who asks again gets the same program, until it cannot be run any more or another comes before it', () => {
  const find = programFinder();
  const path = ['a', 'b'].map((name) => join(folder, name)).join(delimiter);
  const second = leaveFile('b/agent');
  expect([find('agent', path, '/'), find('agent', path, '/')]).toEqual([second, second]);
  const first = leaveFile('a/agent');
  expect(find('agent', path, '/')).toBe(first);
  chmodSync(first, 0o644);
  expect(find('agent', path, '/')).toBe(second);
  chmodSync(second, 0o644);
  expect(find('agent', path, '/')).toBeNull();
});
