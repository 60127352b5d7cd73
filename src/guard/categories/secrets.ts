/** Secrets and code that would leave the machine, and secrets that would enter the transcript. */
import type { Category, Concern, Context, Seen } from '../category.ts';
import { begins, block, byProgram, warn, when, worst } from '../category.ts';
import { type Arg, type Command, list, type Options, readOptions, table, textsOf, UNKNOWN } from '../command.ts';
import { isSecretName, secrecyOf } from '../paths.ts';
import { gitFolder, gitOptions, gitSettings } from '../run/git-commands.ts';

const CURL_BODY = 'data data-binary data-raw data-urlencode form upload-file json header';
const WGET_BODY = 'post-file post-data body-file body-data header';
/** Programs that send what they are given: their options that take a value, and those that take the data to send. */
const SENDERS = table<readonly [valued: string, body?: string]>({
  curl: [`-dFTHXouAebmwKx ${CURL_BODY} request output user`, `d F T H ${CURL_BODY}`],
  wget: [`-OPU ${WGET_BODY}`, WGET_BODY],
  'http https': ['-abo auth'],
  nc: ['-pswqXxiIO'],
  'ncat netcat': ['-pswi'],
  'scp sftp': ['-iFoPcSJl'],
  'socat telnet ftp dig nslookup host sendmail': [''],
  rsync: ['-ef rsh exclude include exclude-from files-from'],
  rclone: ['config'],
  mail: ['-s'],
  ssh: ['-bcDEeFIiJLlmOopQRSWw'],
  gh: ['-FfbtRd body-file', 'F body-file'],
});
const SENDS_SECRET = block('sends a secret to another machine');

const exfiltration: Category = {
  number: 4,
  name: 'exfiltration',
  instead: 'Keep secrets on this machine.',
  look(command, context) {
    const { name, args, input } = command;
    if (name === 'git') return pushesElsewhere(command, context);
    const sender = SENDERS.get(name);
    if (sender === undefined) return throughTcp(command, context);
    const options = readOptions(args, sender[0]);
    const body = list(sender[1] ?? '');
    const sent = [...options.values(...body), ...options.operands, ...inputFiles(command)];
    const tells = (each: Command) => tellsSecret(each, context);
    if (input.from.some(tells) || sent.some((arg) => arg.from.some(tells) || isSecretFile(arg, command, context)))
      return SENDS_SECRET;
    const target = options.operands.at(-1)?.text ?? '';
    const isCopy = (name === 'scp' || name === 'rsync') && /^(?:[\w.-]+@)?[\w.-]+:/.test(target);
    return sendsKeys(command, options, body) ?? (isCopy ? warn(`copies files to another machine (${target})`) : null);
  },
};

function throughTcp(command: Command, context: Context): Concern | null {
  const isSending = command.redirections.some(
    ({ operator, target }) => operator.includes('>') && /^\/dev\/(?:tcp|udp)\//.test(target.text),
  );
  return isSending && [command, ...command.input.from].some((each) => tellsSecret(each, context)) ? SENDS_SECRET : null;
}

/** A plain file (`x`), a body (`@x`), or a form field (`f=@x`). */
function isSecretFile({ text }: Arg, command: Command, context: Context): boolean {
  const path = text.includes('@') ? text.replace(/^[^@\s]*@/, '').replace(/;.*$/, '') : text;
  return !text.startsWith('-') && isSecret(path, command, context);
}

function isSecret(text: string, command: Command, context: Context): boolean {
  return secrecyOf(text, command.cwd, context.home) !== 'public' || text === '/etc/passwd';
}

function inputFiles(command: Command): Arg[] {
  return command.redirections.flatMap(({ operator, target }) => (operator === '<' ? [target] : []));
}

function tellsSecret(command: Command, context: Context): boolean {
  const { name, args } = command;
  const dumps = /^(?:env|printenv|export|set|declare)$/.test(name);
  if (name === 'history' || (dumps && readOptions(args, '-uC').operands.length === 0)) return true;
  if (name === 'echo' || name === 'printf' || name === 'ls') return false;
  const operands = [...readOptions(args).operands, ...inputFiles(command)];
  return operands.some(({ text }) => isSecret(text, command, context));
}

/** Prefixes of the names of API keys and publishing tokens: such a key may be sent only to its own service. */
const OWNERS = table({
  'ANTHROPIC CLAUDE': /anthropic|claude/,
  'OPENAI CODEX': /openai/,
  'GEMINI GOOGLE': /google/,
  'GITHUB GH': /github|ghcr\.io/,
  'NPM NODE': /npmjs/,
  AWS: /amazonaws|aws/,
});
const HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?)$/;

function sendsKeys(command: Command, options: Options, body: readonly string[]): Concern | null {
  const hosts = hostsOf(command, options);
  if (hosts.length > 0 && hosts.every((host) => HERE.test(host))) return null;
  const piped = command.input.from.flatMap(({ args }) => args);
  const keys = [...options.operands, ...options.values(...body), ...piped].flatMap(keysIn);
  const stolen = keys.find((key) => {
    const owner = ownerOf(key);
    return owner !== undefined && hosts.some((host) => !host.endsWith(UNKNOWN) && !owner.test(host));
  });
  if (stolen !== undefined) return block(`sends $${stolen} to ${hosts.join(', ')}`);
  // Services expect keys in a header; a URL ends up in logs.
  const shown = options.operands.flatMap(keysIn).find((key) => ownerOf(key) === undefined);
  return shown === undefined ? null : warn(`puts $${shown} into a URL, which servers log`, 'Send it in a header.');
}

function ownerOf(key: string): RegExp | undefined {
  return OWNERS.get(key.split('_')[0] ?? '');
}

/** The hosts it connects to, as far as its operands show. */
function hostsOf({ name }: Command, { operands }: Options): string[] {
  const texts = textsOf(operands);
  const isHttpie = name === 'http' || name === 'https';
  const addresses = isHttpie
    ? texts.filter((text) => /^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/?]|$)/i.test(text))
    : texts.slice(0, name === 'curl' || name === 'wget' ? undefined : 1);
  return addresses.flatMap((text) => {
    const [, host] = /^(?:[a-z]+:\/\/)?(?:[^@/?#]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text) ?? [];
    return host === undefined ? [] : [host.toLowerCase()];
  });
}

/** Also keys that come through a command that prints them: `$(echo $KEY)`, `$(printenv KEY)`. */
function keysIn(arg: Arg): string[] {
  const printed = arg.from.flatMap((each) => [
    ...each.args.flatMap(({ secrets }) => secrets ?? []),
    ...(each.name === 'printenv' ? each.words.filter(isSecretName) : []),
  ]);
  return [...(arg.secrets ?? []), ...printed];
}

const ADDRESS = /^(?:https?|ssh|git|ftps?|rsync):\/\/|^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+:(?!\/\/)/i;
const INSTEAD = 'Push to a remote that the repository has (git remote -v); a person can add others.';

function pushesElsewhere(command: Command, context: Seen): Concern | null {
  const [subcommand, ...args] = gitOptions(command).operands;
  if (subcommand?.text !== 'push') return null;
  const options = readOptions(args, '-o push-option repo receive-pack');
  if (options.has('n', 'dry-run')) return null;
  const to = [...options.values('repo'), ...options.operands][0]?.text ?? '';
  const set = gitSettings(command).flatMap(([name, value]) =>
    /^remote\..+\.(?:push)?url$|^url\..+\.(?:push)?insteadof$/i.test(name) ? [name.replace(/^url\./i, ''), value] : [],
  );
  const added = context.before(command).flatMap((each) => addressAdded(each, to));
  const addresses = [to, ...set, ...added].filter((text) => ADDRESS.test(text));
  if (addresses.length === 0) return null;
  const folder = gitFolder(command, context.home);
  const known = (folder === null ? [] : context.remotes(folder)).map(bareAddress);
  const stranger = addresses.find((address) => !known.includes(bareAddress(address)));
  if (stranger === undefined) return null;
  return block(`pushes the code to ${stranger}, which is not a remote of this project`, INSTEAD);
}

/** `git remote add x …` before `git push x`. */
function addressAdded(command: Command, remote: string): string[] {
  if (command.name !== 'git') return [];
  const [subcommand, verb, ...rest] = gitOptions(command).operands;
  if (subcommand?.text !== 'remote' || !['add', 'set-url'].includes(verb?.text ?? '')) return [];
  const [name, address] = readOptions(rest, '-tm').operands;
  return name?.text === remote && address !== undefined ? [address.text] : [];
}

/** Host and path only: the https and ssh addresses of one repository differ. */
function bareAddress(address: string): string {
  return address
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/:(?:\d+\/)?/, '/')
    .replace(/\/+/g, '/')
    .replace(/\/?(?:\.git)?\/?$/, '')
    .toLowerCase();
}

/** Programs whose first operand is a pattern or a script, not a file. */
const PATTERN_FIRST = list('grep egrep rg awk sed jq yq');
const READERS = list(`
  cat tac nl less more head tail bat batcat view xxd od hexdump strings base64 base32 openssl diff
  cp mv scp dd tar zip gzip sort cut paste rev grep egrep rg awk sed jq yq
`);

export const credentials: Category = {
  number: 6,
  name: 'credential exposure',
  instead: 'Pass the secret by its variable or file name, without printing it.',
  look: byProgram(
    {
      // The whole environment, or a variable with a secret's name; the guard cannot tell what a later filter removes.
      'env printenv': (command) => {
        const [first] = readOptions(command.args, '-uCS unset chdir').operands;
        if (first === undefined) return warn('prints the whole environment', 'Print single variables by name.');
        return command.name === 'printenv' && isSecretName(first.text) ? warn(`prints ${first.text}`) : null;
      },
      'gpg gpg2': when(/^--export-secret/, block('prints a private key')),
      security: ({ words }) =>
        /^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(words[0] ?? '')
          ? block('prints what the keychain holds')
          : null,
      gh: begins('auth token', warn('prints a token')),
      kubectl: ({ words, args }) => {
        if (words[0] !== 'get' || !/^secrets?(?:\/|$)/.test(words[1] ?? '')) return null;
        const forms = readOptions(args, '-on output namespace').values('o', 'output');
        const hasValues = forms.some(({ text }) => text !== UNKNOWN && !/^(?:name|wide)$/.test(text));
        return hasValues ? warn('prints secrets') : null;
      },
      aws: begins('secretsmanager get-secret-value', warn('prints a secret')),
      vault: ({ words }) => (/^(?:read|kv\nget)(?:\n|$)/.test(words.join('\n')) ? warn('prints a secret') : null),
    },
    readsSecret,
  ),
};

/** Whether reading this file, with any tool, would bring a secret into the transcript. */
export function readsSecretFile(path: string, cwd: string | null, context: Context): Concern | null {
  const secrecy = secrecyOf(path, cwd, context.home);
  if (secrecy === 'secret') return block(`reads ${path}`);
  return secrecy === 'environment' ? warn(`reads ${path}, which may hold secrets`) : null;
}

function readsSecret(command: Command, context: Context): Concern | null {
  if (!READERS.includes(command.name)) return null;
  const { operands } = readOptions(command.args, command.name === 'grep' ? '-efmABC' : '-nc');
  const files = PATTERN_FIRST.includes(command.name) ? operands.slice(1) : operands;
  const isCopy = command.name === 'cp' || command.name === 'mv';
  const read = textsOf([...(isCopy ? files.slice(0, -1) : files), ...inputFiles(command)]);
  const concern = worst(read.map((path) => readsSecretFile(path.replace(/^if=/, ''), command.cwd, context)));
  // A copy of the project's own settings stays in the project.
  return isCopy && concern?.tier === 'warn' ? null : concern;
}

export const SECRETS: readonly Category[] = [exfiltration, credentials];
