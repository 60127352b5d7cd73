/** The bundled hooks contain only what loads fast. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { strangersIn } from './hook-contents.ts';

const root = join(import.meta.dirname, '../..');
const hooks = readdirSync(join(root, 'src/hooks'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

test('at least one hook is found', () => {
  expect(hooks).not.toEqual([]);
});

test.each(hooks)('the hook %s contains nothing that is slow to load', (name) => {
  const metafile = JSON.parse(readFileSync(join(root, `dist/hooks/${name}.meta.json`), 'utf8')) as Metafile;
  expect(Object.keys(metafile.inputs)).toContain(`src/hooks/${name}.ts`);
  expect(strangersIn(metafile)).toEqual([]);
  expect(existsSync(join(root, `dist/hooks/${name}.cjs`))).toBe(true);
});

test.each<[stranger: string, files: Record<string, string>]>([
  ['src/config/load.ts', { 'src/hooks/a.ts': `import '../config/load.ts';`, 'src/config/load.ts': 'console.log(1);' }],
  ['src/process/end.ts', { 'src/hooks/a.ts': `import '../process/end.ts';`, 'src/process/end.ts': 'console.log(1);' }],
  ['src/loops/run/open.ts', { 'src/hooks/a.ts': `import '../loops/run/open.ts';`, 'src/loops/run/open.ts': 'x();' }],
  ['node_modules/zod/index.js', { 'src/hooks/a.ts': `import 'zod';`, 'node_modules/zod/index.js': 'x();' }],
  [
    'src/hooks/a.ts imports node:fs/promises',
    { 'src/hooks/a.ts': `import { open } from 'node:fs/promises'; open('');` },
  ],
  [
    'src/state/a.ts imports child_process',
    {
      'src/hooks/a.ts': `import '../state/a.ts';`,
      'src/state/a.ts': `import { fork } from 'child_process'; fork('');`,
    },
  ],
])('refused: %s', async (stranger, files) => {
  expect(strangersIn(await bundle(files))).toEqual([stranger]);
});

test('everything that ARCHITECTURE.md allows in a hook is accepted', async () => {
  const files = {
    'src/hooks/a.ts': `import '../core/a.ts'; import '../state/a.ts'; import '../loops/session/rules.ts';`,
    'src/core/a.ts': 'x();',
    'src/state/a.ts': `import { readSync } from 'node:fs'; import '../process/identity/identity-linux.ts'; readSync(0);`,
    'src/process/identity/identity-linux.ts': 'x();',
    'src/loops/session/rules.ts': 'x();',
  };
  expect(strangersIn(await bundle(files))).toEqual([]);
});

test('only some hooks may load child_process, and only when they need it', () => {
  const imported = (path: string, kind: 'require-call' | 'import-statement') => ({
    inputs: { [path]: { bytes: 1, imports: [{ path: 'node:child_process', kind, external: true }] } },
  });
  expect(strangersIn(imported('src/hooks/io/git.ts', 'require-call'))).toEqual([]);
  expect(strangersIn(imported('src/hooks/io/git.ts', 'import-statement'))).toHaveLength(1);
  expect(strangersIn(imported('src/hooks/pre-tool-use.ts', 'require-call'))).toHaveLength(1);
});

/** Builds src/hooks/a.ts from these files, as the real build does. */
async function bundle(files: Record<string, string>): Promise<Metafile> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-hook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/hooks/a.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
  });
  return metafile;
}
