/** Secrets on their way into the transcript. */
import { begins, block, byProgram, type Category, type Concern, type Context, warn, when, worst } from '../category.ts';
import { type Command, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { isSecretName, secrecyOf } from '../secrets.ts';
import { list } from '../tables.ts';

/** Their first operand is a pattern or a script, no file. */
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
      'env printenv': dumpsEnvironment,
      'gpg gpg2': when(/^--export-secret/, block('prints a private key')),
      security: ({ words }) =>
        /^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(words[0] ?? '')
          ? block('prints what the keychain holds')
          : null,
      gh: begins('auth token', warn('prints a token')),
      kubectl: printsSecrets,
      aws: begins('secretsmanager get-secret-value', warn('prints a secret')),
      vault: ({ words }) => (/^(?:read|kv\nget)(?:\n|$)/.test(words.join('\n')) ? warn('prints a secret') : null),
    },
    readsSecret,
  ),
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
  const concern = worst(read.map((path) => readsSecretFile(path, command.cwd, context)));
  // A copy of the project's own settings stays in the project.
  return isCopy && concern?.tier === 'warn' ? null : concern;
}

/** All of it, or a name that says secret; a guard does not see what a filter after it leaves. */
function dumpsEnvironment(command: Command): Concern | null {
  const [first] = readOptions(command.args, { letters: 'uCS', names: ['unset', 'chdir'] }).operands;
  if (first === undefined) return warn('prints the whole environment', 'Print single variables by name.');
  return command.name === 'printenv' && isSecretName(first.text) ? warn(`prints ${first.text}`) : null;
}

function printsSecrets({ words, args }: Command): Concern | null {
  if (words[0] !== 'get' || !/^secrets?(?:\/|$)/.test(words[1] ?? '')) return null;
  const forms = readOptions(args, { letters: 'on', names: ['output', 'namespace'] }).values('o', 'output');
  const hasValues = forms.some(({ text }) => text !== UNKNOWN && !/^(?:name|wide)$/.test(text));
  return hasValues ? warn('prints secrets') : null;
}
