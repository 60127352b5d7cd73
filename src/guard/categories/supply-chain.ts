/** Other people's code, run unseen; and ours, published unasked. */
import { block, type Category, type Concern, type Context, type Seen, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { programFlow } from '../run/shells.ts';
import { list, table } from '../tables.ts';

const DOWNLOADS = list('curl wget http https aria2c fetch lwp-download');
/** Options that say where packages come from. */
const SOURCES = { letters: 'irc', names: list('registry index-url extra-index-url index find-links trusted-host') };
const PUBLISHES = table({
  npm: /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/,
  'pnpm bun poetry uv flit vsce': /^publish\b/,
  yarn: /^(?:publish|npm publish)\b/,
  cargo: /^(?:publish|yank)\b/,
  gem: /^(?:push|yank)\b/,
  twine: /^upload\b/,
  mvn: /(?:^| )deploy\b/,
  docker: /^push\b/,
});
const LOCAL = /^http:\/\/(?:localhost|127\.)/;
const USUAL =
  /^https:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|test\.pypi\.org|download\.pytorch\.org|rubygems\.org)(?:\/|$)/;

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
  const flow = programFlow(command, seen);
  const isDownloaded = flow?.from.some(({ name }) => DOWNLOADS.includes(name)) === true;
  if (isDownloaded) return block('runs a download without looking at it');
  const addsKey = command.name === 'apt-key' || command.name === 'add-apt-repository';
  return addsKey ? block('adds a source of system packages') : null;
}

function publishes({ name, words }: Command): Concern | null {
  const pattern = PUBLISHES.get(name);
  if (pattern === undefined || words.includes('--dry-run')) return null;
  const isPublishing = pattern.test(words.filter((text) => !text.startsWith('-')).join(' '));
  return isPublishing ? block('publishes a package', 'Leave publishing to a person.') : null;
}

function changesRegistry({ name, words, args }: Command): Concern | null {
  const isConfig = words[0] === 'config' && words[1] === 'set';
  if (isConfig && words.some((text) => /registry|index-url|strict-ssl|cafile/.test(text)))
    return block('changes where packages come from');
  if (!/^(?:npm|pnpm|yarn|bun|pip[\d.]*|pipx|uv|poetry|gem)$/.test(name)) return null;
  const options = readOptions(args, SOURCES);
  const short = name.startsWith('pip') ? ['i'] : [];
  const sources = options.values('registry', 'index-url', 'extra-index-url', 'index', ...short).map(({ text }) => text);
  if (sources.some((url) => url.startsWith('http://') && !LOCAL.test(url)))
    return block('downloads packages without encryption');
  return sources.some((url) => !USUAL.test(url) && !LOCAL.test(url)) || options.has('trusted-host')
    ? warn('installs packages from an unusual registry')
    : null;
}

/** `npx x` fetches x where the project has none. */
function runsPackage({ name: runner, words, args, cwd }: Command, context: Context): Concern | null {
  if (/^(?:pnpm dlx|yarn dlx|pipx run)$/.test(`${runner} ${words[0] ?? ''}`))
    return warn('runs a package that the project does not have');
  const isExec = runner === 'npm' && (words[0] === 'exec' || words[0] === 'x');
  if (runner !== 'npx' && runner !== 'bunx' && !isExec) return null;
  const options = readOptions(isExec ? args.slice(1) : args, {
    letters: 'pc',
    names: ['package', 'call'],
    isPrefix: true,
  });
  const [name] = [...options.values('p', 'package'), ...options.operands];
  if (name === undefined || options.has('no-install', 'no', 'version', 'help')) return null;
  const bin = name.text.replace(/^(?:@[^/]+\/)?([^@]+).*$/, '$1');
  const isHere = [cwd, context.project].some(
    (folder) => folder !== null && context.exists(`${folder}/node_modules/.bin/${bin}`),
  );
  return isHere ? null : warn(`runs the package ${name.text}, which the project does not have`);
}

function installs({ name, words, args }: Command): Concern | null {
  if (!/^(?:install|i|add)$/.test(words[0] ?? '')) return null;
  const options = readOptions(args.slice(1), SOURCES);
  const isNode = /^(?:npm|pnpm|yarn|bun)$/.test(name);
  if (isNode && options.has('g', 'global')) return warn('installs for the whole machine');
  if (/^pip[\d.]*$/.test(name) && options.has('break-system-packages'))
    return warn('installs into the system’s Python');
  const isAny = isNode || /^(?:pip[\d.]*|uv|poetry)$/.test(name);
  const fromUrl = options.operands.find(({ text }) => /^(?:git\+|https?:|git:|github:)/.test(text));
  return isAny && fromUrl !== undefined ? warn(`installs from ${fromUrl.text} instead of the registry`) : null;
}
