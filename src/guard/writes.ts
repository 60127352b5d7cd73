/** The files that a command writes, as far as it names them. */
import { type Arg, type Command, plainArg } from './command.ts';
import { readOptions } from './options.ts';
import { readSed } from './run/sed.ts';

const WRITING = ['>', '>>', '>|', '&>', '&>>', '<>'];

export function writesOf(command: Command): string[] {
  const redirected = command.redirections.flatMap(({ operator, target }) =>
    isWriting(operator, target) ? [target.text] : [],
  );
  return [...redirected, ...named(command).map(({ text }) => text)].filter((path) => path !== '' && path !== '-');
}

/** `2>&1` joins two streams; `>&file` writes a file. */
function isWriting(operator: string, target: Arg): boolean {
  return WRITING.includes(operator) || (operator === '>&' && !/^(?:\d+-?|-)$/.test(target.text));
}

function named(command: Command): readonly Arg[] {
  const { name, args } = command;
  switch (name) {
    case 'tee':
    case 'touch':
    case 'mkdir':
    case 'sponge':
    case 'truncate':
      return readOptions(args, { letters: name === 'truncate' ? 'sr' : name === 'touch' ? 'dtr' : 'm' }).operands;
    case 'cp':
    case 'install':
    case 'ln':
    case 'scp':
    case 'rsync':
      return targetOf(args);
    case 'mv':
      // What is moved away is written too.
      return readOptions(args, { letters: 'tS', names: ['target-directory'] }).operands.concat(targetOf(args));
    case 'dd':
      return args.flatMap(({ text, from }) => (text.startsWith('of=') ? [{ text: text.slice(3), from }] : []));
    case 'sed':
    case 'gsed':
      return writtenBySed(command);
    case 'perl':
    case 'ruby': {
      const options = readOptions(args, { letters: 'eEI' });
      return options.has('i') ? options.operands : [];
    }
    case 'rm':
    case 'unlink':
    case 'shred':
    case 'chmod':
    case 'chown':
      return readOptions(args).operands;
    case 'curl':
      return readOptions(args, { letters: 'oHdXAuFTebwmDcKx', names: ['output'] }).values('o', 'output');
    case 'wget':
      return readOptions(args, { letters: 'OPUo', names: ['output-document'] }).values('O', 'output-document');
    case 'find':
    case 'gfind':
      return args.filter((_, at) => /^-f(?:print0?|printf|ls)$/.test(args[at - 1]?.text ?? ''));
    case 'patch':
      return readOptions(args, { letters: 'pidDFoB' }).operands.slice(0, 1);
    case 'vi':
    case 'vim':
    case 'nano':
    case 'ed':
    case 'ex':
      return readOptions(args, { letters: 'c' }).operands;
    default:
      return [];
  }
}

/** The last operand, or what `-t` names; `ln` with one operand writes here. */
function targetOf(args: readonly Arg[]): readonly Arg[] {
  const options = readOptions(args, {
    letters: 'tSmgoe',
    names: ['target-directory', 'mode', 'owner', 'group', 'suffix', 'rsh', 'exclude', 'include'],
  });
  const into = options.values('t', 'target-directory');
  return into.length > 0 ? into : options.operands.length > 1 ? options.operands.slice(-1) : [];
}

function writtenBySed(command: Command): readonly Arg[] {
  const { files, isInPlace, writes } = readSed(command);
  return [...(isInPlace ? files : []), ...writes.map(plainArg)];
}
