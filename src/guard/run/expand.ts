/** Expands a word into the arguments that a shell would make of it. */
import type { ParameterExpansionPart, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { type Arg, type Flow, nearest, plainArg, UNKNOWN } from '../command.ts';
import { isSecretName } from '../paths.ts';
import { parameterValue } from './parameters.ts';
import { childrenOf, parsed } from './parse.ts';
import { joinedValues, type Shell, type Variable, valueNamed } from './shell.ts';

/** The shell in which a word is expanded, and what to do with the scripts in it. */
export interface Expander {
  readonly shell: Shell;
  readonly output: (script: ParsedScript | undefined) => Flow;
  /** Receives a script that reads the command's output: `> >(script)`. */
  readonly sink: (script: ParsedScript | undefined) => void;
}

interface Piece {
  readonly arg: Arg;
  /** Not split at spaces. */
  readonly isWhole: boolean;
  readonly isLiteral?: true;
  /** The next element of a list: a separate word, even in quotes. */
  readonly startsWord?: true;
}

const LONGEST_EXPANSION = 4000;
const FIRST_PIPE = 63;
const SPACES = /\s+/;

/** Returns zero or more arguments: braces, lists, and variables whose value has spaces can make several. */
export function expandWord(word: Word, expander: Expander): Arg[] {
  if (word.parts?.some(({ type }) => type === 'BraceExpansion') !== true) return fieldsOf(word, expander);
  return expandBraces(word.text).flatMap((source) => {
    const statement = parsed(`: ${source}`)?.commands[0];
    const made = statement?.command.type === 'Command' ? statement.command.args : [];
    const first = made.find((arg) => arg.type === 'Word');
    return first === undefined ? [] : fieldsOf(first, expander);
  });
}

/** Expands to a single text, as in an assignment or after `>`. */
export function expandWhole(word: Word, expander: Expander): Arg {
  return joined(wordPieces(word, expander));
}

export function expandText(parts: readonly WordPart[], expander: Expander): Arg {
  return joined(bounded(parts.flatMap((part) => piecesOf(part, expander, true))));
}

/** Walks all substitutions in a node, and returns nothing. */
export function runSubstitutions(node: SyntaxNode, expander: Expander): void {
  // Not recursive: a sum may have ten thousand terms, each nested deeper than the last.
  const waiting: SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    switch (next.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        expander.output(next.script);
        break;
      default:
        for (const child of childrenOf(next).toReversed()) waiting.push(child);
    }
  }
}

function wordPieces(word: Word, expander: Expander): readonly Piece[] {
  const { parts } = word;
  if (parts === undefined) return [literal(withTilde(word.value, word.text, expander))];
  return bounded(
    parts.flatMap((part, at) =>
      at === 0 && part.type === 'Literal'
        ? [literal(withTilde(part.value, part.text, expander))]
        : piecesOf(part, expander, false),
    ),
  );
}

/** `~+` is the current folder, `~-` the previous one; a plain `~` is left to `paths.ts`. */
function withTilde(value: string, source: string, { shell }: Expander): string {
  const [all, sign] = /^~([+-])(?=\/|$)/.exec(source) ?? [];
  if (all === undefined) return value;
  const folder = sign === '+' ? shell.cwd : valueNamed('OLDPWD', shell)?.text;
  return `${folder ?? UNKNOWN}${value.slice(all.length)}`;
}

function piecesOf(part: WordPart, expander: Expander, isQuoted: boolean): Piece[] {
  const { shell } = expander;
  switch (part.type) {
    case 'Literal':
    case 'Glob':
    case 'SingleQuoted':
      return [literal(part.value)];
    case 'AnsiCQuoted':
      // A shell ends the text at a NUL.
      return [literal(part.value.split('\0')[0] ?? '')];
    case 'DoubleQuoted':
    case 'LocaleString':
      // An empty string is a word, too; `"$@"` without parameters is not.
      if (part.parts.length === 0) return [literal('')];
      return part.parts.flatMap((child) => piecesOf(child, expander, true)).map((each) => ({ ...each, isWhole: true }));
    case 'SimpleExpansion': {
      const name = part.text.slice(1);
      if (name === '@' || name === '*') return listPieces(shell.variables.get(name), name, isQuoted);
      return [{ arg: valueNamed(name, shell) ?? unknownValue(name), isWhole: isQuoted }];
    }
    case 'ParameterExpansion':
      return parameterPieces(part, expander, isQuoted);
    case 'CommandExpansion': {
      const { text, from } = expander.output(part.script);
      return [{ arg: { text: text?.replace(/\n+$/, '') ?? UNKNOWN, from }, isWhole: isQuoted }];
    }
    case 'ArithmeticExpansion':
      if (part.expression !== undefined) runSubstitutions(part.expression, expander);
      return [literal(UNKNOWN)];
    case 'ProcessSubstitution': {
      const path = `/dev/fd/${FIRST_PIPE + shell.files.size}`;
      if (part.operator === '>') {
        expander.sink(part.script);
        return [literal(path)];
      }
      const output = expander.output(part.script);
      shell.files.set(path, output);
      return [{ arg: { text: path, from: output.from }, isWhole: true }];
    }
    case 'ExtendedGlob':
      runSubstitutions(part, expander);
      return [literal(part.text)];
    case 'BraceExpansion':
      return [literal(part.text)];
  }
}

function literal(text: string): Piece {
  return { arg: plainArg(text), isWhole: true, isLiteral: true };
}

function parameterPieces(part: ParameterExpansionPart, expander: Expander, isQuoted: boolean): Piece[] {
  const { parameter, index, operation, prefix } = part;
  const { variables } = expander.shell;
  const mark = index === undefined ? parameter : index.text;
  const isList = (mark === '@' || mark === '*') && prefix === undefined && operation?.type !== 'Default';
  if (isList) {
    if (operation !== undefined) runSubstitutions(part, expander);
    return listPieces(variables.get(parameter), mark, isQuoted);
  }
  const value = parameterValue(part, variables, (word) => expandWhole(word, expander));
  return [{ arg: value.text === UNKNOWN ? { ...unknownValue(parameter), ...value } : value, isWhole: isQuoted }];
}

function listPieces(variable: Variable | undefined, mark: string, isQuoted: boolean): Piece[] {
  if (variable === undefined) return [{ arg: plainArg(UNKNOWN), isWhole: isQuoted }];
  if (mark === '*' && isQuoted) return [{ arg: joinedValues(variable), isWhole: true }];
  return [...variable.values()].map((arg) => ({ arg, isWhole: isQuoted, startsWord: true }));
}

function unknownValue(name: string): Arg {
  return isSecretName(name) ? { text: UNKNOWN, from: [], secrets: [name] } : plainArg(UNKNOWN);
}

/** `x=$x$x` grows exponentially: what expands to more than the limit is unknown. */
function bounded(pieces: readonly Piece[]): readonly Piece[] {
  let left = LONGEST_EXPANSION;
  return pieces.map((piece) => {
    if (piece.isLiteral === true) return piece;
    left -= piece.arg.text.length;
    return left >= 0 ? piece : { ...piece, arg: { ...piece.arg, text: UNKNOWN } };
  });
}

function joined(pieces: readonly Piece[]): Arg {
  return pieces.reduce<Arg>((all, { arg, startsWord }, at) => {
    const gap = startsWord === true && at > 0 ? ' ' : '';
    return joinedArgs(all, { ...arg, text: `${gap}${arg.text}` });
  }, plainArg(''));
}

function joinedArgs(one: Arg, other: Arg): Arg {
  const secrets = [...(one.secrets ?? []), ...(other.secrets ?? [])];
  const from = other.from.length === 0 ? one.from : nearest([...one.from, ...other.from]);
  const text = `${one.text}${other.text}`;
  return secrets.length === 0 ? { text, from } : { text, from, secrets };
}

/** Splits unquoted expansions at spaces. */
function fieldsOf(word: Word, expander: Expander): Arg[] {
  const splitter = separators(valueNamed('IFS', expander.shell)?.text ?? ' ');
  const fields: Arg[] = [];
  let isOpen = false;
  const add = (arg: Arg) => {
    const last = isOpen ? fields.pop() : undefined;
    fields.push(last === undefined ? arg : joinedArgs(last, arg));
    isOpen = true;
  };
  for (const { arg, isWhole, startsWord } of wordPieces(word, expander)) {
    if (startsWord === true) isOpen = false;
    const texts = isWhole ? [arg.text] : arg.text.split(splitter);
    for (const [index, text] of texts.entries()) {
      if (index > 0) isOpen = false;
      if (isWhole || text !== '') add({ ...arg, text });
    }
  }
  return fields;
}

/** Where a shell splits: at spaces, or at the characters in IFS. */
export function separators(ifs: string): RegExp {
  if (ifs.trim() === '' || ifs.includes(UNKNOWN)) return SPACES;
  return new RegExp(`[${ifs.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]`);
}

const MOST = 64;
const LONGEST = 2000;

/** Expands the braces in the source of a word into the sources of several words. */
function expandBraces(source: string, from = 0): string[] {
  const marks = source.length > LONGEST ? null : firstGroup(source, from);
  if (marks === null) return [source];
  const [start = 0, ...ends] = marks;
  const after = source.slice((ends.at(-1) ?? 0) + 1);
  const all: string[] = [];
  for (const [index, end] of ends.entries()) {
    if (all.length >= MOST) break;
    const choice = source.slice((marks[index] ?? 0) + 1, end);
    all.push(...expandBraces(`${source.slice(0, start)}${choice}${after}`, start));
  }
  return all.slice(0, MOST);
}

/** The positions of the first `{` that is closed and has a comma, its commas, and its `}`. */
function firstGroup(source: string, from: number): number[] | null {
  for (let at = from; at < source.length; at = skip(source, at)) {
    const group = source.charAt(at) === '{' ? groupAt(source, at) : null;
    if (group !== null) return group;
  }
  return null;
}

function groupAt(source: string, start: number): number[] | null {
  const marks = [start];
  let open = 0;
  for (let at = start; at < source.length; at = skip(source, at)) {
    const char = source.charAt(at);
    if (char === '{') open++;
    else if (char === ',' && open === 1) marks.push(at);
    else if (char === '}' && --open === 0) return marks.length === 1 ? null : [...marks, at];
  }
  return null;
}

/** Quotes, escapes and expansions, in which braces have no meaning. */
const OPAQUE = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\$\{[^{}]*\}|\$\([^()]*\)/sy;

function skip(source: string, at: number): number {
  OPAQUE.lastIndex = at;
  return at + (OPAQUE.exec(source)?.[0].length ?? 1);
}
