/** Keys on their way to others, recognised by the names of the variables that hold them. */
import { block, type Concern, warn } from './category.ts';
import { type Arg, type Command, UNKNOWN } from './command.ts';
import type { Options } from './options.ts';
import { isSecretName } from './secrets.ts';
import { table } from './tables.ts';

/** Keys that people have for agents and for publishing, by how their names begin: they go to their owner alone. */
const OWNERS = table({
  'ANTHROPIC CLAUDE': /anthropic|claude/,
  'OPENAI CODEX': /openai/,
  'GEMINI GOOGLE': /google/,
  'GITHUB GH': /github|ghcr\.io/,
  'NPM NODE': /npmjs/,
  AWS: /amazonaws|aws/,
});
const HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?)$/;

/** A key in an address, a body or a header, by the name of its variable. */
export function sendsKeys(command: Command, options: Options, body: readonly string[]): Concern | null {
  const hosts = hostsOf(command, options);
  if (hosts.length > 0 && hosts.every((host) => HERE.test(host))) return null;
  const piped = command.input.from.flatMap((each) => each.args.flatMap(keysIn));
  const keys = [...options.operands, ...options.values(...body)].flatMap(keysIn).concat(piped);
  const stolen = keys.find((key) => {
    const owner = ownerOf(key);
    return owner !== undefined && hosts.some((host) => !host.endsWith(UNKNOWN) && !owner.test(host));
  });
  if (stolen !== undefined) return block(`sends $${stolen} to ${hosts.join(', ')}`);
  // A header is where a service asks for its key; an address ends up in logs.
  const shown = options.operands.flatMap(keysIn).find((key) => ownerOf(key) === undefined);
  return shown === undefined ? null : warn(`puts $${shown} into a URL, which servers log`, 'Send it in a header.');
}

function ownerOf(key: string): RegExp | undefined {
  return OWNERS.get(key.split('_')[0] ?? '');
}

/** Whom it talks to, as far as its operands say. */
function hostsOf({ name }: Command, { operands }: Options): string[] {
  const texts = operands.map(({ text }) => text);
  const isHttpie = name === 'http' || name === 'https';
  const addresses = isHttpie
    ? texts.filter((text) => /^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/?]|$)/i.test(text))
    : texts.slice(0, name === 'curl' || name === 'wget' ? undefined : 1);
  return addresses.flatMap((text) => {
    const [, host] = /^(?:[a-z]+:\/\/)?(?:[^@/?#]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text) ?? [];
    return host === undefined ? [] : [host.toLowerCase()];
  });
}

/** Also through what prints it: `$(echo $KEY)`, `$(printenv KEY)`. */
function keysIn(arg: Arg): string[] {
  const printed = arg.from.flatMap((each) => [
    ...each.args.flatMap(({ secrets }) => secrets ?? []),
    ...(each.name === 'printenv' ? each.words.filter(isSecretName) : []),
  ]);
  return [...(arg.secrets ?? []), ...printed];
}
