/** Programs that list files (`find`, `ls` …), and programs that run a command for each (`find -exec`, `xargs` …). */
import type { Arg, Command, Flow } from '../command.ts';
import { hasWord, plainArg, readOptions, textsOf, UNKNOWN, UNSEEN_LIST } from '../command.ts';
import { callOf, type Inner } from './shell.ts';

const MOST_LINES = 64;
const MOST_ACTIONS = 8;
const MOST_STARTS = 16;
const FINDING = /^g?find$/;
/** Programs that list only the files with some property. */
const SEARCHING = /^(?:fd|fdfind|grep|egrep|rg|git|ag|ack)$/;
/** Programs that pass on part of their input. */
const FILTERING = /^(?:grep|egrep|rg|head|tail|awk|sed|fzf)$/;
/** Tests of find that exclude most files; a type or a depth does not. */
const FILTERS =
  /^-(?:i?name|i?path|i?regex|i?wholename|[acm]?newer\w*|[acm](?:time|min)|size|empty|user|group|perm|links|inum)$/;
/** Stands for a file of which only the folder is known. */
const SOME_FILE = 'some-file';

/** The lines that programs list: from their output if known, or else from their arguments; a line may be a pattern. */
export function linesOf({ text, from }: Flow): string[] {
  if (text !== null && !text.includes(UNKNOWN)) return text.split('\n').filter(Boolean).slice(0, MOST_LINES);
  return listedBy(from).slice(0, MOST_LINES);
}

/** `for f in $(find …)`, `rm $(find …)`: one argument for each thing that would be found. */
export function eachListed(arg: Arg): Arg[] {
  const lines = arg.text === UNKNOWN ? linesOf({ text: null, from: arg.from }) : [];
  return lines.length === 0 ? [arg] : lines.map((text) => ({ ...arg, text }));
}

/** Whether a program that walks through folders listed it, so that it can be at any depth. */
export function isFound({ from }: Pick<Flow, 'from'>): boolean {
  return from.some(({ name }) => FINDING.test(name));
}

/** The nearest command comes first: `find … | grep …` is grep, then find. */
function listedBy(commands: readonly Command[]): string[] {
  const at = commands.findIndex((command) => FINDING.test(command.name) || listsAll(command) !== null);
  const command = commands[at];
  if (command === undefined) return commands.some(({ name }) => SEARCHING.test(name)) ? [SOME_FILE] : [];
  const filters = commands.slice(0, at).filter(({ name }) => FILTERING.test(name));
  const isFiltered = filters.some(({ args }) => !readOptions(args).has('v', 'invert-match'));
  const listed = listsAll(command) ?? textsOf(targetsOfFind(command));
  return isFiltered ? listed.map((text) => `${text.replace(/\/?\*$/, '')}/${SOME_FILE}`) : listed;
}

/** Null if it does not list everything in a folder. */
function listsAll({ name, args, words }: Command): string[] | null {
  if (name === 'git') return words.join(' ') === 'ls-files' ? ['./*'] : null;
  if (name !== 'ls') return null;
  const { operands } = readOptions(args);
  return operands.length === 0 ? ['./*'] : operands.map(({ text }) => (/[*?]/.test(text) ? text : `${text}/*`));
}

/** `find … -delete`, `find … -exec x {} +`. */
export function commandsOfFind(command: Command): Inner[] {
  const { args, words } = command;
  const targets = targetsOfFind(command);
  const deletions = words.includes('-delete') ? targets.map(({ text }) => ['rm', '-rf', '--', text].map(plainArg)) : [];
  const actions = words.flatMap((text, at) => (/^-(?:exec|ok)(?:dir)?$/.test(text) ? [at] : [])).slice(0, MOST_ACTIONS);
  const executions = actions.flatMap((at) => {
    const rest = args.slice(at + 1);
    const end = rest.findIndex(({ text }) => text === ';' || text === '+');
    const template = recursive(end === -1 ? rest : rest.slice(0, end));
    return targets.map(({ text }) => filled(template, '{}', text));
  });
  return [...deletions, ...executions].map((words): Inner => ({ args: words }));
}

/** `fd pattern folder… -x command`. */
export function commandsOfFd({ args, words }: Command): Inner[] {
  const at = words.findIndex((text) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  if (at === -1) return [];
  const given = readOptions(args.slice(0, at), '-etdEcjS extension type max-depth exclude size');
  const [pattern, ...folders] = given.operands;
  const isAll = /^[.*^$]*$/.test(pattern?.text ?? '') && !given.has('e', 'extension');
  const template = recursive(args.slice(at + 1).filter(({ text }) => text !== ';'));
  return startsOf(folders).flatMap(({ text }) => callOf(withFile(template, isAll ? text : `${text}/${SOME_FILE}`)));
}

/** Stands for the files that it finds: one argument per starting folder. */
function targetsOfFind({ args, words }: Command): Arg[] {
  const end = words.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPOD]/.test(text));
  const starts = args.slice(0, end === -1 ? undefined : end).filter(({ text }) => !text.startsWith('-'));
  const found = foundBy(end === -1 ? [] : words.slice(end));
  return startsOf(starts).map(({ text, from }) => ({ text: `${text}${found}`, from }));
}

function startsOf(folders: readonly Arg[]): readonly Arg[] {
  return folders.length === 0 ? [plainArg('.')] : folders.slice(0, MOST_STARTS);
}

function foundBy(tests: readonly string[]): string {
  const isNegated = (at: number) => /^(?:!|-not)$/.test(tests[at - 1] ?? '') && FILTERS.test(tests[at] ?? '');
  // A negated test leaves all other files.
  const wanted = tests.filter((_, at) => !isNegated(at) && !isNegated(at - 1));
  const names = wanted.flatMap((text, at) => (/^-i?name$/.test(text) ? [wanted[at + 1] ?? ''] : []));
  if (names.length === 1) return `/${names[0] ?? ''}`;
  return hasWord(wanted, FILTERS) ? `/${SOME_FILE}` : '';
}

/** Files from find can be at any depth: an `rm` of them reaches as far as `rm -r`. */
function recursive(template: readonly Arg[]): readonly Arg[] {
  const [first, ...rest] = template;
  return first?.text.split('/').at(-1) === 'rm' ? [first, plainArg('-r'), ...rest] : template;
}

function filled(template: readonly Arg[], mark: string, value: string): Arg[] {
  return template.map(({ text, from }) => ({ text: text.replaceAll(mark, () => value), from }));
}

/** Replaces `{}`, or appends the file if there is none. */
function withFile(template: readonly Arg[], file: string): Arg[] {
  const hasMark = template.some(({ text }) => text.includes('{}'));
  return hasMark ? filled(template, '{}', file) : [...template, plainArg(file)];
}

/** `… | xargs x`. */
export function commandsOfXargs({ args, input }: Command): Inner[] {
  const options = readOptions(args, '-IEadLnPs replace max-args max-procs delimiter arg-file', 'leading');
  const words = options.operands.length === 0 ? [plainArg('echo')] : options.operands;
  const template = isFound(input) ? recursive(words) : words;
  // `xargs -a <(…)`: the command that makes the list may be known; the content of a file is not.
  const files = options.values('a', 'arg-file');
  const source = files.length === 0 ? input : { text: null, from: files.flatMap(({ from }) => from) };
  const [mark] = options.values('I', 'replace');
  if (mark !== undefined) return linesGiven(source).flatMap((line) => callOf(filled(template, mark.text, line)));
  // Keep the commands that the words come from: `curl … | xargs bash -c` runs what was downloaded.
  return callOf([...template, ...wordsGiven(source).map((text) => ({ text, from: input.from }))]);
}

/** `parallel x ::: a b`; without a command, its input lines are the commands. */
export function commandsOfParallel({ args, words, input }: Command): Inner[] {
  const at = words.indexOf(':::');
  const { operands } = readOptions(at === -1 ? args : args.slice(0, at), '-jn', 'leading');
  const given = at === -1 ? wordsGiven(input) : words.slice(at + 1, at + 1 + MOST_LINES);
  if (operands.length === 0) return linesGiven(input).map((text) => ({ text }));
  return given.map((each) => ({ text: textsOf(withFile(operands, each)).join(' ') }));
}

function wordsGiven(input: Flow): string[] {
  const { text } = input;
  if (text === null || text.includes(UNKNOWN)) return linesGiven(input);
  return text.split(/\s+/).filter(Boolean).slice(0, MOST_LINES);
}

function linesGiven(input: Flow): string[] {
  const listed = linesOf(input);
  return listed.length === 0 ? [UNSEEN_LIST] : listed;
}
