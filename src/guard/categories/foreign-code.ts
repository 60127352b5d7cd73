/** Running other people's code unseen, containers that give access to the host, and publishing packages. */
import { block, byProgram, type Category, type Concern, type Context, type Seen, warn, worst } from '../category.ts';
import { type Command, hasWord, list, type Options, partsOf, readOptions, table, textsOf } from '../command.ts';
import { holdsSecrets, isWithin, zoneOf } from '../paths.ts';
import { writesOf } from '../run/programs.ts';
import { programFlow } from '../run/shells.ts';

const DOWNLOADS = list('curl wget http https aria2c fetch lwp-download');
const SOURCES = '-irc registry index-url extra-index-url index find-links trusted-host';
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

const supplyChain: Category = {
  number: 9,
  name: 'package supply chain',
  instead: 'Download it, read it, then run it; take packages from the project’s own registry and lockfile.',
  look: (command, seen) =>
    runsDownload(command, seen) ??
    publishes(command) ??
    changesRegistry(command) ??
    runsPackage(command, seen) ??
    installs(command),
};

function runsDownload(command: Command, seen: Seen): Concern | null {
  const sources = programFlow(command, seen)?.from ?? [];
  if (sources.some(({ name }) => DOWNLOADS.includes(name))) return block('runs a download without looking at it');
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
  const isSet = words[0] === 'config' && words[1] === 'set';
  if (isSet && hasWord(words, /registry|index-url|strict-ssl|cafile/)) return block('changes where packages come from');
  if (!/^(?:npm|pnpm|yarn|bun|pip[\d.]*|pipx|uv|poetry|gem)$/.test(name)) return null;
  const options = readOptions(args, SOURCES);
  const short = name.startsWith('pip') ? ['i'] : [];
  const sources = textsOf(options.values('registry', 'index-url', 'extra-index-url', 'index', ...short));
  if (sources.some((url) => url.startsWith('http://') && !LOCAL.test(url)))
    return block('downloads packages without encryption');
  return sources.some((url) => !USUAL.test(url) && !LOCAL.test(url)) || options.has('trusted-host')
    ? warn('installs packages from an unusual registry')
    : null;
}

/** `npx x` downloads x if the project does not have it. */
function runsPackage({ name: runner, words, args, cwd }: Command, context: Context): Concern | null {
  if (/^(?:pnpm dlx|yarn dlx|pipx run)$/.test(`${runner} ${words[0] ?? ''}`))
    return warn('runs a package that the project does not have');
  const isExec = runner === 'npm' && (words[0] === 'exec' || words[0] === 'x');
  if (runner !== 'npx' && runner !== 'bunx' && !isExec) return null;
  const options = readOptions(isExec ? args.slice(1) : args, '-pc package call', 'leading');
  const [name] = [...options.values('p', 'package'), ...options.operands];
  if (name === undefined || options.has('no-install', 'no', 'version', 'help')) return null;
  const bin = name.text.replace(/^(?:@[^/]+\/)?([^@]+).*$/, '$1');
  const folders = cwd === null ? [context.project] : [cwd, context.project];
  const isHere = folders.some((folder) => context.exists(`${folder}/node_modules/.bin/${bin}`));
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

const DECODERS = /^(?:uudecode|rev|tr|gunzip|zcat|bunzip2|xzcat|unxz|base32)$/;
/** A call, not just the word: a script that only prints "base64" does not count. */
const RUNS_CODE = /\b(?:exec|eval|compile|Function|system|popen|spawn\w*|execSync)\b\s*[(\s'"]/;
const DECODES =
  /b64decode|base64|fromhex|unhexlify|\bpack\b|atob|fromCharCode|\bchr\b|rot13|decompress|decode64|marshal/;

const obfuscation: Category = {
  number: 12,
  name: 'obfuscated execution',
  instead: 'Write the command in plain text.',
  look(command, seen) {
    const isInterpreter = /^(?:python|node|perl|ruby|php|bun|deno)[\d.]*$/.test(command.name);
    const isCode = isInterpreter && command.words.some((text) => RUNS_CODE.test(text) && DECODES.test(text));
    const isDecoded = isCode || programFlow(command, seen)?.from.some(isDecoder) === true;
    return isDecoded ? block('decodes text and runs it') : null;
  },
};

function isDecoder({ name, args, words }: Command): boolean {
  const options = readOptions(args);
  if (name === 'base64') return options.has('d', 'D', 'decode');
  if (name === 'xxd') return options.has('r', 'revert');
  if (name === 'openssl') return words.includes('-d') || words.includes('base64');
  if (name === 'gzip' || name === 'xz') return options.has('d', 'decompress');
  return DECODERS.test(name);
}

const CONTAINER_OPTIONS = list(`
  -vewpuhlacm volume mount env workdir publish user name network net pid ipc userns uts cap-add cap-drop device
  security-opt entrypoint env-file platform memory cpus label restart hostname add-host gpus file project-name
`).join(' ');
const KERNEL_DOORS =
  /^(?:\/proc\/sys\/kernel\/(?:core_pattern|modprobe)|\/proc\/sysrq-trigger|\/sys\/kernel\/uevent_helper|.*\/release_agent)$/s;
const CONTROLS_NODE = /privileged"?\s*[:=]\s*true|hostPID|hostPath/;
const CONTROLS_KERNEL = /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH)$/i;

const containerEscape: Category = {
  number: 8,
  name: 'container escape',
  instead: 'Mount only folders of the project, and keep the container isolated.',
  look: byProgram(
    {
      'docker podman nerdctl ctr': opensContainer,
      nsenter: block('enters another namespace'),
      chroot: block('enters another file system'),
    },
    (command) => {
      if (command.name === 'kubectl' && hasWord(command.words, CONTROLS_NODE))
        return block('starts a pod with full control over its node');
      const door = writesOf(command).find((path) => KERNEL_DOORS.test(path));
      return door === undefined ? null : block(`writes to ${door}`);
    },
  ),
};

function opensContainer(command: Command, context: Context): Concern | null {
  const { words, args } = command;
  // `docker cp ~/.ssh container:/`.
  if (words[0] === 'cp') {
    const [source = ''] = textsOf(readOptions(args.slice(1)).operands);
    const isSecret = holdsSecrets(source, command.cwd, context.home);
    return isSecret ? block(`hands the secrets in ${source} to the container`) : null;
  }
  const at = words.findIndex((text) => ['run', 'create', 'exec'].includes(text));
  if (at === -1) return null;
  const options = readOptions(args.slice(at + 1), CONTAINER_OPTIONS, 'leading');
  if (options.has('privileged') && !words.includes('--privileged=false'))
    return block('starts a container with full control over the host');
  return worst([...mounts(options).map((source) => mountsHost(source, command, context)), sharesHost(options)]);
}

function mounts(options: Options): string[] {
  const binds = options.values('mount').filter(({ text }) => text.includes('type=bind'));
  const volumes = partsOf(options.values('v', 'volume'), /^([^:]*)/);
  return textsOf([...volumes, ...partsOf(binds, /(?:^|,)(?:source|src)=([^,]*)/)]);
}

function mountsHost(text: string, command: Command, context: Context): Concern | null {
  if (/(?:docker|podman|containerd)\.sock$/.test(text)) return block('hands the container engine to the container');
  // A name without a slash is a volume managed by the engine.
  if (!/^[/~.\0]/.test(text)) return null;
  if (holdsSecrets(text, command.cwd, context.home))
    return block(`hands the secrets in ${text} to the container`, 'Mount only what the program needs, without keys.');
  const zone = zoneOf(text, command.cwd, context);
  if (zone === 'root' && isWithin(context.project, text) && text !== '/' && text !== context.home)
    return warn(`mounts ${text}, which is more than the project`);
  return zone === 'root' || zone === 'system' ? block(`mounts ${text} of the host`) : null;
}

function sharesHost(options: Options): Concern | null {
  const has = (pattern: RegExp, ...names: string[]) => options.values(...names).some(({ text }) => pattern.test(text));
  if (has(/^host$/, 'pid', 'userns', 'ipc', 'uts')) return block('shares the host’s processes with the container');
  if (has(CONTROLS_KERNEL, 'cap-add')) return block('gives the container control over the kernel');
  if (has(/unconfined|label[:=]disable/, 'security-opt')) return block('turns off the container’s isolation');
  const hasDisk = has(/^\/dev\/(?:[hsv]d[a-z]|nvme|mem|kmem|mapper)/, 'device');
  return hasDisk ? block('gives the container a disk of the host') : null;
}

export const FOREIGN_CODE: readonly Category[] = [containerEscape, supplyChain, obfuscation];
