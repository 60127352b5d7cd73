/** Bundles modules of src/ into one file that node can load, for cases that call them in their own process. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../scripts/setup.mjs';

export async function bundle(folder, files) {
  const { build } = await import('esbuild');
  const [entry, outfile] = [join(folder, 'bundle.ts'), join(folder, 'bundle.cjs')];
  const modules = files.map((path) => JSON.stringify(join(root, path)));
  writeFileSync(entry, modules.map((path) => `export * from ${path};\n`).join(''));
  const nodePaths = [join(root, 'node_modules')];
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    nodePaths,
  });
  return createRequire(import.meta.url)(outfile);
}
