/** `… | xargs x` and `parallel x ::: a b`: the command with what it is given. */
import { type Arg, type Command, type Flow, plainArg, UNKNOWN, UNSEEN_LIST } from '../command.ts';
import { type Options, readOptions } from '../options.ts';
import { recursive, replaced } from './find.ts';
import { isFound, linesOf } from './lines.ts';
import type { Inner } from './unfold.ts';

const MOST = 64;

export function commandsOfXargs(command: Command): Inner[] {
  const shape = {
    letters: 'IEadLnPs',
    names: ['replace', 'max-args', 'max-procs', 'delimiter', 'arg-file'],
    isPrefix: true,
  };
  const options = readOptions(command.args, shape);
  const words = options.operands.length === 0 ? [plainArg('echo')] : options.operands;
  const template = isFound(command.input) ? recursive(words) : words;
  const [mark] = options.values('I', 'replace');
  // With a mark, each line is one; without, each word.
  const source = options.values('a', 'arg-file').length === 0 ? command : { ...command, input: fileOf(options) };
  const given = mark === undefined ? givenTo(source) : linesGivenTo(source);
  if (mark !== undefined) return given.map((each) => call(template.map((arg) => replaced(arg, mark.text, each))));
  // Whose output it was stays with it: `curl … | xargs bash -c` runs what was downloaded.
  return [call([...template, ...given.map((text) => ({ text, from: command.input.from }))])];
}

export function commandsOfParallel(command: Command): Inner[] {
  const at = command.args.findIndex(({ text }) => text === ':::');
  const { operands } = readOptions(at === -1 ? command.args : command.args.slice(0, at), {
    letters: 'jn',
    isPrefix: true,
  });
  const given = at === -1 ? givenTo(command) : command.args.slice(at + 1).map(({ text }) => text);
  // Without a command of its own, what it is given are commands.
  if (operands.length === 0) return linesGivenTo(command).map((text) => ({ kind: 'text', text }));
  const hasMark = operands.some(({ text }) => text.includes('{}'));
  return given.slice(0, MOST).map((each) => {
    const args = hasMark ? operands.map((arg) => replaced(arg, '{}', each)) : [...operands, plainArg(each)];
    return { kind: 'text', text: args.map(({ text }) => text).join(' ') };
  });
}

/** Its input's words; else what the programs before it list. */
function givenTo({ input }: Command): string[] {
  const { text } = input;
  if (text !== null && !text.includes(UNKNOWN)) return text.split(/\s+/).filter(Boolean).slice(0, MOST);
  const listed = linesOf(input);
  return listed.length === 0 ? [UNSEEN_LIST] : listed;
}

/** `xargs -a <(…)`: where the list comes from may be told; what is in a file is not. */
function fileOf(options: Options): Flow {
  return { text: null, from: options.values('a', 'arg-file').flatMap(({ from }) => from) };
}

function linesGivenTo({ input }: Command): string[] {
  const lines = linesOf(input);
  return lines.length === 0 ? [UNSEEN_LIST] : lines;
}

function call(args: readonly Arg[]): Inner {
  return { kind: 'call', args };
}
