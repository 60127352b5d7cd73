import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { openPlain, readPlain, readPlainText } from './files.ts';

let path: string;

beforeEach(() => {
  path = join(testFolder(), 'file');
});

test('a plain file is read', () => {
  writeFileSync(path, 'text');
  expect([readPlain(path), readPlainText(path)]).toEqual(['text', 'text']);
  const fd = openPlain(path);
  onTestFinished(() => closeSync(fd));
  expect(readFileSync(fd, 'utf8')).toBe('text');
});

test('a link is read only where links are followed', () => {
  writeFileSync(path, 'text');
  symlinkSync(path, `${path}.link`);
  expect([readPlain(`${path}.link`), readPlainText(`${path}.link`)]).toEqual([null, 'text']);
});

describe('is not read, and named by its path:', () => {
  test.each<[string, () => unknown]>([
    ['a pipe without a writer', () => execFileSync('mkfifo', [path])],
    ['a folder', () => mkdirSync(path)],
    ['a device', () => symlinkSync('/dev/zero', path)],
    ['a socket', listen],
  ])('%s', async (_what, make) => {
    await make();
    expect(readPlain(path)).toBeNull();
    expect(() => readPlainText(path)).toThrow(`${path} is not a plain file`);
  });

  test('a file beyond every size', () => {
    writeFileSync(path, '');
    truncateSync(path, 17 * 1024 * 1024);
    expect(readPlain(path)).toBeNull();
    expect(() => readPlainText(path)).toThrow(`${path} is too large`);
  });

  test('none at all', () => {
    expect(readPlain(path)).toBeNull();
    expect(() => readPlainText(path)).toThrow('ENOENT');
  });
});

function listen(): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(path, resolve));
}
