/** Secrets on their way into the transcript. */
import { block, type Category, type Concern, type Context, warn } from '../category.ts';
import { type Command, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { isSecretName, secrecyOf } from '../secrets.ts';

const READERS = [
  'cat',
  'tac',
  'nl',
  'less',
  'more',
  'head',
  'tail',
  'bat',
  'batcat',
  'xxd',
  'od',
  'hexdump',
  'strings',
  'base64',
  'base32',
  'cp',
  'mv',
  'tar',
  'zip',
  'gzip',
  'sort',
  'cut',
  'awk',
  'sed',
  'grep',
  'egrep',
  'rg',
  'view',
  'paste',
  'rev',
  'dd',
  'diff',
  'openssl',
  'jq',
  'yq',
  'scp',
];
/** Their first operand is a pattern or a script, no file. */
const PATTERN_FIRST = ['grep', 'egrep', 'rg', 'awk', 'sed', 'jq', 'yq'];

export const credentials: Category = {
  number: 6,
  name: 'credential exposure',
  instead: 'Pass the secret by its variable or file name, without printing it.',
  look(command, context) {
    const words = command.args.map(({ text }) => text);
    switch (command.name) {
      case 'env':
      case 'printenv':
        return dumpsEnvironment(command);
      case 'gpg':
      case 'gpg2':
        return words.some((text) => text.startsWith('--export-secret')) ? block('prints a private key') : null;
      case 'security':
        return /^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(words[0] ?? '')
          ? block('prints what the keychain holds')
          : null;
      case 'gh':
        return words[0] === 'auth' && words[1] === 'token' ? warn('prints a token') : null;
      case 'kubectl':
        return words[0] === 'get' && /^secrets?(?:\/|$)/.test(words[1] ?? '') && readsValues(command)
          ? warn('prints secrets')
          : null;
      case 'aws':
        return words[0] === 'secretsmanager' && words[1] === 'get-secret-value' ? warn('prints a secret') : null;
      case 'vault':
        return words[0] === 'read' || (words[0] === 'kv' && words[1] === 'get') ? warn('prints a secret') : null;
      default:
        return readsSecret(command, context);
    }
  },
};

/** Does reading this file, by whatever tool, bring a secret into the transcript? */
export function readsSecretFile(path: string, cwd: string | null, context: Context): Concern | null {
  const secrecy = secrecyOf(path, cwd, context.home);
  if (secrecy === 'secret') return block(`reads ${path}`);
  return secrecy === 'environment' ? warn(`reads ${path}, which may hold secrets`) : null;
}

function readsSecret(command: Command, context: Context): Concern | null {
  if (!READERS.includes(command.name)) return null;
  const { operands } = readOptions(command.args, { letters: command.name === 'grep' ? 'efmABC' : 'nc' });
  const files = PATTERN_FIRST.includes(command.name) ? operands.slice(1) : operands;
  const inputs = command.redirections.flatMap(({ operator, target }) => (operator === '<' ? [target] : []));
  const isCopy = command.name === 'cp' || command.name === 'mv';
  const read = [...(isCopy ? files.slice(0, -1) : files), ...inputs].map(({ text }) => text.replace(/^if=/, ''));
  const concerns = read
    .map((path) => readsSecretFile(path, command.cwd, context))
    .filter((concern) => concern !== null);
  const worst = concerns.find(({ tier }) => tier === 'block') ?? concerns[0] ?? null;
  // A copy of the project's own settings stays in the project.
  return isCopy && worst?.tier === 'warn' ? null : worst;
}

/** All of it, or a name that says secret; a guard does not see what a filter after it leaves. */
function dumpsEnvironment(command: Command): Concern | null {
  const { operands } = readOptions(command.args, { letters: 'uCS', names: ['unset', 'chdir'] });
  const [first] = operands;
  if (command.name === 'printenv' && first !== undefined && isSecretName(first.text))
    return warn(`prints ${first.text}`);
  return first === undefined ? warn('prints the whole environment', 'Print single variables by name.') : null;
}

function readsValues(command: Command): boolean {
  return readOptions(command.args, { letters: 'on', names: ['output', 'namespace'] })
    .values('o', 'output')
    .some(({ text }) => text !== UNKNOWN && !/^(?:name|wide)$/.test(text));
}
