/** Checks scanned sources against ARCHITECTURE.md: which folder may import which others, and use which globals. */
import { posix } from 'node:path';
import type { Found, Scan } from './scan.ts';

/** Lower layers first: a folder may import from the layers below and, unless `apart` is set, from its own layer. */
const LAYERS: readonly { readonly folders: readonly string[]; readonly apart?: true }[] = [
  { folders: ['core'] },
  { folders: ['process', 'stream', 'tmux'] },
  { folders: ['state'] },
  { folders: ['agents', 'runners', 'checks', 'scm', 'bus', 'config', 'guard'], apart: true },
  { folders: ['proof'] },
  { folders: ['engine'] },
  { folders: ['loops/*'], apart: true },
  { folders: ['views'] },
  { folders: ['preflight', 'report', 'notify', 'hooks', 'fleet', 'rehearsal', 'mcp', 'tui'] },
  { folders: ['cli'] },
];

/** The entry point of the library, and what it may export. */
const LIBRARY = 'src/index.ts';
const LIBRARY_IMPORTS = ['core', 'bus', 'config', 'engine', 'loops/*', 'preflight'];

/** Folders without access to a clock, random numbers, files or processes, and the packages that they may use. */
const PURE: Readonly<Record<string, readonly string[]>> = { core: [], guard: ['unbash'] };

/** Globals that would give access to them. */
const IMPURE_GLOBALS = ['process', 'performance', 'crypto', 'console', 'globalThis'];
const IMPURE_CALLS = ['Date', 'Date.now', 'new Date', 'Math.random', 'fetch', 'require'];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];

/** Runs inside opencode, instead of a hook, and so may read the environment. */
const OPENCODE_PLUGIN = 'src/agents/opencode/plugin/plugin.ts';

interface Edge extends Found {
  readonly from: string;
  /** A path in the repository, or the name of a package or built-in module. */
  readonly to: string;
}

export function violations(scans: readonly Scan[]): string[] {
  const edges = scans.flatMap(edgesOf);
  return [
    ...scans.flatMap(misplaced),
    ...edges.flatMap(forbiddenEdge),
    ...mutualFolders(edges),
    ...scans.flatMap((file) => file.uses.flatMap((use) => forbiddenUse(file.path, use))),
  ];
}

function edgesOf({ path, imports }: Scan): Edge[] {
  return imports.map(({ what, line }) => {
    const to = what.startsWith('.') ? posix.join(posix.dirname(path), what) : what;
    return { from: path, to, what, line };
  });
}

function misplaced({ path }: Scan): string[] {
  return path === LIBRARY || layerOf(folderOf(path)) >= 0 ? [] : [`${path} is in no folder of ARCHITECTURE.md`];
}

function forbiddenEdge({ from, to, what, line }: Edge): string[] {
  const refused = (why: string) => [`${from}:${line} imports ${what}: ${why}`];
  const folder = folderOf(from);
  const packages = PURE[folder];
  if (!what.startsWith('.')) {
    if (packages === undefined || packages.includes(what)) return [];
    return refused(`the ${folder} is pure and imports only ${['itself', ...packages].join(' and ')}`);
  }
  if (to === 'package.json' && packages === undefined) return [];
  if (!to.startsWith('src/')) return refused('it is outside of src/');
  if (to === LIBRARY) return refused('the library is for others');
  const target = folderOf(to);
  if (from === LIBRARY) return isAmong(target, LIBRARY_IMPORTS) ? [] : refused(`the library may not show ${target}`);
  if (target === folder) return [];
  const [mine, theirs] = [layerOf(folder), layerOf(target)];
  if (theirs > mine) return refused(`${target} is above ${folder}`);
  if (theirs === mine && LAYERS[mine]?.apart === true) return refused(`${folder} and ${target} are kept apart`);
  return [];
}

/** Folders of the same layer may not import each other both ways. */
function mutualFolders(edges: readonly Edge[]): string[] {
  const pairs = new Set(edges.map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
  return [...pairs].flatMap((pair) => {
    const [a = '', b = ''] = pair.split(' ');
    const isNeighbour = a < b && layerOf(a) === layerOf(b) && layerOf(a) >= 0;
    return isNeighbour && pairs.has(`${b} ${a}`) ? [`${a} and ${b} import each other`] : [];
  });
}

function forbiddenUse(path: string, { what, line }: Found): string[] {
  const folder = folderOf(path);
  const refused = (why: string) => [`${path}:${line} uses ${what}: ${why}`];
  if (folder in PURE && isImpure(what)) return refused(`the ${folder} is pure`);
  if (what === 'process.exit' && path !== 'src/cli/main.ts') return refused('only cli/main.ts ends the process');
  if (what === 'process.env' && folder !== 'config' && folder !== 'hooks' && path !== OPENCODE_PLUGIN)
    return refused('the environment is read in config/');
  if (what === 'process.[…]') return refused('a member of process that is not named could be any');
  return [];
}

function isImpure(what: string): boolean {
  return [...IMPURE_CALLS, ...TIMERS].includes(what) || IMPURE_GLOBALS.some((name) => what.startsWith(`${name}.`));
}

/** `loops/run` for `src/loops/run/rules.ts`; otherwise the top folder in `src`. */
function folderOf(path: string): string {
  const [, folder = '', kind = ''] = path.split('/');
  return folder === 'loops' ? `${folder}/${kind}` : folder;
}

function layerOf(folder: string): number {
  return LAYERS.findIndex(({ folders }) => isAmong(folder, folders));
}

function isAmong(folder: string, folders: readonly string[]): boolean {
  return folders.includes(folder) || (folders.includes('loops/*') && /^loops\/[^./]+$/.test(folder));
}
