/** Decodes the backslash escapes of `$'…'`, `echo -e` and `printf`. */

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

/** A NUL ends a string in the shell, and is our sign for the unknown. */
function character(code: number): string {
  return code === 0 || code > LAST_CODE_POINT ? '' : String.fromCodePoint(code);
}
