/** What a command prints, where its text alone tells; else null. */
import { type Arg, type Command, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import { decodeEscapes } from './escapes.ts';
import { type Shell, valueAt } from './shell.ts';

/** Programs that print nothing, as long as all is well. */
const SILENT = ['cd', ':', 'true', 'export', 'set', 'shift', 'unset', 'read', 'test', '[', 'mkdir', 'touch'];
const DECODE = ['d', 'D', 'decode'];

export function printedBy(command: Command, shell: Shell): string | null {
  const texts = command.args.map(({ text }) => text);
  if (SILENT.includes(command.name)) return '';
  switch (command.name) {
    case 'echo':
      return echoed(texts);
    case 'printf':
      return printed(texts);
    case 'pwd':
      return command.cwd;
    case 'cat':
      return concatenated(command, shell);
    case 'tee':
      return command.input.text;
    case 'base64':
      return readOptions(command.args).has(...DECODE) ? decodedBase64(command.input.text) : null;
    case 'xxd':
      return readOptions(command.args).has('r') ? decodedHex(command.input.text) : null;
    case 'sort':
    case 'uniq':
    case 'tac':
      return readOptions(command.args).operands.length === 0 ? command.input.text : null;
    case 'which':
    case 'type':
    case 'whence':
      return programAt(readOptions(command.args).operands[0]);
    case 'command':
      return readOptions(command.args, { isPrefix: true }).has('v') ? programAt(command.args[1]) : null;
    case 'realpath':
    case 'readlink':
      return resolved(command, shell);
    case 'dirname':
    case 'basename':
      return partOf(command);
    case 'whoami':
    case 'logname':
      return valueAt(shell.variables.get('USER'), '0')?.text ?? null;
    case 'id':
      return texts.join(' ') === '-un' ? (valueAt(shell.variables.get('USER'), '0')?.text ?? null) : null;
    case 'printenv':
      return valueAt(shell.variables.get(texts[0] ?? ''), '0')?.text ?? null;
    case 'mktemp':
      return texts.some((text) => !text.startsWith('-')) ? null : `/tmp/tmp.${UNKNOWN}`;
    case '':
      // `$(<file)`
      return command.redirections.some(({ operator }) => operator === '<') ? command.input.text : null;
    case 'git':
      return texts.join(' ') === 'rev-parse --show-toplevel' ? shell.project : null;
    default:
      return null;
  }
}

/** Where programs usually lie; only the name matters. */
function programAt(name: Arg | undefined): string | null {
  return name === undefined || name.text.includes('/') ? null : `/usr/bin/${name.text}`;
}

/** Links are not followed; without them it is the path itself. */
function resolved(command: Command, shell: Shell): string | null {
  const options = readOptions(command.args, { names: ['relative-to', 'relative-base'] });
  const [path] = options.operands;
  if (path === undefined || options.operands.length > 1 || path.text.includes(UNKNOWN)) return null;
  return resolvePath(path.text, command.cwd, shell.home);
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

function concatenated(command: Command, shell: Shell): string | null {
  const { operands } = readOptions(command.args);
  if (operands.length === 0) return command.input.text;
  const texts = operands.map(({ text }) => {
    if (text === '-') return command.input.text;
    const path = resolvePath(text, command.cwd, shell.home);
    return path === null ? null : (shell.files.get(path)?.text ?? null);
  });
  return texts.includes(null) ? null : texts.join('');
}

function decodedBase64(text: string | null): string | null {
  if (text === null || text.includes(UNKNOWN)) return null;
  try {
    return atob(text.replaceAll(/\s/g, ''));
  } catch {
    // Not base64: whoever reads it gets nothing that we could tell.
    return null;
  }
}

function decodedHex(text: string | null): string | null {
  const digits = text?.replaceAll(/\s/g, '') ?? '';
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return null;
  return decodeEscapes(digits.replaceAll(/../g, String.raw`\x$&`));
}
