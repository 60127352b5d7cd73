/** `tar`, `unzip` and their like: what they are made to run, and where they unpack to. */
import { type Arg, type Command, plainArg } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { list } from '../tables.ts';

/** Options of tar whose value is a command. */
const RUN = list('use-compress-program to-command info-script new-volume-script rsh-command');
const SHAPE = {
  letters: 'fCTXbFHIKLNV',
  names: [
    ...list('file directory files-from exclude-from exclude checkpoint-action transform strip-components'),
    ...RUN,
  ],
};

/** `--checkpoint-action=exec=x`, `-I x`, `--to-command=x`. */
export function commandsOfTar(command: Command): string[] {
  const options = tarOptions(command);
  const actions = options.values('checkpoint-action').flatMap(({ text }) => {
    const [, action] = /^exec=(.*)$/s.exec(text) ?? [];
    return action === undefined ? [] : [action];
  });
  return [...actions, ...options.values('I', 'F', ...RUN).map(({ text }) => text)];
}

/** The folder into which it unpacks; null if it does not, or not elsewhere. */
export function unpacksInto(command: Command): Arg | null {
  const { name, args } = command;
  if (/^(?:g|bsd)?tar$/.test(name)) {
    const options = tarOptions(command);
    if (!options.has('x', 'extract', 'get')) return null;
    // With `-P` the archive itself says where.
    return options.values('C', 'directory').at(-1) ?? (options.has('P', 'absolute-names') ? plainArg('/') : null);
  }
  if (name === 'unzip') return readOptions(args, { letters: 'dxP' }).values('d')[0] ?? null;
  if (name === 'cpio') return readOptions(args, { letters: 'DEFHIMOR' }).values('D')[0] ?? null;
  if (name === 'ditto') return readOptions(args).operands.at(-1) ?? null;
  const into = /^7z[az]?$/.test(name) ? args.find(({ text }) => text.startsWith('-o')) : undefined;
  return into === undefined ? null : { ...into, text: into.text.slice(2) };
}

/** `tar xzf a.tgz`: the first word may do without its dash. */
function tarOptions(command: Command): Options {
  const [first, ...rest] = command.args;
  const isBare = first !== undefined && /^[a-zA-Z]+$/.test(first.text);
  return readOptions(isBare ? [{ ...first, text: `-${first.text}` }, ...rest] : command.args, SHAPE);
}
