/** What may go into a hook's one file: it decides while an agent waits, so it starts as fast as node itself. */
import { builtinModules } from 'node:module';
import type { Metafile } from 'esbuild';

const SOURCES = [
  /^src\/hooks\//,
  /^src\/core\//,
  /^src\/state\//,
  /^src\/process\/identity[^/]*\.ts$/,
  /^src\/doors\/[^/]+\/rules[^/]*(\.ts$|\/)/,
];

/** Used synchronously, and cheap to load. */
const BUILT_INS = ['assert', 'buffer', 'crypto', 'fs', 'os', 'path', 'url', 'util'];

export function strangersIn(metafile: Pick<Metafile, 'inputs'>): string[] {
  return Object.entries(metafile.inputs).flatMap(([path, { imports }]) => {
    const files = SOURCES.some((allowed) => allowed.test(path)) ? [] : [path];
    const externals = imports.filter(({ external }) => external === true).map((found) => found.path);
    const modules = externals.filter((name) => !isAllowedBuiltIn(name)).map((name) => `${path} imports ${name}`);
    return [...files, ...modules];
  });
}

function isAllowedBuiltIn(specifier: string): boolean {
  const name = specifier.replace(/^node:/, '');
  return builtinModules.includes(name) && BUILT_INS.includes(name);
}
