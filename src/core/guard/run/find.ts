/** `find … -delete` and `find … -exec x {} +`: where it looks, what it may find, what it does with that. */
import { type Arg, type Command, plainArg } from '../command.ts';
import type { Inner } from './unfold.ts';

const EXECUTE = ['-exec', '-execdir', '-ok', '-okdir'];
/** Tests that leave most files alone; a type or a depth does not. */
const FILTERS = /^-(?:i?name|i?path|i?regex|i?wholename|[acm]?newer\w*|[acm](?:time|min)|size|empty|user|group|perm|links|inum)$/;

export function commandsOfFind(command: Command): Inner[] {
  const texts = command.args.map(({ text }) => text);
  const targets = targetsOfFind(command);
  const inner: Inner[] = texts.includes('-delete') ? targets.map(({ text }) => call(['rm', '-rf', '--', text].map(plainArg))) : [];
  for (const [at, text] of texts.entries()) {
    if (!EXECUTE.includes(text)) continue;
    const rest = command.args.slice(at + 1);
    const end = rest.findIndex((arg) => arg.text === ';' || arg.text === '+');
    const template = end === -1 ? rest : rest.slice(0, end);
    for (const target of targets) inner.push(call(template.map((arg) => replaced(arg, '{}', target.text))));
  }
  return inner;
}

/** What stands for the files that it finds, one for each folder in which it begins. */
export function targetsOfFind(command: Command): Arg[] {
  const end = command.args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPOD]/.test(text));
  const starts = command.args.slice(0, end === -1 ? undefined : end).filter(({ text }) => !text.startsWith('-'));
  const tests = end === -1 ? [] : command.args.slice(end).map(({ text }) => text);
  const found = foundBy(tests);
  return (starts.length === 0 ? [plainArg('.')] : starts).map(({ text, from }) => ({ text: `${text}${found}`, from }));
}

function foundBy(tests: readonly string[]): string {
  const names = tests.flatMap((text, at) => (/^-i?name$/.test(text) ? [tests[at + 1] ?? ''] : []));
  const [name] = names;
  if (names.length === 1 && name !== undefined) return `/${name}`;
  return tests.some((text) => FILTERS.test(text)) ? '/some-file' : '';
}

export function replaced(arg: Arg, mark: string, value: string): Arg {
  return { text: arg.text.replaceAll(mark, () => value), from: arg.from };
}

function call(args: readonly Arg[]): Inner {
  return { kind: 'call', args };
}
