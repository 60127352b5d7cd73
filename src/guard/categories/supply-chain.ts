/** Other people's code, run unseen; and ours, published unasked. */
import { block, type Category, type Concern, type Context, type Seen, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { programFlow } from '../run/shells.ts';

const DOWNLOADS = ['curl', 'wget', 'http', 'https', 'aria2c', 'fetch', 'lwp-download'];
/** Options that say where packages come from. */
const SOURCES = ['registry', 'index-url', 'extra-index-url', 'index', 'find-links', 'trusted-host'];
const PUBLISHES: Readonly<Record<string, RegExp>> = {
  npm: /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/,
  pnpm: /^publish\b/,
  yarn: /^(?:publish|npm publish)\b/,
  bun: /^publish\b/,
  cargo: /^(?:publish|yank)\b/,
  gem: /^(?:push|yank)\b/,
  twine: /^upload\b/,
  poetry: /^publish\b/,
  uv: /^publish\b/,
  flit: /^publish\b/,
  mvn: /(?:^| )deploy\b/,
  docker: /^push\b/,
  vsce: /^publish\b/,
};

export const supplyChain: Category = {
  number: 9,
  name: 'package supply chain',
  instead: 'Download it, read it, then run it; take packages from the project’s own registry and lockfile.',
  look(command, context, seen) {
    return (
      runsDownload(command, seen) ??
      publishes(command) ??
      changesRegistry(command) ??
      runsPackage(command, context) ??
      installs(command)
    );
  },
};

function runsDownload(command: Command, seen: Seen): Concern | null {
  const flow = programFlow(command, (path) => seen.written(path, command.cwd));
  const isDownloaded = flow?.from.some(({ name }) => DOWNLOADS.includes(name)) === true;
  if (isDownloaded) return block('runs a download without looking at it');
  const addsKey = command.name === 'apt-key' || command.name === 'add-apt-repository';
  return addsKey ? block('adds a source of system packages') : null;
}

function publishes(command: Command): Concern | null {
  const pattern = Object.hasOwn(PUBLISHES, command.name) ? PUBLISHES[command.name] : undefined;
  if (pattern === undefined) return null;
  const words = command.args.map(({ text }) => text);
  if (words.includes('--dry-run')) return null;
  const isPublishing = pattern.test(words.filter((text) => !text.startsWith('-')).join(' '));
  return isPublishing ? block('publishes a package', 'Leave publishing to a person.') : null;
}

function changesRegistry(command: Command): Concern | null {
  const words = command.args.map(({ text }) => text);
  const isConfig = words[0] === 'config' && words[1] === 'set';
  if (isConfig && words.some((text) => /registry|index-url|strict-ssl|cafile/.test(text)))
    return block('changes where packages come from');
  const options = readOptions(command.args, { letters: 'irc', names: SOURCES });
  const isInstaller = /^(?:npm|pnpm|yarn|bun|pip[\d.]*|pipx|uv|poetry|gem)$/.test(command.name);
  if (!isInstaller) return null;
  const sources = options.values(
    'registry',
    'index-url',
    'extra-index-url',
    'index',
    ...(command.name.startsWith('pip') ? ['i'] : []),
  );
  if (sources.some(({ text }) => text.startsWith('http://') && !/^http:\/\/(?:localhost|127\.)/.test(text)))
    return block('downloads packages without encryption');
  return sources.some(({ text }) => !isUsual(text)) || options.has('trusted-host')
    ? warn('installs packages from an unusual registry')
    : null;
}

function isUsual(url: string): boolean {
  return (
    /^https:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|test\.pypi\.org|download\.pytorch\.org|rubygems\.org)(?:\/|$)/.test(
      url,
    ) || /^http:\/\/(?:localhost|127\.)/.test(url)
  );
}

/** `npx x` fetches x where the project has none. */
function runsPackage(command: Command, context: Context): Concern | null {
  const words = command.args.map(({ text }) => text);
  const isDownloading =
    (words[0] === 'dlx' && ['pnpm', 'yarn'].includes(command.name)) || (words[0] === 'run' && command.name === 'pipx');
  if (isDownloading) return warn('runs a package that the project does not have');
  const isExec = command.name === 'npm' && (words[0] === 'exec' || words[0] === 'x');
  if (!['npx', 'bunx'].includes(command.name) && !isExec) return null;
  const options = readOptions(isExec ? command.args.slice(1) : command.args, {
    letters: 'pc',
    names: ['package', 'call'],
    isPrefix: true,
  });
  const [name] = [...options.values('p', 'package'), ...options.operands];
  if (name === undefined || options.has('no-install', 'no', 'version', 'help')) return null;
  const bin = name.text.replace(/^(?:@[^/]+\/)?([^@]+).*$/, '$1');
  const folders = [command.cwd, context.project].filter((folder) => folder !== null);
  const isHere = folders.some((folder) => context.exists(`${folder}/node_modules/.bin/${bin}`));
  return isHere ? null : warn(`runs the package ${name.text}, which the project does not have`);
}

function installs(command: Command): Concern | null {
  const words = command.args.map(({ text }) => text);
  const isInstall = ['install', 'i', 'add'].includes(words[0] ?? '');
  if (!isInstall) return null;
  const options = readOptions(command.args.slice(1), { letters: 'irc', names: SOURCES });
  const isNode = ['npm', 'pnpm', 'yarn', 'bun'].includes(command.name);
  if (isNode && options.has('g', 'global')) return warn('installs for the whole machine');
  if (/^pip[\d.]*$/.test(command.name) && options.has('break-system-packages'))
    return warn('installs into the system’s Python');
  const isAny = isNode || /^(?:pip[\d.]*|uv|poetry)$/.test(command.name);
  const fromUrl = options.operands.find(({ text }) => /^(?:git\+|https?:|git:|github:)/.test(text));
  return isAny && fromUrl !== undefined ? warn(`installs from ${fromUrl.text} instead of the registry`) : null;
}
