/** Keys on their way to somebody else, told by the names of the variables that hold them. */
import { block, type Concern, warn } from './category.ts';
import { type Arg, type Command, UNKNOWN } from './command.ts';
import type { Options } from './options.ts';
import { isSecretName } from './secrets.ts';

/** Keys that people have for agents and for publishing: they go to their owner, and to nobody else. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  ANTHROPIC: /anthropic|claude/,
  CLAUDE: /anthropic|claude/,
  OPENAI: /openai/,
  CODEX: /openai/,
  GEMINI: /google/,
  GOOGLE: /google/,
  GITHUB: /github|ghcr\.io/,
  GH: /github|ghcr\.io/,
  NPM: /npmjs/,
  NODE: /npmjs/,
  AWS: /amazonaws|aws/,
};

/** A key in an address, a body or a header, by the name of its variable. */
export function sendsKeys(command: Command, options: Options, body: readonly string[]): Concern | null {
  const hosts = hostsOf(command, options);
  const isHere = hosts.length > 0 && hosts.every((host) => HERE.test(host));
  if (isHere) return null;
  const piped = command.input.from.flatMap((each) => each.args.flatMap(keysIn));
  const keys = [...options.operands, ...options.values(...body)].flatMap(keysIn).concat(piped);
  const stolen = keys.find((key) => {
    const owner = OWNERS[key.split('_')[0] ?? ''];
    return owner !== undefined && hosts.some((host) => !host.endsWith(UNKNOWN) && !owner.test(host));
  });
  if (stolen !== undefined) return block(`sends $${stolen} to ${hosts.join(', ')}`);
  // A header is where a service asks for its key; an address ends up in logs.
  const shown = options.operands.flatMap(keysIn).find((key) => OWNERS[key.split('_')[0] ?? ''] === undefined);
  return shown === undefined ? null : warn(`puts $${shown} into a URL, which servers log`, 'Send it in a header.');
}

const HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?)$/;

/** Whom it talks to, as far as its operands say. */
function hostsOf({ name }: Command, { operands }: Options): string[] {
  const texts = operands.map(({ text }) => text);
  const isSpoken = name === 'http' || name === 'https';
  const addresses = isSpoken
    ? texts.filter((text) => /^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/?]|$)/i.test(text))
    : texts;
  return (['curl', 'wget'].includes(name) || isSpoken ? addresses : addresses.slice(0, 1)).flatMap((text) => {
    const [, host] = /^(?:[a-z]+:\/\/)?(?:[^@/?#]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text) ?? [];
    return host === undefined ? [] : [host.toLowerCase()];
  });
}

/** Also through what prints it: `$(echo $KEY)`, `$(printenv KEY)`. */
function keysIn(arg: Arg): string[] {
  const printed = arg.from.flatMap((each) => [
    ...each.args.flatMap(({ secrets }) => secrets ?? []),
    ...(each.name === 'printenv' ? each.args.map(({ text }) => text).filter(isSecretName) : []),
  ]);
  return [...(arg.secrets ?? []), ...printed];
}
