/** What a command changes for those that come after it: folder, variables, aliases, files. */
import { type Arg, type Command, type Flow, nearest, plainArg, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import { linesOf } from './each-file.ts';
import { separators } from './expand.ts';
import { joinedValues, listOf, type Shell, scalar, setParameters, valueAt } from './shell.ts';

const DECLARING = ['export', 'declare', 'typeset', 'local', 'readonly'];
const WRITING = ['>', '>>', '>|', '&>', '&>>'];
const LONGEST_FILE = 1_000_000;

export function remember(command: Command, shell: Shell, output: Flow): void {
  switch (command.name) {
    case 'cd':
    case 'pushd':
      changeFolder(command, shell);
      break;
    case 'popd':
      shell.cwd = null;
      break;
    case 'alias':
      for (const { text } of command.args) defineAlias(text, shell);
      break;
    case 'unset':
      for (const { text } of command.args) shell.variables.delete(text);
      break;
    case 'read':
      readLine(command, shell);
      break;
    case 'mapfile':
    case 'readarray':
      readLines(command, shell);
      break;
    case 'printf':
      printIntoVariable(command, shell, output);
      break;
    case 'set':
      setWords(command, shell);
      break;
    case 'shift':
      shiftWords(command, shell);
      break;
    default:
      if (DECLARING.includes(command.name)) for (const arg of command.args) declare(arg, shell);
  }
  for (const { operator, target } of command.redirections) {
    if (WRITING.includes(operator)) write(target.text, command, shell, output, operator.endsWith('>>'));
  }
  const appends = command.name === 'tee' && readOptions(command.args).has('a', 'append');
  for (const path of writtenByName(command)) write(path, command, shell, output, appends);
  if (command.name === 'cp' || command.name === 'mv') copy(command, shell);
}

function changeFolder(command: Command, shell: Shell): void {
  const [target] = readOptions(command.args).operands;
  const to = target === undefined ? shell.home : target.text;
  const before = shell.cwd;
  shell.cwd = to === '-' ? (valueAt(shell.variables.get('OLDPWD'), '0')?.text ?? null) : folderAt(to, shell);
  setFolder('PWD', shell.cwd, shell);
  setFolder('OLDPWD', before, shell);
}

function folderAt(path: string, shell: Shell): string | null {
  return resolvePath(path, shell.cwd, shell.home);
}

function setFolder(name: string, folder: string | null, shell: Shell): void {
  if (folder === null) shell.variables.delete(name);
  else shell.variables.set(name, scalar(plainArg(folder)));
}

function defineAlias(text: string, shell: Shell): void {
  const at = text.indexOf('=');
  if (at > 0) shell.aliases.set(text.slice(0, at), text.slice(at + 1));
}

/** What an expansion brings: `export $x`. What is written as an assignment, the walk has kept. */
function declare(arg: Arg, shell: Shell): void {
  const at = arg.text.indexOf('=');
  if (at <= 0) return;
  const [name, text] = [arg.text.slice(0, at), arg.text.slice(at + 1)];
  const known = shell.variables.get(name);
  if (known === undefined || joinedValues(known).text !== text) shell.variables.set(name, scalar({ ...arg, text }));
}

/** `read a b`: the next line of its input, the last name gets what is left of it. */
function readLine(command: Command, shell: Shell): void {
  const options = readOptions(command.args, { letters: 'adinNptu' });
  const line = nextLine(command.input, shell);
  const [list] = options.values('a');
  if (list !== undefined) {
    if (line === null) shell.variables.delete(list.text);
    else shell.variables.set(list.text, listOf(line.text.split(/\s+/).map((text) => ({ ...line, text }))));
  }
  const names = options.operands.map(({ text }) => text);
  const ifs = command.assignments.find(({ name }) => name === 'IFS')?.value.text;
  const words = line?.text.trim().split(separators(ifs ?? ' ')) ?? [];
  for (const [index, name] of names.entries()) {
    if (line === null) shell.variables.delete(name);
    else {
      const text = index === names.length - 1 ? words.slice(index).join(' ') : (words[index] ?? '');
      shell.variables.set(name, scalar({ ...line, text }));
    }
  }
  if (names.length === 0 && line !== null) shell.variables.set('REPLY', scalar(line));
}

function nextLine(input: Flow, shell: Shell): Arg | null {
  const lines = linesOf(input);
  const at = shell.linesRead.get(input) ?? 0;
  shell.linesRead.set(input, at + 1);
  const text = lines[Math.min(at, lines.length - 1)];
  if (text === undefined) return input.from.length === 0 ? null : { text: UNKNOWN, from: input.from };
  return { text, from: input.from };
}

function readLines(command: Command, shell: Shell): void {
  const [name] = readOptions(command.args, { letters: 'dnOsuCc' }).operands;
  const lines = linesOf(command.input);
  const list = listOf(lines.map((text) => ({ text, from: command.input.from })));
  if (lines.length === 0) shell.variables.delete(name?.text ?? 'MAPFILE');
  else shell.variables.set(name?.text ?? 'MAPFILE', list);
}

/** `printf -v name format …`. */
function printIntoVariable(command: Command, shell: Shell, output: Flow): void {
  const [first, name] = command.args;
  if (first?.text !== '-v' || name === undefined) return;
  shell.variables.set(name.text, scalar({ text: output.text ?? UNKNOWN, from: [] }));
}

/** `set -- a b` and `set a b`; `set -e` and the like change no words. */
function setWords(command: Command, shell: Shell): void {
  const { operands } = readOptions(command.args, { letters: 'o', isPrefix: true });
  const isCleared = command.args.some(({ text }) => text === '--');
  if (operands.length > 0 || isCleared) setParameters(shell.variables, operands);
}

function shiftWords(command: Command, shell: Shell): void {
  const all = shell.variables.get('@');
  const by = Number(command.args[0]?.text ?? '1');
  if (all !== undefined && by > 0) setParameters(shell.variables, [...all.values()].slice(by));
}

function write(path: string, command: Command, shell: Shell, output: Flow, appends: boolean): void {
  const resolved = resolvePath(path, command.cwd, shell.home);
  if (resolved === null) return;
  const before = appends ? shell.files.get(resolved) : undefined;
  shell.files.set(resolved, before === undefined ? output : appended(before, output));
}

function appended(before: Flow, after: Flow): Flow {
  const isKnown = before.text !== null || after.text !== null;
  const text = `${before.text ?? UNKNOWN}${after.text ?? UNKNOWN}`;
  return { text: isKnown && text.length <= LONGEST_FILE ? text : null, from: nearest([...after.from, ...before.from]) };
}

/** What was written a moment ago keeps its words under another name. */
function copy(command: Command, shell: Shell): void {
  const [from, to] = readOptions(command.args).operands;
  const path = resolvePath(from?.text ?? '', command.cwd, shell.home);
  const file = path === null ? undefined : shell.files.get(path);
  if (file !== undefined && to !== undefined) write(to.text, command, shell, file, false);
}

/** Files that a command names itself: `tee f`, `curl -o f`, `wget url`. */
function writtenByName(command: Command): string[] {
  switch (command.name) {
    case 'tee':
      return readOptions(command.args).operands.map(({ text }) => text);
    case 'curl': {
      const options = readOptions(command.args, { letters: 'oHdXAuFTeb', names: ['output', 'header', 'data'] });
      const named = options.values('o', 'output').map(({ text }) => text);
      return options.has('O', 'remote-name')
        ? [...named, ...options.operands.map(({ text }) => lastPart(text))]
        : named;
    }
    case 'wget': {
      const options = readOptions(command.args, { letters: 'OP', names: ['output-document'] });
      const named = options.values('O', 'output-document').map(({ text }) => text);
      return named.length > 0 ? named : options.operands.map(({ text }) => lastPart(text));
    }
    default:
      return [];
  }
}

function lastPart(url: string): string {
  return (
    url
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  );
}
