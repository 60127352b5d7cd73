/** Sources access files through process/files.ts, whose errors name the file, and which never blocks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Code, kept as text, that the programs of a check load; it cannot import from ralph. */
const NODE_KIT = 'src/proof/counting/node-kit.ts';
/** Exceptions: files of the kernel, files whose errors are ignored, and code that no loop depends on. */
const MAY = [
  /^src\/process\/(files|containment\/cgroup)\.ts$/,
  /^src\/hooks\/io\/session-file\.ts$/,
  /^src\/rehearsal\//,
];

test('only process/files.ts writes files and creates folders', () => {
  const bare = sources()
    .filter((path) => path !== NODE_KIT && !MAY.some((allowed) => allowed.test(path)))
    .filter((path) => /\b(writeFileSync|appendFileSync)\b|\bmkdirSync\([^;]*recursive/.test(read(path)));
  expect(bare).toEqual([]);
});

test('only realPath of process/files.ts asks the system to follow links, except in hooks, which do not load it', () => {
  const own = ['src/process/files.ts', 'src/hooks/pre-tool-use.ts', 'src/hooks/session-start.ts', NODE_KIT];
  const bare = sources().filter((path) => /\brealpath(?:Sync)?\.native\b/.test(read(path)) && !own.includes(path));
  expect(bare).toEqual([]);
});

test('no source uses the realpath of Node, which does not know that on a Mac two spellings can be one folder', () => {
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
