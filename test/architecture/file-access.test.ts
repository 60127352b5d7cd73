/** Code that writes a file by Node's own means forgets to say which one it was; making folders so may block for ever. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** A text that programs of a check load, without ralph. */
const NODE_KIT = 'src/proof/counting/node-kit.ts';
/** Where the file is the kernel's, trouble is silence, or no loop is at stake. */
const MAY = [
  /^src\/process\/(files|containment\/cgroup)\.ts$/,
  /^src\/hooks\/io\/session-file\.ts$/,
  /^src\/rehearsal\//,
];

test('files are written, and folders made, by process/files.ts', () => {
  const bare = sources()
    .filter((path) => path !== NODE_KIT && !MAY.some((allowed) => allowed.test(path)))
    .filter((path) => /\b(writeFileSync|appendFileSync)\b|\bmkdirSync\([^;]*recursive/.test(read(path)));
  expect(bare).toEqual([]);
});

test('links are followed by realPath of process/files.ts, which asks the system; hooks do without that file', () => {
  const own = ['src/process/files.ts', 'src/hooks/pre-tool-use.ts', 'src/hooks/session-start.ts', NODE_KIT];
  const bare = sources().filter((path) => /\brealpath(?:Sync)?\.native\b/.test(read(path)) && !own.includes(path));
  expect(bare).toEqual([]);
});

test('Node itself does not follow links: on a Mac two spellings of a folder are one, which it does not know', () => {
  const byNode = sources().filter((path) => /\brealpath(?:Sync)?\(/.test(read(path)));
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
