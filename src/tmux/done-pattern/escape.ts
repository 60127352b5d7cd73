/** What a backslash means in a regular expression of Python's. */

export interface Translation {
  readonly flags: ReadonlySet<string>;
  refuse(what: string): never;
}

export type Escape = { readonly length: number } & (
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'reference'; readonly text: string }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'boundary'; readonly isNegated: boolean }
  /** What stands between the brackets of a class. */
  | { readonly kind: 'set'; readonly set: string; readonly isNegated: boolean }
);

/** Letters and digits of all languages, as in Python. */
export const WORD = String.raw`\p{L}\p{N}_`;

export function escapeAt(rest: string, { flags, refuse }: Translation): Escape {
  const letter = rest[1] ?? '';
  const isAscii = flags.has('a');
  switch (letter) {
    case '':
      return refuse('it ends in a single backslash');
    case 'A':
      return { kind: 'start', length: 2 };
    case 'Z':
      return { kind: 'end', length: 2 };
    case 'b':
    case 'B':
      return { kind: 'boundary', isNegated: letter === 'B', length: 2 };
    case 'd':
    case 'D':
      return { kind: 'set', set: isAscii ? '0-9' : String.raw`\p{Nd}`, isNegated: letter === 'D', length: 2 };
    case 'w':
    case 'W':
      return { kind: 'set', set: isAscii ? String.raw`\w` : WORD, isNegated: letter === 'W', length: 2 };
    case 's':
    case 'S':
      return { kind: 'set', set: String.raw`\s`, isNegated: letter === 'S', length: 2 };
    case 'a':
      return { kind: 'literal', text: String.raw`\x07`, length: 2 };
    default:
      return numbered(rest) ?? character(rest, letter, refuse);
  }
}

/** An octal number begins with 0 or has three digits; any other number is a group. */
function numbered(rest: string): Escape | null {
  const octal = /^\\(0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest);
  if (octal) return { kind: 'literal', text: hex(Number.parseInt(octal[1] ?? '', 8)), length: octal[0].length };
  const group = /^\\[1-9]\d?/.exec(rest)?.[0];
  // In a group of its own, so that a digit behind it stays one.
  return group === undefined ? null : { kind: 'reference', text: `(?:${group})`, length: group.length };
}

function character(rest: string, letter: string, refuse: Translation['refuse']): Escape {
  const same = /^\\(?:[fnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4})/.exec(rest)?.[0];
  if (same !== undefined) return { kind: 'literal', text: same, length: same.length };
  const long = /^\\U([\da-fA-F]{8})/.exec(rest);
  if (long) return { kind: 'literal', text: hex(Number.parseInt(long[1] ?? '', 16)), length: long[0].length };
  if (/[a-zA-Z]/.test(letter)) return refuse(`the escape \\${letter} is not supported`);
  const [whole = ''] = rest.slice(1);
  return { kind: 'literal', text: literal(whole), length: 1 + whole.length };
}

/** A character as itself, inside of a class and outside. */
export function literal(text: string): string {
  return /^[\^$\\.*+?()[\]{}|/-]$/.test(text) ? hex(text.charCodeAt(0)) : text;
}

function hex(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
