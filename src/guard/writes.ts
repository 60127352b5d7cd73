/** The files that a command writes, as far as it names them. */
import { type Arg, type Command, list, plainArg, readOptions, table } from './command.ts';
import { readSed } from './run/inline-code.ts';

const WRITING = ['>', '>>', '>|', '&>', '&>>', '<>'];

const NAMED = table<(args: readonly Arg[], command: Command) => readonly Arg[]>({
  'rm unlink shred chmod chown': operands(),
  'tee mkdir sponge': operands('m'),
  truncate: operands('sr'),
  touch: operands('dtr'),
  'vi vim nano ed ex': operands('c'),
  'cp install ln scp rsync': targetOf,
  // What is moved away is written too.
  mv: (args) => [...readOptions(args, { letters: 'tS', names: ['target-directory'] }).operands, ...targetOf(args)],
  dd: (args) => args.flatMap(({ text, from }) => (text.startsWith('of=') ? [{ text: text.slice(3), from }] : [])),
  'sed gsed': (_args, command) => {
    const { files, isInPlace, writes } = readSed(command);
    return [...(isInPlace ? files : []), ...writes.map(plainArg)];
  },
  'perl ruby': (args) => {
    const options = readOptions(args, { letters: 'eEI' });
    return options.has('i') ? options.operands : [];
  },
  curl: (args) => readOptions(args, { letters: 'oHdXAuFTebwmDcKx', names: ['output'] }).values('o', 'output'),
  wget: (args) => readOptions(args, { letters: 'OPUo', names: ['output-document'] }).values('O', 'output-document'),
  'find gfind': (args) => args.filter((_, at) => /^-f(?:print0?|printf|ls)$/.test(args[at - 1]?.text ?? '')),
  patch: (args) => readOptions(args, { letters: 'pidDFoB' }).operands.slice(0, 1),
});

export function writesOf(command: Command): string[] {
  const redirected = command.redirections.flatMap(({ operator, target }) =>
    isWriting(operator, target) ? [target] : [],
  );
  const named = NAMED.get(command.name)?.(command.args, command) ?? [];
  return [...redirected, ...named].map(({ text }) => text).filter((path) => path !== '' && path !== '-');
}

/** `2>&1` joins two streams; `>&file` writes a file. */
function isWriting(operator: string, target: Arg): boolean {
  return WRITING.includes(operator) || (operator === '>&' && !/^(?:\d+-?|-)$/.test(target.text));
}

function operands(letters = ''): (args: readonly Arg[]) => readonly Arg[] {
  return (args) => readOptions(args, { letters }).operands;
}

const TARGET = {
  letters: 'tSmgoe',
  names: list('target-directory mode owner group suffix rsh exclude include'),
};

/** The last operand, or what `-t` names; `ln` with one operand writes here. */
function targetOf(args: readonly Arg[]): readonly Arg[] {
  const options = readOptions(args, TARGET);
  const into = options.values('t', 'target-directory');
  return into.length > 0 ? into : options.operands.slice(1).slice(-1);
}
