/** `tar`, `unzip` and their like: what they are told to run, and where they unpack to. */
import { type Arg, type Command, plainArg } from '../command.ts';
import { type Options, readOptions } from '../options.ts';

/** Options of tar whose value is a command. */
const RUN = ['I', 'F', 'use-compress-program', 'to-command', 'info-script', 'new-volume-script', 'rsh-command'];
const SHAPE = {
  letters: 'fCTXbFHIKLNV',
  names: [
    'file',
    'directory',
    'files-from',
    'exclude-from',
    'exclude',
    'checkpoint-action',
    'transform',
    'strip-components',
    ...RUN.filter((name) => name.length > 1),
  ],
};

export function isTar(name: string): boolean {
  return /^(?:g|bsd)?tar$/.test(name);
}

/** `--checkpoint-action=exec=x`, `-I x`, `--to-command=x`. */
export function commandsOfTar(command: Command): string[] {
  const options = tarOptions(command);
  const actions = options.values('checkpoint-action').flatMap(({ text }) => {
    const [, action] = /^exec=(.*)$/s.exec(text) ?? [];
    return action === undefined ? [] : [action];
  });
  return [...actions, ...options.values(...RUN).map(({ text }) => text)];
}

/** The folder into which it unpacks; null if it does not, or not elsewhere. */
export function unpacksInto(command: Command): Arg | null {
  if (isTar(command.name)) {
    const options = tarOptions(command);
    if (!options.has('x', 'extract', 'get')) return null;
    // With `-P` the archive itself says where.
    return options.values('C', 'directory').at(-1) ?? (options.has('P', 'absolute-names') ? plainArg('/') : null);
  }
  switch (command.name) {
    case 'unzip':
      return readOptions(command.args, { letters: 'dxP' }).values('d')[0] ?? null;
    case 'cpio':
      return readOptions(command.args, { letters: 'DEFHIMOR' }).values('D')[0] ?? null;
    case '7z':
    case '7za':
    case '7zz': {
      const into = command.args.find(({ text }) => text.startsWith('-o'));
      return into === undefined ? null : { ...into, text: into.text.slice(2) };
    }
    case 'ditto':
      return readOptions(command.args).operands.at(-1) ?? null;
    default:
      return null;
  }
}

/** `tar xzf a.tgz`: the first word may do without its dash. */
function tarOptions(command: Command): Options {
  const [first, ...rest] = command.args;
  const isBare = first !== undefined && /^[a-zA-Z]+$/.test(first.text);
  return readOptions(isBare ? [{ ...first, text: `-${first.text}` }, ...rest] : command.args, SHAPE);
}
