/** What may be bundled into the file of a hook: an agent waits for it, so it must start as fast as Node itself. */
import { builtinModules } from 'node:module';
import type { Metafile } from 'esbuild';

const SOURCES = [
  /^src\/hooks\//,
  /^src\/engine\/(loop|control|drive\/sign-of-life)\.ts$/,
  /^src\/core\//,
  /^src\/guard\//,
  /^node_modules\/unbash\//,
  /^src\/state\//,
  /^src\/process\/((blocking|files)\.ts$|identity\/)/,
  /^src\/agents\/(session\/[^/]+|reading\/json-line|[a-z]+\/hook)\.ts$/,
  /^src\/stream\/lines\.ts$/,
  /^src\/config\/user-file\.ts$/,
  /^src\/notify\/(notice-of-loop|spool|start-sender)\.ts$/,
  /^src\/loops\/(session\/[^/]+\.ts$|stories\/list\/)/,
];

/** Slow to load: allowed only as a `require` inside a function, which loads it when it is needed. */
const ON_DEMAND: Readonly<Record<string, readonly string[]>> = {
  'src/hooks/pre-tool-use.ts': ['./pre-tool-use-judge.cjs'],
  'src/hooks/io/git.ts': ['node:child_process'],
  'src/hooks/session/check.ts': ['node:child_process'],
  'src/hooks/session-loop.ts': ['node:child_process'],
  'src/notify/start-sender.ts': ['node:child_process'],
};

/** Fast to load. */
const BUILT_INS = ['assert', 'buffer', 'crypto', 'fs', 'os', 'path', 'url', 'util'];

export function strangersIn(metafile: Pick<Metafile, 'inputs'>): string[] {
  return Object.entries(metafile.inputs).flatMap(([path, { imports }]) => {
    const files = SOURCES.some((allowed) => allowed.test(path)) ? [] : [path];
    const onDemand = (found: (typeof imports)[number]) =>
      found.kind === 'require-call' && ON_DEMAND[path]?.includes(found.path) === true;
    const externals = imports.filter((found) => found.external === true && !onDemand(found)).map((found) => found.path);
    const modules = externals.filter((name) => !isAllowedBuiltIn(name)).map((name) => `${path} imports ${name}`);
    return [...files, ...modules];
  });
}

function isAllowedBuiltIn(specifier: string): boolean {
  const name = specifier.replace(/^node:/, '');
  return builtinModules.includes(name) && BUILT_INS.includes(name);
}
