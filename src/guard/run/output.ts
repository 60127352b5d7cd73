/** What a command prints, where its text alone tells; else null. */
import { type Command, UNKNOWN } from '../command.ts';
import { readOptions } from '../options.ts';
import { resolvePath } from '../paths.ts';
import { decodeEscapes } from '../shell/escapes.ts';
import type { Shell } from './shell-state.ts';

const DECODE = ['d', 'D', 'decode'];

export function printedBy(command: Command, shell: Shell): string | null {
  const texts = command.args.map(({ text }) => text);
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
    case 'git':
      return texts.join(' ') === 'rev-parse --show-toplevel' ? shell.project : null;
    default:
      return null;
  }
}

function echoed(texts: readonly string[]): string {
  let at = 0;
  let decodes = false;
  for (; /^-[neE]+$/.test(texts[at] ?? ''); at++) if (texts[at]?.includes('e') === true) decodes = true;
  const text = texts.slice(at).join(' ');
  return `${decodes ? decodeEscapes(text) : text}\n`;
}

function printed([format = '', ...values]: readonly string[]): string {
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
