/** Builds dist/ from src/: the CLI, the hooks, the library with its declarations, the scripted agent. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dist, filesUnder, hashOf, lastBuild, replaceDist } from './dist-folder.mjs';
import { ensureInstalled, root, SetupError } from './setup.mjs';

const CLI = 'src/cli/main.ts';
const LIBRARY = 'src/index.ts';
const SCRIPTED_AGENT = 'src/rehearsal/scripted-agent.ts';
const HOOKS = 'src/hooks';
const CHECKS = 'src/checks/index.ts';
const SETTINGS = 'src/config/write-settings.ts';
const RECEIPT = 'src/proof/receipts/receipt-schema.ts';
const REHEARSAL_SCRIPT = 'src/rehearsal/script/script.ts';
const PLUGIN_CLI = 'src/cli/stories/bundled.ts';
const OPENCODE_PLUGIN = 'src/agents/opencode/plugin/plugin.ts';

/** Packages that DBOS and pg use only if they are installed. */
const OPTIONAL_PACKAGES = [/^winston/, /^@opentelemetry\//, 'pg-native'];

/** Half a megabyte that few runs need: a separate file, loaded when a price is asked for. */
const PRICE_LIST = 'src/agents/pricing/price-list.ts';
/** The ESM form of the package is twice as large as this one. */
const PRICES_ALIAS = { '@pydantic/genai-prices': join(root, 'node_modules/@pydantic/genai-prices/dist/index.cjs') };

/** Builds unless dist is up to date. Returns the sources that were wanted but do not exist. */
export async function build() {
  const inputs = hashOfInputs();
  const missing = lastBuild(inputs)?.missing ?? (await buildAll(inputs));
  for (const path of missing) console.log(`build: skipped ${path}, which does not exist`);
  return missing;
}

async function buildAll(inputs) {
  const began = performance.now();
  const hooks = hookSources();
  const missing = [CLI, LIBRARY, SCRIPTED_AGENT, PLUGIN_CLI, OPENCODE_PLUGIN].filter(
    (path) => !existsSync(join(root, path)),
  );
  const parts = await Promise.all([
    missing.includes(CLI) ? [] : buildCli(),
    sandboxPrograms(),
    missing.includes(LIBRARY) ? [] : buildLibrary(),
    missing.includes(LIBRARY) ? [] : buildDeclarations(),
    missing.includes(SCRIPTED_AGENT) ? [] : buildScriptedAgent(),
    missing.includes(PLUGIN_CLI) ? [] : buildPluginCli(),
    missing.includes(OPENCODE_PLUGIN) ? [] : buildOpencodePlugin(),
    buildSchema('settings.schema.json', settingsSchema),
    buildSchema('receipt.schema.json', async () => (await loaded(RECEIPT)).receiptJsonSchema()),
    buildSchema('rehearsal-script.schema.json', async () => (await loaded(REHEARSAL_SCRIPT)).scriptJsonSchema()),
    ...hooks.map((path) => buildHook(path)),
  ]);
  if (hooks.length === 0) missing.push(`${HOOKS}/*.ts`);
  replaceDist({ inputs, files: new Map(parts.flat()), missing });
  console.log(`build: ${relative(root, dist)}/ in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return missing;
}

/**
 * The programs of a build, built again with a source map beside each (`….map`), to trace them back to src/. The maps
 * change nothing in the programs, and are not shipped.
 */
export async function programsWithMaps() {
  const wanted = { maps: true };
  const builds = [buildCli, buildLibrary, buildScriptedAgent, buildPluginCli, buildOpencodePlugin].map((make) =>
    make(wanted),
  );
  return new Map((await Promise.all([...builds, ...hookSources().map((path) => buildHook(path, wanted))])).flat());
}

/**
 * Commander starts other programs only for commands that are separate executables; ralph has none. This
 * saves a millisecond per start.
 */
const lazyChildProcess = {
  name: 'lazy-child-process',
  transform(code, id) {
    if (!id.endsWith('commander/lib/command.js')) return null;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager)) throw new SetupError('commander no longer loads child_process as the build expects');
    const lazy = "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };";
    return { code: code.replace(eager, lazy), map: null };
  },
};

/**
 * The full zod and its mini form share modules, and a shared module contains what either of them needs: every start
 * would load the full one. So the full one gets its own copies.
 */
const FULL = '?full';
const fullZodApart = {
  name: 'full-zod-apart',
  async resolveId(source, importer) {
    const isInside = importer?.endsWith(FULL) === true;
    if (source !== 'zod' && !isInside) return null;
    const resolved = await this.resolve(source, isInside ? importer.slice(0, -FULL.length) : importer, {
      skipSelf: true,
    });
    return { id: `${resolved.id}${FULL}`, moduleSideEffects: false };
  },
  load: (id) => (id.endsWith(FULL) ? readFileSync(id.slice(0, -FULL.length), 'utf8') : null),
};

/** The sandbox runtime uses it for certificates to open TLS, which ralph never does; it is half of the code to load. */
const FORGE = '\0no-forge';
const withoutForge = {
  name: 'without-forge',
  resolveId: (source) => (source === 'node-forge' ? FORGE : null),
  load: (id) => (id === FORGE ? 'export default { asn1: {}, md: {}, pki: {}, random: {}, util: {} };' : null),
};

/** The code that folds the records of `ralph run`, and what other rules share with it. */
const MACHINE = ['loops/run/rules', 'engine/store/folded-status', 'agents/session/host'];
/** With everything that they import: what the rules of other loop kinds share with the code that drives a loop. */
const RULES = ['loops/stories/state', 'core/text/json-fault', 'engine/fallbacks'];

/**
 * Each file costs a start a third of a millisecond, and each half megabyte of code six: so there is one file
 * for what a list of loops needs, another for the other command lines, then those for folding a loop's
 * records and for driving a loop.
 */
const CHUNKS = [
  { name: 'views', test: /src\/cli\/(quick|loops\/(ls|status))\.ts$/, priority: 5 },
  { name: 'machine', test: new RegExp(`src/(${MACHINE.join('|')})\\.ts$`), priority: 4 },
  { name: 'show', test: /src\/cli\/loops\/show\.ts$/, priority: 3.5 },
  { name: 'program', test: /src\/cli\/program\/parse\.ts$/, priority: 3 },
  { name: 'rules', test: new RegExp(`src/(${RULES.join('|')})\\.ts$`), priority: 2 },
  { name: 'loop', test: /src\/cli\/run\.ts$/, priority: 1 },
];

/** A start reads a megabyte; minified to half, a `ralph run` takes 7 % less. Names in a stack trace stay readable. */
const SMALL = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
};

/** CommonJS chunks, one per lazily imported command: esbuild can split only ESM, which starts slower. */
async function buildCli({ maps = false } = {}) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: { main: CLI },
    platform: 'node',
    external: OPTIONAL_PACKAGES,
    // Its main file requires its other files in a way that no bundler understands.
    resolve: {
      alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'), ...PRICES_ALIAS },
    },
    transform: { target: 'node20' },
    plugins: [lazyChildProcess, fullZodApart, withoutForge],
    // One command can load a module lazily and another at once: the chunks below decide what a start loads.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups: CHUNKS },
    minify: SMALL,
    sourcemap: maps && 'hidden',
  });
  await bundle.close();
  const files = output.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk.code : String(chunk.source)]);
  return [...files, ...helpTexts(files)].map(([name, content]) => [`cli/${name}`, content]);
}

/**
 * The files that the sandbox runtime looks for beside its code: the program that keeps a sandboxed one from Unix
 * sockets, and the agent that tells Java about the proxy.
 */
async function sandboxPrograms() {
  const from = join(root, 'node_modules/@anthropic-ai/sandbox-runtime');
  const wanted = [
    'vendor/seccomp/x64/apply-seccomp',
    'vendor/seccomp/arm64/apply-seccomp',
    'vendor/java-proxy-agent/srt-proxy-agent.jar',
  ];
  return [
    ...wanted.map((path) => [`cli/${path}`, readFileSync(join(from, path))]),
    ['cli/vendor/LICENSE', readFileSync(join(from, 'LICENSE'), 'utf8')],
  ];
}

/** The output of `ralph --help` and `swarm --help`, generated once: the starter answers without loading the CLI. */
function helpTexts(files) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-help-'));
  try {
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
    return ['ralph', 'swarm'].flatMap((binary) => {
      const say = `process.argv.splice(1, 0, '${binary}'); require(${JSON.stringify(join(folder, 'main.cjs'))}).main('${binary}')`;
      const helpWith = (env) => execFileSync(process.execPath, ['-e', say, '--', '--help'], { encoding: 'utf8', env });
      return [
        [`help-${binary}.txt`, helpWith({ NO_COLOR: '1' })],
        [`help-${binary}-color.txt`, helpWith({ FORCE_COLOR: '1' })],
      ];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildLibrary({ maps = false } = {}) {
  // A bundled CommonJS package loads Node's own modules by `require`.
  const banner = {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  };
  const { files } = await bundleWithEsbuild(LIBRARY, 'index.js', { ...priceListApart, format: 'esm', banner, maps });
  return [...files, ...(await priceList('price-list.cjs'))];
}

async function buildScriptedAgent({ maps = false } = {}) {
  return (await bundleWithEsbuild(SCRIPTED_AGENT, 'scripted-agent.cjs', { format: 'cjs', maps })).files;
}

/** For the plugin: a single file, which finds the files around it by its own folder. */
async function buildPluginCli({ maps = false } = {}) {
  const define = { 'import.meta.dirname': '__dirname' };
  const banner = { js: `// Built from ${PLUGIN_CLI} of ralph-harness.` };
  // It is committed, so smaller is better; names in a stack trace stay readable.
  const small = { minify: true, keepNames: true, banner };
  const options = { ...priceListApart, format: 'cjs', define, ...small, maps };
  const { files } = await bundleWithEsbuild(PLUGIN_CLI, 'plugin-cli/stories.cjs', options);
  return [...files, ...(await priceList('plugin-cli/price-list.cjs'))];
}

/** For bundles of one file, which load the price list from a file beside them. */
const priceListApart = {
  plugins: [
    {
      name: 'price-list-apart',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/price-list\.ts$/ }, () => ({ path: './price-list.cjs', external: true })),
    },
  ],
};

async function priceList(file) {
  const banner = { js: `// Built from ${PRICE_LIST} of ralph-harness.` };
  const options = { format: 'cjs', minify: true, alias: PRICES_ALIAS, banner };
  return (await bundleWithEsbuild(PRICE_LIST, file, options)).files;
}

/** opencode loads this file into its own process, by its path. */
async function buildOpencodePlugin({ maps = false } = {}) {
  return (await bundleWithEsbuild(OPENCODE_PLUGIN, 'hooks/ralph-opencode.js', { format: 'esm', maps })).files;
}

/** The JSON Schema of a file that people write, generated from the schema with which the program validates it. */
async function buildSchema(name, make) {
  return [[name, `${JSON.stringify(await make(), null, 2)}\n`]];
}

async function settingsSchema() {
  const [{ settingsJsonSchema }, { CHECK_KINDS }] = await Promise.all([SETTINGS, CHECKS].map(loaded));
  return settingsJsonSchema(CHECK_KINDS);
}

/** What a source exports. */
async function loaded(source) {
  const { files } = await bundleWithEsbuild(source, source, { format: 'esm' });
  const [[, code]] = files;
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

/**
 * One self-contained file, and the list of what went into it, for the test that checks that. The guard is two
 * files, of which the second is loaded only when needed. They are minified because an agent waits for each of them:
 * what is not read costs no time.
 */
async function buildHook(path, { maps = false } = {}) {
  const name = basename(path, '.ts');
  const { files, metafile } = await bundleWithEsbuild(path, `hooks/${name}.cjs`, {
    format: 'cjs',
    external: ['./pre-tool-use-judge.cjs'],
    minify: true,
    banner: { js: `// Built from ${path} of ralph-harness.` },
    maps,
  });
  return [...files, [`hooks/${name}.meta.json`, JSON.stringify(metafile, null, 1)]];
}

/** The bundle as a file of dist/, and its source map if one is wanted. */
async function bundleWithEsbuild(entry, file, { maps = false, ...options }) {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    ...(maps ? { sourcemap: 'external', outfile: join(dist, file) } : {}),
    ...options,
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    logLevel: 'warning',
  });
  const code = outputFiles.find(({ path }) => !path.endsWith('.map')).text;
  const map = outputFiles.find(({ path }) => path.endsWith('.map'))?.text;
  return { files: [[file, code], ...(map === undefined ? [] : [[`${file}.map`, map]])], metafile };
}

/** Declarations are emitted without a full check: type errors are reported by the static tier, all at once. */
async function buildDeclarations() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-types-'));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', folder];
    await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => {
      throw new SetupError(`the declarations could not be built\n${error.stdout}${error.stderr}`);
    });
    // The root of the program is the repository, because package.json may be imported; dist/types/ begins at src/.
    const from = join(folder, 'src');
    return filesUnder(from).map((path) => [`types/${relative(from, path)}`, readFileSync(path, 'utf8')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hookSources() {
  const folder = join(root, HOOKS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${HOOKS}/${name}`);
}

function hashOfInputs() {
  const configuration = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const builders = ['scripts/build.mjs', 'scripts/dist-folder.mjs'];
  const sources = filesUnder(join(root, 'src')).filter((path) => !path.endsWith('.test.ts'));
  const paths = [...[...configuration, ...builders].map((path) => join(root, path)), ...sources.sort()];
  return hashOf(paths.map((path) => `${relative(root, path)} ${hashOf(readFileSync(path))}`).join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  await build();
}
