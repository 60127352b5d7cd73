/** What a command changes for later ones: folder, variables, aliases, files. */
import type { Assignment, Redirection } from 'unbash';
import type { Arg, Command, Flow, Redirected } from '../command.ts';
import { NOTHING, nearest, plainArg, readOptions, table, textsOf, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { linesOf } from './each-file.ts';
import { type Expander, expandText, expandWhole, expandWord, runSubstitutions, separators } from './expand.ts';
import { fileAt, joinedValues, listOf, type Shell, scalar, setParameters, type Variable, valueNamed } from './shell.ts';

const WRITING = ['>', '>>', '>|', '&>', '&>>'];
const LONGEST_FILE = 1_000_000;

const EFFECTS = table<(command: Command, shell: Shell, output: Flow) => void>({
  'cd pushd': (command, shell) => {
    const to = readOptions(command.args).operands[0]?.text ?? shell.home;
    const before = shell.cwd;
    shell.cwd = to === '-' ? (valueNamed('OLDPWD', shell)?.text ?? null) : resolvePath(to, shell.cwd, shell.home);
    for (const [name, folder] of Object.entries({ PWD: shell.cwd, OLDPWD: before }))
      setOrDelete(name, folder === null ? null : scalar(plainArg(folder)), shell);
  },
  popd: (_command, shell) => {
    shell.cwd = null;
  },
  alias: ({ words }, shell) => {
    for (const text of words) {
      const at = text.indexOf('=');
      if (at > 0) shell.aliases.set(text.slice(0, at), text.slice(at + 1));
    }
  },
  unset: ({ words }, shell) => {
    for (const name of words) shell.variables.delete(name);
  },
  'export declare typeset local readonly': ({ args }, shell) => {
    for (const arg of args) declare(arg, shell);
  },
  read: readLine,
  'mapfile readarray': ({ args, input }, shell) => {
    const [name] = readOptions(args, '-dnOsuCc').operands;
    const lines = linesOf(input).map((text) => ({ text, from: input.from }));
    setOrDelete(name?.text ?? 'MAPFILE', lines.length === 0 ? null : listOf(lines), shell);
  },
  // `printf -v name format …`.
  printf: (command, shell, output) => {
    const [first, name] = command.args;
    if (first?.text !== '-v' || name === undefined) return;
    shell.variables.set(name.text, scalar({ text: output.text ?? UNKNOWN, from: [] }));
  },
  // `set -- a b` and `set a b` set the parameters; `set -e` and the like do not.
  set: (command, shell) => {
    const { operands } = readOptions(command.args, '-o', 'leading');
    const isCleared = command.args.some(({ text }) => text === '--');
    if (operands.length > 0 || isCleared) setParameters(shell.variables, operands);
  },
  shift: (command, shell) => {
    const all = shell.variables.get('@');
    const by = Number(command.args[0]?.text ?? '1');
    if (all !== undefined && by > 0) setParameters(shell.variables, [...all.values()].slice(by));
  },
});

export function remember(command: Command, shell: Shell, output: Flow): void {
  EFFECTS.get(command.name)?.(command, shell, output);
  for (const { operator, target } of command.redirections)
    if (WRITING.includes(operator)) write(target.text, command, shell, output, operator.endsWith('>>'));
  const appends = command.name === 'tee' && readOptions(command.args).has('a', 'append');
  for (const path of writtenByName(command)) write(path, command, shell, output, appends);
  if (command.name !== 'cp' && command.name !== 'mv') return;
  // A copy of a file that was just written has the same content.
  const [from, to] = readOptions(command.args).operands;
  const file = fileAt(from?.text ?? '', command.cwd, shell);
  if (file !== null && to !== undefined) write(to.text, command, shell, file, false);
}

function setOrDelete(name: string, value: Variable | null, { variables }: Shell): void {
  if (value === null) variables.delete(name);
  else variables.set(name, value);
}

/** Assignments that come from an expansion: `export $x`. The walk has already stored literal ones. */
function declare(arg: Arg, shell: Shell): void {
  const at = arg.text.indexOf('=');
  if (at <= 0) return;
  const [name, text] = [arg.text.slice(0, at), arg.text.slice(at + 1)];
  const known = shell.variables.get(name);
  if (known === undefined || joinedValues(known).text !== text) shell.variables.set(name, scalar({ ...arg, text }));
}

/** `read a b`: splits the next line of its input; the last name gets the rest. */
function readLine(command: Command, shell: Shell): void {
  const options = readOptions(command.args, '-adinNptu');
  const line = nextLine(command.input, shell);
  const [list] = options.values('a');
  const parts = line === null ? null : listOf(line.text.split(/\s+/).map((text) => ({ ...line, text })));
  if (list !== undefined) setOrDelete(list.text, parts, shell);
  const ifs = command.assignments.find(({ name }) => name === 'IFS')?.value.text;
  const fields = line?.text.trim().split(separators(ifs ?? ' ')) ?? [];
  const names = textsOf(options.operands);
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const text = isLast ? fields.slice(index).join(' ') : (fields[index] ?? '');
    setOrDelete(name, line === null ? null : scalar({ ...line, text }), shell);
  }
  if (names.length === 0 && line !== null) shell.variables.set('REPLY', scalar(line));
}

function nextLine(input: Flow, shell: Shell): Arg | null {
  const lines = linesOf(input);
  const at = shell.linesRead.get(input) ?? 0;
  shell.linesRead.set(input, at + 1);
  const text = lines[Math.min(at, lines.length - 1)] ?? (input.from.length === 0 ? null : UNKNOWN);
  return text === null ? null : { text, from: input.from };
}

function write(path: string, command: Command, shell: Shell, output: Flow, appends: boolean): void {
  const resolved = resolvePath(path, command.cwd, shell.home);
  if (resolved === null) return;
  const before = appends ? shell.files.get(resolved) : undefined;
  if (before === undefined) {
    shell.files.set(resolved, output);
    return;
  }
  const isKnown = before.text !== null || output.text !== null;
  const text = `${before.text ?? UNKNOWN}${output.text ?? UNKNOWN}`;
  const from = nearest([...output.from, ...before.from]);
  shell.files.set(resolved, { text: isKnown && text.length <= LONGEST_FILE ? text : null, from });
}

/** Files that a command's own arguments name: `tee f`, `curl -o f`, `wget url`. */
function writtenByName({ name, args }: Command): string[] {
  const lastParts = (urls: readonly Arg[]) => urls.map(({ text }) => text.replace(/[?#].*$/, '').replace(/^.*\//s, ''));
  if (name === 'tee') return textsOf(readOptions(args).operands);
  if (name === 'curl') {
    const options = readOptions(args, '-oHdXAuFTeb output header data');
    const named = textsOf(options.values('o', 'output'));
    return options.has('O', 'remote-name') ? [...named, ...lastParts(options.operands)] : named;
  }
  if (name !== 'wget') return [];
  const options = readOptions(args, '-OP output-document');
  const named = textsOf(options.values('O', 'output-document'));
  return named.length > 0 ? named : lastParts(options.operands);
}

/** `export A=1`, `declare -a list=(a b)`: both an argument and a variable. */
export function declared(node: Assignment, expander: Expander): Arg {
  const { name, value } = assigned(node, expander, true);
  return { ...value, text: `${name}=${value.text}` };
}

/** `A=1`: before a command, it applies to that command only. */
export function assigned(node: Assignment, expander: Expander, isKept: boolean): Command['assignments'][number] {
  const { name, value, append, index } = node;
  const { variables } = expander.shell;
  if (index !== undefined) runSubstitutions(index, expander);
  const before = variables.get(name);
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => expandWord(word, expander));
    const list = listOf(elements, append === true ? before : undefined);
    if (isKept) variables.set(name, list);
    return { name, value: joinedValues(list) };
  }
  const arg = expandWhole(value, expander);
  if (index !== undefined) {
    const key = expandWhole(index, expander).text;
    if (isKept) variables.set(name, new Map([...(before ?? []), [key, arg]]));
    return { name, value: arg };
  }
  const first = append === true ? before?.get('0') : undefined;
  const whole = first === undefined ? arg : { ...arg, text: `${first.text}${arg.text}` };
  if (isKept) variables.set(name, scalar(whole));
  return { name, value: whole };
}

/** The target of a here-document is its text. */
export function redirected(node: Redirection, expander: Expander): Redirected {
  const { operator } = node;
  if (node.type !== 'HereDoc') {
    return { operator, target: node.target === undefined ? plainArg('') : expandWhole(node.target, expander) };
  }
  const { text, parts } = node.body;
  const target = parts === undefined ? plainArg(text) : expandText(parts, expander);
  return { operator, target: operator === '<<-' ? { ...target, text: target.text.replaceAll(/^\t+/gm, '') } : target };
}

export function inputThrough(redirections: readonly Redirected[], shell: Shell, before: Flow): Flow {
  let input = before;
  for (const { operator, target } of redirections) {
    if (operator === '<<' || operator === '<<-') input = target;
    else if (operator === '<<<') input = { text: `${target.text}\n`, from: target.from };
    else if (operator === '<') {
      const file = fileAt(target.text, shell.cwd, shell) ?? NOTHING;
      input = { text: file.text, from: [...target.from, ...file.from] };
    }
  }
  return input;
}
