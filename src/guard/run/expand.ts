/** Turns a word into the arguments that a shell would make of it. */
import { type Arg, type Command, type Flow, nearest, UNKNOWN } from '../command.ts';
import type { Script, Unit, Word } from '../shell/syntax.ts';
import { expandBraces } from './braces.ts';
import type { Shell } from './shell-state.ts';

/** Runs a script inside a word and tells what it prints. */
export type Listen = (script: Script) => Flow;

interface Piece {
  /** Written so, not expanded. */
  readonly isLiteral?: boolean;
  readonly text: string;
  readonly isQuoted: boolean;
  readonly from: readonly Command[];
}

const LONGEST_EXPANSION = 4000;

/** No, one or several arguments: braces, and variables whose value has spaces. */
export function expandWord(word: Word, shell: Shell, listen: Listen): Arg[] {
  return expandBraces(word).flatMap((each) => fieldsOf(each.flatMap((unit) => piecesOf(unit, shell, listen))));
}

/** One text, as in an assignment or after `>`. */
export function expandWhole(word: Word, shell: Shell, listen: Listen): Arg {
  const pieces = word.flatMap((unit) => piecesOf(unit, shell, listen));
  return {
    text: bounded(pieces)
      .map(({ text }) => text)
      .join(''),
    from: nearest(pieces.flatMap(({ from }) => from)),
  };
}

function piecesOf(unit: Unit, shell: Shell, listen: Listen): Piece[] {
  switch (unit.kind) {
    case 'text':
      return [{ text: unit.text, isLiteral: true, isQuoted: true, from: [] }];
    case 'quoted': {
      const { text, from } = expandWhole(unit.word, shell, listen);
      // `"$@"` and `"${list[@]}"` are several words even between quotes.
      const isList = unit.word.some((each) => each.kind === 'variable' && !each.isQuoted);
      return [{ text, isQuoted: !isList, from }];
    }
    case 'variable': {
      const { text, from } = variableValue(unit, shell, listen);
      return [{ text, isQuoted: unit.isQuoted, from }];
    }
    case 'output': {
      const { text, from } = listen(unit.script);
      return [{ text: text?.replace(/\n+$/, '') ?? UNKNOWN, isQuoted: unit.isQuoted, from }];
    }
    case 'process':
      return [{ text: '/dev/fd/63', isQuoted: true, from: listen(unit.script).from }];
    case 'unknown':
      return [{ text: UNKNOWN, isQuoted: true, from: [] }];
  }
}

function variableValue(unit: Extract<Unit, { kind: 'variable' }>, shell: Shell, listen: Listen): Arg {
  const known = shell.variables.get(unit.name);
  if (unit.change === null) return { text: known ?? UNKNOWN, from: [] };
  if (unit.change === 'unknown') return { text: UNKNOWN, from: [] };
  const other = expandWhole(unit.change.word, shell, listen);
  if (unit.change.operator === 'alternative') return other;
  // Unset as far as we know: what stands for it is what we know.
  return known === undefined ? other : { text: known, from: other.from };
}

/** `x=$x$x` grows beyond all memory: what expands to more than anybody reads is unknown. */
function bounded(pieces: readonly Piece[]): readonly Piece[] {
  let left = LONGEST_EXPANSION;
  return pieces.map((piece) => {
    if (piece.isLiteral === true) return piece;
    left -= piece.text.length;
    return left >= 0 ? piece : { ...piece, text: UNKNOWN };
  });
}

/** Splits at the spaces of what was expanded without quotes. */
function fieldsOf(pieces: readonly Piece[]): Arg[] {
  const fields: { text: string; from: readonly Command[] }[] = [];
  let open: { text: string; from: readonly Command[] } | null = null;
  for (const { text, isQuoted, from } of bounded(pieces)) {
    const parts = isQuoted ? [text] : text.split(/\s+/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) open = null;
      if (part === '' && !isQuoted) continue;
      if (open === null) {
        open = { text: '', from: [] };
        fields.push(open);
      }
      open.text += part;
      open.from = nearest([...open.from, ...from]);
    }
  }
  return fields;
}
