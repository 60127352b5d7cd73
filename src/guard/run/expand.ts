/** Turns a word into the arguments that a shell would make of it. */
import {
  type CommandExpansionPart,
  forEachChild,
  type ParameterExpansionPart,
  type ProcessSubstitutionPart,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { type Arg, type Command, type Flow, nearest, plainArg, UNKNOWN } from '../command.ts';
import { isSecretName } from '../secrets.ts';
import { expandBraces } from './braces.ts';
import { parameterValue } from './parameters.ts';
import { parsed } from './parse.ts';
import { joinedValues, type Shell, type Variable, valueAt } from './shell.ts';

type Substitution = CommandExpansionPart['script'];

/** Runs a script inside a word. */
export interface Listener {
  /** Tells what it prints. */
  readonly output: (script: Substitution) => Flow;
  /** It gets what the command prints: `> >(script)`. */
  readonly sink: (script: ProcessSubstitutionPart['script']) => void;
}

interface Piece {
  readonly arg: Arg;
  /** Not split at its spaces. */
  readonly isWhole: boolean;
  /** Written so, not expanded. */
  readonly isLiteral?: true;
  /** Another element of a list: a word of its own, even between quotes. */
  readonly startsWord?: true;
}

const LONGEST_EXPANSION = 4000;
const FIRST_PIPE = 63;

/** No, one or several arguments: braces, lists, and variables whose value has spaces. */
export function expandWord(word: Word, shell: Shell, listener: Listener): Arg[] {
  const { parts } = word;
  if (parts === undefined) return [plainArg(withTilde(word.value, word.text, shell))];
  if (!parts.some(({ type }) => type === 'BraceExpansion')) return fieldsOf(word, parts, shell, listener);
  return expandBraces(word.text).flatMap((source) => {
    const [made] = wordsIn(source);
    return made === undefined ? [] : fieldsOf(made, made.parts, shell, listener);
  });
}

/** One text, as in an assignment or after `>`. */
export function expandWhole(word: Word, shell: Shell, listener: Listener): Arg {
  const { parts } = word;
  if (parts === undefined) return plainArg(withTilde(word.value, word.text, shell));
  return joined(bounded(wordPieces(parts, shell, listener)));
}

/** The text of a here-document. */
export function expandText(parts: readonly WordPart[], shell: Shell, listener: Listener): Arg {
  return joined(bounded(parts.flatMap((part) => piecesOf(part, shell, listener, true))));
}

/** Runs whatever is substituted somewhere in it, and tells nothing. */
export function hear(node: SyntaxNode, listener: Listener): void {
  // Not by recursion: a sum may have ten thousand terms, each one deeper than the last.
  const waiting: SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    switch (next.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        listener.output(next.script);
        break;
      default: {
        const children: SyntaxNode[] = [];
        forEachChild(next, (child) => children.push(child));
        for (const child of children.toReversed()) waiting.push(child);
      }
    }
  }
}

function wordsIn(source: string): Word[] {
  const statement = parsed(`: ${source}`)?.commands[0];
  if (statement?.command.type !== 'Command') return [];
  return statement.command.args.flatMap((arg) => (arg.type === 'Word' ? [arg] : []));
}

/** `~+` is where the shell is, `~-` where it was; the home folder's `~` is left for paths to tell. */
function withTilde(value: string, source: string, shell: Shell): string {
  const [all, sign] = /^~([+-])(?=\/|$)/.exec(source) ?? [];
  if (all === undefined) return value;
  const folder = sign === '+' ? shell.cwd : valueAt(shell.variables.get('OLDPWD'), '0')?.text;
  return `${folder ?? UNKNOWN}${value.slice(all.length)}`;
}

function wordPieces(parts: readonly WordPart[], shell: Shell, listener: Listener): Piece[] {
  return parts.flatMap((part, at) =>
    at === 0 && part.type === 'Literal'
      ? [literal(withTilde(part.value, part.text, shell))]
      : piecesOf(part, shell, listener, false),
  );
}

function piecesOf(part: WordPart, shell: Shell, listener: Listener, isQuoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'Glob':
    case 'SingleQuoted':
      return [literal(part.value)];
    case 'AnsiCQuoted':
      // A shell ends the text there.
      return [literal(part.value.split('\0')[0] ?? '')];
    case 'DoubleQuoted':
    case 'LocaleString':
      return inQuotes(
        part.parts.flatMap((child) => piecesOf(child, shell, listener, true)),
        part.parts.length === 0,
      );
    case 'SimpleExpansion':
      return variablePieces(part.text.slice(1), shell, isQuoted);
    case 'ParameterExpansion':
      return parameterPieces(part, shell, listener, isQuoted);
    case 'CommandExpansion': {
      const { text, from } = listener.output(part.script);
      return [{ arg: { text: text?.replace(/\n+$/, '') ?? UNKNOWN, from }, isWhole: isQuoted }];
    }
    case 'ArithmeticExpansion':
      if (part.expression !== undefined) hear(part.expression, listener);
      return [literal(UNKNOWN)];
    case 'ProcessSubstitution': {
      const path = `/dev/fd/${FIRST_PIPE + shell.files.size}`;
      if (part.operator === '>') {
        listener.sink(part.script);
        return [literal(path)];
      }
      const output = listener.output(part.script);
      shell.files.set(path, output);
      return [{ arg: { text: path, from: output.from }, isWhole: true }];
    }
    case 'ExtendedGlob':
      hear(part, listener);
      return [literal(part.text)];
    case 'BraceExpansion':
      return [literal(part.text)];
  }
}

function literal(text: string): Piece {
  return { arg: plainArg(text), isWhole: true, isLiteral: true };
}

/** An empty string is a word too; `"$@"` without parameters is none. */
function inQuotes(pieces: readonly Piece[], isEmpty: boolean): Piece[] {
  if (isEmpty) return [literal('')];
  return pieces.map((piece) => ({ ...piece, isWhole: true }));
}

function variablePieces(name: string, shell: Shell, isQuoted: boolean): Piece[] {
  const variable = shell.variables.get(name);
  if (name === '@' || name === '*') return listPieces(variable, name, isQuoted);
  return [{ arg: valueAt(variable, '0') ?? unknownValue(name), isWhole: isQuoted }];
}

function parameterPieces(part: ParameterExpansionPart, shell: Shell, listener: Listener, isQuoted: boolean): Piece[] {
  const { parameter, index, operation, prefix } = part;
  const mark = index === undefined ? parameter : index.text;
  const isList = (mark === '@' || mark === '*') && prefix === undefined && operation?.type !== 'Default';
  if (isList) {
    if (operation !== undefined) hear(part, listener);
    return listPieces(shell.variables.get(parameter), mark, isQuoted);
  }
  const value = parameterValue(part, shell.variables, (word) => expandWhole(word, shell, listener));
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

/** `x=$x$x` grows beyond all memory: what expands to more than anybody reads is unknown. */
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
  const from: readonly Command[] = other.from.length === 0 ? one.from : nearest([...one.from, ...other.from]);
  const text = `${one.text}${other.text}`;
  return secrets.length === 0 ? { text, from } : { text, from, secrets };
}

/** Splits at the spaces of what was expanded without quotes. */
function fieldsOf(word: Word, parts: Word['parts'], shell: Shell, listener: Listener): Arg[] {
  if (parts === undefined) return [plainArg(withTilde(word.value, word.text, shell))];
  const separators = separatorsOf(shell);
  const fields: Arg[] = [];
  let isOpen = false;
  const add = (arg: Arg) => {
    const last = isOpen ? fields.pop() : undefined;
    fields.push(last === undefined ? arg : joinedArgs(last, arg));
    isOpen = true;
  };
  for (const { arg, isWhole, startsWord } of bounded(wordPieces(parts, shell, listener))) {
    if (startsWord === true) isOpen = false;
    if (isWhole) {
      add(arg);
      continue;
    }
    for (const [index, text] of arg.text.split(separators).entries()) {
      if (index > 0) isOpen = false;
      if (text !== '') add({ ...arg, text });
    }
  }
  return fields;
}

const SPACES = /\s+/;

/** Where a shell splits: at spaces, or at what the script has put into IFS. */
function separatorsOf(shell: Shell): RegExp {
  return separators(valueAt(shell.variables.get('IFS'), '0')?.text ?? ' ');
}

export function separators(ifs: string): RegExp {
  if (ifs.trim() === '' || ifs.includes(UNKNOWN)) return SPACES;
  return new RegExp(`[${ifs.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]`);
}
