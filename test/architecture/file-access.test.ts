/** Code that writes a file by Node's own means forgets to say which one it was; making folders so may block for ever. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Where the file is the kernel's, trouble is silence, or no loop is at stake. */
const MAY = [
  /^src\/process\/(files|containment\/cgroup)\.ts$/,
  /^src\/hooks\/io\/session-file\.ts$/,
  /^src\/rehearsal\//,
  // A text that programs of a check load, without ralph.
  /^src\/proof\/counting\/node-kit\.ts$/,
];

test('files are written, and folders made, by process/files.ts', () => {
  const bare = sources()
    .filter((path) => !MAY.some((allowed) => allowed.test(path)))
    .filter((path) => /\b(writeFileSync|appendFileSync)\b|\bmkdirSync\([^;]*recursive/.test(read(path)));
  expect(bare).toEqual([]);
});

test('paths are resolved by the system: on a Mac two spellings of a folder are one, which Node by itself does not know', () => {
  const byNode = sources().filter((path) => /\brealpathSync\(|\brealpath\(/.test(read(path)));
  expect(byNode).toEqual([]);
});

function sources(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
