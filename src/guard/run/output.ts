/** What a command prints, if its text alone shows it; otherwise null. */
import { type Arg, type Command, readOptions, table, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { fileAt, type Shell, valueNamed } from './shell.ts';

type Prints = (command: Command, shell: Shell) => string | null;

const user: Prints = (_command, shell) => valueNamed('USER', shell)?.text ?? null;

const PRINTS = table<Prints>({
  // Silent on success.
  'cd : true export set shift unset read test [ mkdir touch': () => '',
  echo: ({ words }) => echoed(words),
  printf: ({ words }) => printed(words),
  pwd: ({ cwd }) => cwd,
  cat: (command, shell) => {
    const { operands } = readOptions(command.args);
    if (operands.length === 0) return command.input.text;
    const texts = operands.map(({ text }) =>
      text === '-' ? command.input.text : (fileAt(text, command.cwd, shell)?.text ?? null),
    );
    return texts.includes(null) ? null : texts.join('');
  },
  tee: ({ input }) => input.text,
  base64: ({ args, input }) => (readOptions(args).has('d', 'D', 'decode') ? decodedBase64(input.text) : null),
  xxd: ({ args, input }) => (readOptions(args).has('r') ? decodedHex(input.text) : null),
  'sort uniq tac': ({ args, input }) => (readOptions(args).operands.length === 0 ? input.text : null),
  'which type whence': ({ args }) => programAt(readOptions(args).operands[0]),
  command: ({ args }) => (readOptions(args, '', 'leading').has('v') ? programAt(args[1]) : null),
  // Links are not followed, so the result is the path itself.
  'realpath readlink': (command, shell) => {
    const options = readOptions(command.args, 'relative-to relative-base');
    const [path] = options.operands;
    if (path === undefined || options.operands.length > 1 || path.text.includes(UNKNOWN)) return null;
    return resolvePath(path.text, command.cwd, shell.home);
  },
  'dirname basename': partOf,
  'whoami logname': user,
  id: (command, shell) => (command.words.join(' ') === '-un' ? user(command, shell) : null),
  printenv: ({ words }, shell) => valueNamed(words[0] ?? '', shell)?.text ?? null,
  mktemp: ({ words }) => (words.every((text) => text.startsWith('-')) ? `/tmp/tmp.${UNKNOWN}` : null),
  git: ({ words }, { project }) => (words.join(' ') === 'rev-parse --show-toplevel' ? project : null),
});

export function printedBy(command: Command, shell: Shell): string | null {
  const { name, redirections, input } = command;
  // `$(<file)`
  if (name === '') return redirections.some(({ operator }) => operator === '<') ? input.text : null;
  return PRINTS.get(name)?.(command, shell) ?? null;
}

function programAt(name: Arg | undefined): string | null {
  return name === undefined || name.text.includes('/') ? null : `/usr/bin/${name.text}`;
}

function partOf(command: Command): string | null {
  const [path, suffix] = readOptions(command.args).operands;
  if (path === undefined || path.text.includes(UNKNOWN)) return null;
  const bare = path.text.replace(/(?<=.)\/+$/, '');
  const at = bare.lastIndexOf('/');
  if (command.name === 'dirname') return at === -1 ? '.' : bare.slice(0, at) || '/';
  const name = bare.slice(at + 1) || '/';
  return suffix !== undefined && name.endsWith(suffix.text) ? name.slice(0, -suffix.text.length) : name;
}

function echoed(texts: readonly string[]): string {
  let at = 0;
  let decodes = false;
  for (; /^-[neE]+$/.test(texts[at] ?? ''); at++) if (texts[at]?.includes('e') === true) decodes = true;
  const text = texts.slice(at).join(' ');
  return `${decodes ? decodeEscapes(text) : text}\n`;
}

function printed(words: readonly string[]): string {
  const [format = '', ...values] = words[0] === '-v' ? words.slice(2) : words[0] === '--' ? words.slice(1) : words;
  let at = 0;
  return decodeEscapes(format).replaceAll(/%(%|[-+ #0]*[\d.*]*([a-zA-Z]))/g, (_all, kind: string, letter?: string) => {
    if (kind === '%') return '%';
    const value = values[at++] ?? '';
    return letter === 'b' ? decodeEscapes(value) : value;
  });
}

function decodedBase64(text: string | null): string | null {
  if (text === null || text.includes(UNKNOWN)) return null;
  try {
    return atob(text.replaceAll(/\s/g, ''));
  } catch {
    // Not base64: its output is unknown.
    return null;
  }
}

function decodedHex(text: string | null): string | null {
  const digits = text?.replaceAll(/\s/g, '') ?? '';
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return null;
  return decodeEscapes(digits.replaceAll(/../g, String.raw`\x$&`));
}

const ESCAPE = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,4})|.)/gs;
const LETTERS = 'abeEfnrtv';
const MEANINGS = '\x07\b\x1b\x1b\f\n\r\t\v';
const LAST_CODE_POINT = 0x10ffff;

export function decodeEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (all: string, two?: string, four?: string, eight?: string, octal?: string) => {
    const hexadecimal = two ?? four ?? eight;
    if (hexadecimal !== undefined) return character(Number.parseInt(hexadecimal, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8) % 256);
    const letter = all.slice(1);
    return LETTERS.includes(letter) ? MEANINGS.charAt(LETTERS.indexOf(letter)) : letter;
  });
}

/** A NUL ends a string in the shell, and is our mark for the unknown. */
function character(code: number): string {
  return code === 0 || code > LAST_CODE_POINT ? '' : String.fromCodePoint(code);
}
