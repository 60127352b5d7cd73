/** `${name…}`: applies its operators to a value, as far as text can tell. */
import { forEachChild, type ParameterExpansionPart, type ParameterOperation, type Word } from 'unbash';
import { type Arg, list, plainArg, UNKNOWN } from '../command.ts';
import { type Variables, valueAt } from './shell.ts';

type Whole = (word: Word) => Arg;

const LONGEST_PATTERN = 100;
const LONGEST_VALUE = 500;
const NOT_KNOWN = plainArg(UNKNOWN);

/** Not for `${list[@]}`, which is several words. */
export function parameterValue(part: ParameterExpansionPart, variables: Variables, whole: Whole): Arg {
  const index = part.index === undefined ? '0' : whole(part.index).text;
  const direct = valueAt(variables.get(part.parameter), index);
  const isPointer = part.prefix === '!' && part.operation?.type !== 'Names';
  const value = isPointer ? variables.get(direct?.text ?? '')?.get('0') : direct;
  if (part.prefix === '#') return NOT_KNOWN;
  return part.operation === undefined ? (value ?? NOT_KNOWN) : changed(part.operation, value, whole);
}

function changed(operation: ParameterOperation, value: Arg | undefined, whole: Whole): Arg {
  if (operation.type === 'Default') return withDefault(operation, value, whole);
  // The result for an unknown value is unknown, but the operator's words are expanded anyway.
  forEachChild(operation, (word) => {
    if (word.type === 'Word') whole(word);
  });
  if (value === undefined || value.text.includes(UNKNOWN) || value.text.length > LONGEST_VALUE) return NOT_KNOWN;
  const text = changedText(operation, value.text, (word) => whole(word).text);
  return text === null ? NOT_KNOWN : { ...value, text };
}

type Default = Extract<ParameterOperation, { type: 'Default' }>;

function withDefault({ operator, operand }: Default, value: Arg | undefined, whole: Whole): Arg {
  const other = whole(operand);
  if (operator.endsWith('+')) return other;
  if (operator.endsWith('?')) return value ?? NOT_KNOWN;
  // The default applies if no value is known.
  return value === undefined || (operator.startsWith(':') && value.text === '')
    ? other
    : { ...value, from: [...value.from, ...other.from] };
}

function changedText(operation: ParameterOperation, value: string, textOf: (word: Word) => string): string | null {
  switch (operation.type) {
    case 'Remove':
      return withoutAffix(operation.operator, textOf(operation.operand), value);
    case 'Replace':
      return replaced(operation.operator, textOf(operation.pattern), textOf(operation.replacement), value);
    case 'Slice':
      return slice(value, textOf(operation.offset), operation.length === undefined ? null : textOf(operation.length));
    case 'CaseModification':
      return inOtherCase(value, operation.operator);
    case 'Transform':
      // `@Q` quotes, `@U` changes the case …: the unchanged value is the best guess.
      return value;
    default:
      return null;
  }
}

function withoutAffix(operator: '#' | '##' | '%' | '%%', glob: string, value: string): string | null {
  if (glob.includes(UNKNOWN) || glob.length > LONGEST_PATTERN) return null;
  const cuts = Array.from({ length: value.length + 1 }, (_, at) => at);
  const isPrefix = operator.startsWith('#');
  // `#` and `%` remove as little as possible, `##` and `%%` as much.
  const ordered = isPrefix === (operator.length === 1) ? cuts : cuts.toReversed();
  const cut = ordered.find((at) => fitsGlob(glob, isPrefix ? value.slice(0, at) : value.slice(at)));
  if (cut === undefined) return value;
  return isPrefix ? value.slice(cut) : value.slice(0, cut);
}

/** Only plain text is replaced; what a pattern would match is not known. */
function replaced(operator: '/' | '//' | '/#' | '/%', found: string, by: string, value: string): string | null {
  if (/[*?[\0]/.test(found) || found === '') return null;
  switch (operator) {
    case '/':
      return value.replace(found, () => by);
    case '//':
      return value.replaceAll(found, () => by);
    case '/#':
      return value.startsWith(found) ? `${by}${value.slice(found.length)}` : value;
    case '/%':
      return value.endsWith(found) ? `${value.slice(0, -found.length)}${by}` : value;
  }
}

function slice(value: string, offset: string, length: string | null): string | null {
  const isNumber = (text: string) => /^\s*-?\d+\s*$/.test(text);
  if (!isNumber(offset) || (length !== null && !isNumber(length))) return null;
  const start = Number(offset) < 0 ? Math.max(value.length + Number(offset), 0) : Number(offset);
  if (length === null) return value.slice(start);
  const size = Number(length);
  return value.slice(start, size < 0 ? value.length + size : start + size);
}

/** `^^` and `,,` change all letters, `^` and `,` only the first. */
function inOtherCase(value: string, operator: string): string {
  const end = operator.length === 2 ? value.length : 1;
  const head = value.slice(0, end);
  return `${operator.startsWith('^') ? head.toUpperCase() : head.toLowerCase()}${value.slice(end)}`;
}

/** Dangerous programs that a glob could hide: `/bin/r?`. */
const HIDDEN = list('rm dd sh bash shred chmod chown curl wget nc mv cat tee sudo');

export function nameOfProgram(program: string): string {
  const name = program.split('/').at(-1) ?? '';
  if (!program.includes('/') || !/[*?[]/.test(name)) return name;
  return HIDDEN.find((each) => fitsGlob(name, each)) ?? name;
}

/** `[…]` matches any character: the guard should rather see too much. */
function fitsGlob(pattern: string, text: string): boolean {
  const simple = pattern.replaceAll(/\[[^\]]+\]/g, '?');
  let [at, position] = [0, 0];
  // Position of the last star, and how much it has matched: only that is retried, which keeps the time bounded.
  let [star, taken] = [-1, 0];
  while (position < text.length) {
    if (simple.charAt(at) === '*') {
      [star, taken] = [at, position];
      at++;
    } else if (at < simple.length && (simple.charAt(at) === '?' || simple.charAt(at) === text.charAt(position))) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++taken;
    } else return false;
  }
  return /^\**$/.test(simple.slice(at));
}
