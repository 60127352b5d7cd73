/** `find … -delete` and `find … -exec x {} +`: where it looks, what it may find, what it does with that. */
import { type Arg, type Command, plainArg } from '../command.ts';
import { readOptions } from '../options.ts';
import type { Inner } from './unfold.ts';

const MOST_ACTIONS = 8;
const MOST_STARTS = 16;
const EXECUTE = ['-exec', '-execdir', '-ok', '-okdir'];
/** Tests that leave most files alone; a type or a depth does not. */
const FILTERS =
  /^-(?:i?name|i?path|i?regex|i?wholename|[acm]?newer\w*|[acm](?:time|min)|size|empty|user|group|perm|links|inum)$/;

export function commandsOfFind(command: Command): Inner[] {
  const texts = command.args.map(({ text }) => text);
  const targets = targetsOfFind(command);
  const inner: Inner[] = texts.includes('-delete')
    ? targets.map(({ text }) => call(['rm', '-rf', '--', text].map(plainArg)))
    : [];
  const places = texts.flatMap((text, at) => (EXECUTE.includes(text) ? [at] : []));
  for (const at of places.slice(0, MOST_ACTIONS)) {
    const rest = command.args.slice(at + 1);
    const end = rest.findIndex((arg) => arg.text === ';' || arg.text === '+');
    const template = recursive(end === -1 ? rest : rest.slice(0, end));
    for (const target of targets) inner.push(call(template.map((arg) => replaced(arg, '{}', target.text))));
  }
  return inner;
}

/** `fd pattern folder… -x command`. */
export function commandsOfFd(command: Command): Inner[] {
  const at = command.args.findIndex(({ text }) => ['-x', '-X', '--exec', '--exec-batch'].includes(text));
  if (at === -1) return [];
  const given = readOptions(command.args.slice(0, at), {
    letters: 'etdEcjS',
    names: ['extension', 'type', 'max-depth', 'exclude', 'size'],
  });
  const [pattern, ...folders] = given.operands;
  const isAll = (pattern === undefined || /^[.*^$]*$/.test(pattern.text)) && !given.has('e', 'extension');
  const starts = folders.length === 0 ? [plainArg('.')] : folders.slice(0, MOST_STARTS);
  const template = recursive(command.args.slice(at + 1).filter(({ text }) => text !== ';'));
  const hasMark = template.some(({ text }) => text.includes('{}'));
  return starts.map(({ text }) => {
    const found = isAll ? text : `${text}/some-file`;
    return call(hasMark ? template.map((arg) => replaced(arg, '{}', found)) : [...template, plainArg(found)]);
  });
}

/** What stands for the files that it finds, one for each folder in which it begins. */
export function targetsOfFind(command: Command): Arg[] {
  const end = command.args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPOD]/.test(text));
  const starts = command.args.slice(0, end === -1 ? undefined : end).filter(({ text }) => !text.startsWith('-'));
  const tests = end === -1 ? [] : command.args.slice(end).map(({ text }) => text);
  const found = foundBy(tests);
  return (starts.length === 0 ? [plainArg('.')] : starts.slice(0, MOST_STARTS)).map(({ text, from }) => ({
    text: `${text}${found}`,
    from,
  }));
}

function foundBy(tests: readonly string[]): string {
  // What is excluded leaves all the rest.
  const wanted = tests.filter((_, at) => !isNegated(tests, at) && !isNegated(tests, at - 1));
  const names = wanted.flatMap((text, at) => (/^-i?name$/.test(text) ? [wanted[at + 1] ?? ''] : []));
  const [name] = names;
  if (names.length === 1 && name !== undefined) return `/${name}`;
  return wanted.some((text) => FILTERS.test(text)) ? '/some-file' : '';
}

function isNegated(tests: readonly string[], at: number): boolean {
  return ['!', '-not'].includes(tests[at - 1] ?? '') && FILTERS.test(tests[at] ?? '');
}

/** What find brings lies at any depth: an `rm` of it reaches as far as `rm -r`. */
export function recursive(template: readonly Arg[]): readonly Arg[] {
  const [first, ...rest] = template;
  return first?.text.split('/').at(-1) === 'rm' ? [first, plainArg('-r'), ...rest] : template;
}

export function replaced(arg: Arg, mark: string, value: string): Arg {
  return { text: arg.text.replaceAll(mark, () => value), from: arg.from };
}

function call(args: readonly Arg[]): Inner {
  return { kind: 'call', args };
}
