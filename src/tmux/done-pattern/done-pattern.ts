/**
 * Reads `--done-pattern`, a regular expression of Python's, as one of JavaScript's with the same meaning. What
 * JavaScript cannot do is refused by its name, never matched in some other way.
 */
import { RalphError } from '../../core/error.ts';
import { translateClass } from './class.ts';
import { type Escape, escapeAt, type Translation, WORD } from './escape.ts';

/** Throws a RalphError that says what is wrong with it. */
export function parseDonePattern(source: string): RegExp {
  const refuse = (what: string): never => {
    throw new RalphError('done-pattern', `invalid --done-pattern '${source}': ${what}`, {
      hint: 'It is a regular expression as in Python, such as "All tasks complete" or "(?i)plan.*100%".',
      exitCode: 1,
    });
  };
  const { flags, rest } = leadingFlags(source, refuse);
  const translated = translate(rest, { flags, refuse });
  try {
    return new RegExp(translated, flags.has('i') ? 'giu' : 'gu');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse(why.replace(/^Invalid regular expression: \/.*\/\w*: /s, ''));
  }
}

/** `i`gnore case, `m`ultiline, dot for all (`s`), `a`scii only; Unicode (`u`) is what both do anyway. */
const KNOWN_FLAGS = 'imsau';

function leadingFlags(source: string, refuse: Translation['refuse']): { flags: Set<string>; rest: string } {
  const flags = new Set<string>();
  let rest = source;
  for (let found = /^\(\?([a-zA-Z]+)\)/.exec(rest); found; found = /^\(\?([a-zA-Z]+)\)/.exec(rest)) {
    for (const flag of found[1] ?? '') {
      if (!KNOWN_FLAGS.includes(flag)) refuse(`the flag (?${flag}) is not supported`);
      flags.add(flag);
    }
    rest = rest.slice(found[0].length);
  }
  return { flags, rest };
}

/** The beginning and the end of the whole text, whatever the flags. */
const TEXT_START = String.raw`(?<![\s\S])`;
const TEXT_END = String.raw`(?![\s\S])`;

function translate(source: string, translation: Translation): string {
  const { flags, refuse } = translation;
  let out = '';
  for (let at = 0; at < source.length; ) {
    const character = source[at] ?? '';
    const rest = source.slice(at);
    const take = (length: number, text: string): void => {
      out += text;
      at += length;
    };
    if (character === '\\') {
      const meant = escapeAt(rest, translation);
      take(meant.length, outside(meant, flags.has('a')));
    } else if (character === '[') {
      const { length, text } = translateClass(rest, translation);
      take(length, text);
    } else if (rest.startsWith('(?')) {
      const { length, text } = groupOpening(rest, refuse);
      take(length, text);
    } else if (character === '^') take(1, flags.has('m') ? String.raw`(?<![^\n])` : TEXT_START);
    else if (character === '$') take(1, flags.has('m') ? String.raw`(?![^\n])` : String.raw`(?=\n?${TEXT_END})`);
    else if (character === '.') take(1, flags.has('s') ? String.raw`[\s\S]` : String.raw`[^\n]`);
    else if (character === '{') {
      const { length, text } = braces(rest);
      take(length, text);
      refusePossessive(source.slice(at - 1), refuse);
    } else if ('*+?'.includes(character)) {
      take(1, character);
      refusePossessive(rest, refuse);
    } else if (character === '}' || character === ']' || character === '/') take(1, `\\${character}`);
    else take(1, character);
  }
  return out;
}

function outside(meant: Escape, isAscii: boolean): string {
  switch (meant.kind) {
    case 'literal':
    case 'reference':
      return meant.text;
    case 'start':
      return TEXT_START;
    case 'end':
      return TEXT_END;
    case 'boundary':
      return boundary(meant.isNegated, isAscii ? String.raw`\w` : `[${WORD}]`);
    case 'set':
      return meant.isNegated ? `[^${meant.set}]` : `[${meant.set}]`;
  }
}

/** JavaScript's own knows only the letters of English. */
function boundary(isNegated: boolean, word: string): string {
  return isNegated
    ? `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
    : `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
}

/** What stands behind `(?`: the same in both languages, or with another spelling, or refused. */
function groupOpening(rest: string, refuse: Translation['refuse']): { length: number; text: string } {
  const same = /^\(\?(?::|=|!|<=|<!)/.exec(rest)?.[0];
  if (same !== undefined) return { length: same.length, text: same };
  const named = /^\(\?P<(\w+)>/.exec(rest);
  if (named) return { length: named[0].length, text: `(?<${named[1]}>` };
  const reference = /^\(\?P=(\w+)\)/.exec(rest);
  if (reference) return { length: reference[0].length, text: `\\k<${reference[1]}>` };
  const comment = /^\(\?#[^)]*\)/.exec(rest)?.[0];
  if (comment !== undefined) return { length: comment.length, text: '' };
  if (rest.startsWith('(?>')) return refuse('an atomic group (?>…) is not supported');
  if (rest.startsWith('(?(')) return refuse('a conditional group (?(…)…|…) is not supported');
  if (/^\(\?[a-zA-Z]+\)/.test(rest)) return refuse('flags such as (?i) must stand at the beginning');
  if (/^\(\?[a-zA-Z]*-?[a-zA-Z]+:/.test(rest)) return refuse('flags for a part of it, (?i:…), are not supported');
  return refuse(`unknown extension ${rest.slice(0, 3)}`);
}

/** Braces that are no repetition are text in Python. */
function braces(rest: string): { length: number; text: string } {
  const repeat = /^\{(\d*)(,?)(\d*)\}/.exec(rest);
  const [whole = '', least = '', comma = '', most = ''] = repeat ?? [];
  const isRepeat = repeat !== null && (comma === ',' || least !== '') && whole !== '{,}';
  return isRepeat ? { length: whole.length, text: `{${least || '0'}${comma}${most}}` } : { length: 1, text: '\\{' };
}

function refusePossessive(rest: string, refuse: Translation['refuse']): void {
  if (rest[1] === '+') refuse(`a possessive repetition ${rest.slice(0, 2)} is not supported`);
}
