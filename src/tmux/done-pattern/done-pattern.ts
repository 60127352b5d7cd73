/** Translates `--done-pattern` from Python's regular expressions to JavaScript's, or refuses what that cannot do. */
import { RalphError } from '../../core/error.ts';

/** Throws a RalphError that says what is wrong with the pattern. */
export function parseDonePattern(source: string): RegExp {
  const refuse = (what: string): never => {
    throw new RalphError('done-pattern', `invalid --done-pattern '${source}': ${what}`, {
      hint: 'It is a regular expression as in Python, such as "All tasks complete" or "(?i)plan.*100%".',
      exitCode: 1,
    });
  };
  const [leading = ''] = /^(?:\(\?[a-zA-Z]+\))*/.exec(source) ?? [];
  const flags = new Set(leading.replaceAll(/[(?)]/g, ''));
  for (const flag of flags) if (!KNOWN_FLAGS.includes(flag)) refuse(`the flag (?${flag}) is not supported`);
  const translated = translate(source.slice(leading.length), rulesFor(flags, refuse));
  try {
    return new RegExp(translated, flags.has('i') ? 'giu' : 'gu');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse(why.replace(/^Invalid regular expression: \/.*\/\w*: /s, ''));
  }
}

/** `i`gnore case, `m`ultiline, dot for all (`s`), `a`scii only; Unicode (`u`) is the default here and in Python. */
const KNOWN_FLAGS = 'imsau';

/** A token of Python's, and its translation: a text, or a function of the match and its groups. */
type Rule = readonly [token: RegExp, meaning: string | ((token: string, ...groups: string[]) => string)];

/** Applies the first rule that matches; anything else stays as it is. */
function translate(source: string, rules: readonly Rule[]): string {
  let out = '';
  for (let at = 0; at < source.length; ) {
    let [taken, text] = [1, source.charAt(at)];
    for (const [token, meaning] of rules) {
      token.lastIndex = at;
      const match = token.exec(source);
      if (match === null) continue;
      taken = match[0].length;
      text = typeof meaning === 'string' ? meaning : meaning(...(match as string[] as [string, ...string[]]));
      break;
    }
    out += text;
    at += taken;
  }
  return out;
}

/** The beginning and the end of the whole text, whatever the flags. */
const TEXT_START = String.raw`(?<![\s\S])`;
const TEXT_END = String.raw`(?![\s\S])`;

function rulesFor(flags: ReadonlySet<string>, refuse: (what: string) => never): readonly Rule[] {
  // Letters and digits of all languages, as in Python; JavaScript's own only include the English ones.
  const word = flags.has('a') ? String.raw`\w` : String.raw`\p{L}\p{N}_`;
  const sets: Readonly<Record<string, string>> = {
    d: flags.has('a') ? '0-9' : String.raw`\p{Nd}`,
    w: word,
    s: String.raw`\s`,
  };
  const setOf = (letter: string): string => sets[letter.toLowerCase()] ?? '';
  const [before, after] = [`(?<=[${word}])`, `(?=[${word}])`];
  const [notBefore, notAfter] = [`(?<![${word}])`, `(?![${word}])`];
  const refuseInClass = (token: string): never => refuse(`${token.slice(0, 2)} inside a class […] is not supported`);
  const escapes: readonly Rule[] = [
    [/\\$/y, () => refuse('it ends in a single backslash')],
    [/\\a/y, String.raw`\x07`],
    // An octal number begins with 0 or has three digits; any other number is a group.
    [/\\(0[0-7]{0,2}|[0-3][0-7]{2})/y, (_, octal = '') => hex(Number.parseInt(octal, 8))],
    [/\\(?:[fnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4})/y, (same) => same],
    [/\\U([\da-fA-F]{8})/y, (_, code = '') => hex(Number.parseInt(code, 16))],
    [/\\([a-zA-Z])/y, (_, letter) => refuse(`the escape \\${letter} is not supported`)],
    [/\\([^\d])/uy, (_, character = '') => literal(character)],
  ];
  const inClass: readonly Rule[] = [
    [/\\[dws]/y, (token) => setOf(token.charAt(1))],
    [/\\S/y, String.raw`\S`],
    // A backspace.
    [/\\b/y, String.raw`\x08`],
    [/\\B/y, () => refuse('\\B inside a class […]')],
    [/\\[AZDW]/y, refuseInClass],
    ...escapes,
    [/\\[1-9]/y, refuseInClass],
    [/[[\]^]/y, (character) => `\\${character}`],
  ];
  return [
    [/\\A/y, TEXT_START],
    [/\\Z/y, TEXT_END],
    [/\\b/y, `(?:${before}${notAfter}|${notBefore}${after})`],
    [/\\B/y, `(?:${before}${after}|${notBefore}${notAfter})`],
    [/\\[dws]/y, (token) => `[${setOf(token.charAt(1))}]`],
    [/\\[DWS]/y, (token) => `[^${setOf(token.charAt(1))}]`],
    ...escapes,
    // In a group of its own, so that a digit after it is not read as part of its number.
    [/\\[1-9]\d?/y, (group) => `(?:${group})`],
    // A bracket in first place is text in Python; JavaScript would take it for the end of the class.
    [
      /\[(\^|(?!\^))((?:\\[\s\S]|[^\\])(?:\\[\s\S]|[^\]\\])*)\]/y,
      (_, not, body = '') => `[${not}${translate(body, inClass)}]`,
    ],
    [
      /\[\^?([\s\S]*)/y,
      (_, rest = '') => {
        // An error inside the class is reported first.
        translate(rest, inClass);
        return refuse('a class [… is never closed');
      },
    ],
    [/\(\?(?::|=|!|<=|<!)/y, (same) => same],
    [/\(\?P<(\w+)>/y, (_, name) => `(?<${name}>`],
    [/\(\?P=(\w+)\)/y, (_, name) => `\\k<${name}>`],
    [/\(\?#[^)]*\)/y, ''],
    [/\(\?>/y, () => refuse('an atomic group (?>…) is not supported')],
    [/\(\?\(/y, () => refuse('a conditional group (?(…)…|…) is not supported')],
    [/\(\?[a-zA-Z]+\)/y, () => refuse('flags such as (?i) must be at the beginning')],
    [/\(\?[a-zA-Z]*-?[a-zA-Z]+:/y, () => refuse('flags for a part of it, (?i:…), are not supported')],
    [/\(\?[\s\S]?/y, (token) => refuse(`unknown extension ${token}`)],
    [/\^/y, flags.has('m') ? String.raw`(?<![^\n])` : TEXT_START],
    [/\$/y, flags.has('m') ? String.raw`(?![^\n])` : String.raw`(?=\n?${TEXT_END})`],
    [/\./y, flags.has('s') ? String.raw`[\s\S]` : String.raw`[^\n]`],
    [
      /(?:\{(?:\d+(?:,\d*)?|,\d+)\}|[*+?{])\+/y,
      (token) => refuse(`a possessive repetition ${token.slice(-2)} is not supported`),
    ],
    [/\{(\d+,?\d*)\}/y, (same) => same],
    [/\{,(\d+)\}/y, (_, most) => `{0,${most}}`],
    // Braces that are not a repetition are text in Python.
    [/[{}\]/]/y, (character) => `\\${character}`],
  ];
}

/** The character itself, inside and outside a class. */
const literal = (text: string) => (/^[\^$\\.*+?()[\]{}|/-]$/.test(text) ? hex(text.charCodeAt(0)) : text);
const hex = (code: number) => `\\u{${code.toString(16)}}`;
