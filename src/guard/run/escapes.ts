/** Decodes the backslash escapes of `$'…'`, `echo -e` and `printf`. */

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const NUMBERED = /^(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,4}))/;
const LAST_CODE_POINT = 0x10ffff;

export function decodeEscapes(text: string): string {
  let decoded = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char !== '\\' || at + 1 === text.length) {
      decoded += char;
      continue;
    }
    const [all, two, four, eight, octal] = NUMBERED.exec(text.slice(at + 1, at + 10)) ?? [];
    if (all !== undefined) {
      const digits = two ?? four ?? eight;
      decoded += character(digits === undefined ? Number.parseInt(octal ?? '0', 8) % 256 : Number.parseInt(digits, 16));
      at += all.length;
    } else {
      const next = text.charAt(at + 1);
      decoded += NAMED[next] ?? next;
      at++;
    }
  }
  return decoded;
}

/** A NUL ends a string in the shell, and is our sign for the unknown. */
function character(code: number): string {
  return code === 0 || code > LAST_CODE_POINT ? '' : String.fromCodePoint(code);
}
