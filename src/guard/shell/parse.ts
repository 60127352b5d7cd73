/**
 * Reads the text of a shell command into its parts. It takes everything: where the text makes no sense, it goes on with
 * the next thing that does, because a guard that gives up on a strange line lets it through.
 */

import { isWord, literalOf, readAssignment } from './assignments.ts';
import { type Cursor, charAt, DEEPEST, isAtEnd, looksAt, take } from './cursor.ts';
import { readRedirection } from './redirections.ts';
import { isWordNext, skipBlank, skipSeparators, skipSpaces, takeWord } from './spaces.ts';
import type { Assignment, Item, Node, Redirection, Script, Unit, Word } from './syntax.ts';
import { readArithmetic, readWord } from './words.ts';

export function parse(text: string, depth = 0): Script {
  // NUL is our sign for the unknown; a shell drops it.
  const cursor: Cursor = { text: text.replaceAll('\0', ''), at: 0, depth, awaited: [], script: readScript };
  const items: Item[] = [];
  while (!isAtEnd(cursor)) {
    items.push(...readList(cursor, false));
    // Whatever closes nothing is stepped over.
    if (!isAtEnd(cursor)) skipStray(cursor);
  }
  return items;
}

function readScript(cursor: Cursor): Script {
  return readList(cursor, false);
}

const CLOSERS = ['then', 'do', 'done', 'fi', 'elif', 'else', 'esac', '}'];

/** What may stand before a command; the last ones only in a text that is broken. */
const PREFIXES = ['!', 'time', 'coproc', 'then', 'do', 'else', 'elif'];

/** Commands up to a closing word or bracket, which stays. */
function readList(cursor: Cursor, isInside: boolean): Item[] {
  const items: Item[] = [];
  for (;;) {
    skipBlank(cursor);
    if (isAtEnd(cursor) || charAt(cursor) === ')' || looksAt(cursor, ';;')) return items;
    if (isInside && CLOSERS.some((word) => isWordNext(cursor, word))) return items;
    if (take(cursor, ';') || take(cursor, '&&') || take(cursor, '||') || take(cursor, '|') || take(cursor, '&'))
      continue;
    const before = cursor.at;
    const node = readPipeline(cursor);
    if (node !== null) items.push({ node, isBackground: isBackgroundNext(cursor) });
    else if (cursor.at === before) return items;
  }
}

function readPipeline(cursor: Cursor): Node | null {
  const parts: Node[] = [];
  do {
    skipBlank(cursor);
    const part = readCommand(cursor);
    if (part !== null) parts.push(part);
    skipSpaces(cursor);
  } while (!looksAt(cursor, '||') && (take(cursor, '|&') || take(cursor, '|')));
  const [only, ...others] = parts;
  if (only === undefined) return null;
  return others.length === 0 ? only : { kind: 'pipeline', parts };
}

function readCommand(cursor: Cursor): Node | null {
  while (PREFIXES.some((word) => takeWord(cursor, word))) skipSpaces(cursor);
  if (cursor.depth >= DEEPEST) {
    cursor.at = cursor.text.length;
    return null;
  }
  cursor.depth++;
  const node = readCompound(cursor) ?? readSimple(cursor);
  cursor.depth--;
  return node;
}

function readCompound(cursor: Cursor): Node | null {
  const start = cursor.at;
  const source = () => cursor.text.slice(start, cursor.at);
  if (take(cursor, '((')) {
    return { kind: 'branches', bodies: [heard(readArithmetic(cursor))], redirections: [] };
  }
  if (take(cursor, '(')) {
    const body = readList(cursor, false);
    take(cursor, ')');
    return { kind: 'group', body, isSubshell: true, redirections: readRedirections(cursor) };
  }
  if (takeWord(cursor, '{')) {
    const body = readList(cursor, true);
    takeWord(cursor, '}');
    return { kind: 'group', body, isSubshell: false, redirections: readRedirections(cursor) };
  }
  if (takeWord(cursor, 'if')) return readBranches(cursor, 'fi');
  if (takeWord(cursor, 'case')) return readCase(cursor);
  if (takeWord(cursor, 'for') || takeWord(cursor, 'select')) return readFor(cursor, source);
  if (takeWord(cursor, 'while') || takeWord(cursor, 'until')) {
    const condition = readList(cursor, true);
    return readLoopBody(cursor, { variable: null, items: [], condition }, source);
  }
  if (takeWord(cursor, 'function')) {
    skipSpaces(cursor);
    const name = literalOf(readWord(cursor) ?? []);
    skipSpaces(cursor);
    if (take(cursor, '(')) take(cursor, ')');
    return readFunction(cursor, name, source);
  }
  return null;
}

function readBranches(cursor: Cursor, end: string): Node {
  const bodies: Script[] = [];
  while (!isAtEnd(cursor) && !takeWord(cursor, end)) {
    const before = cursor.at;
    bodies.push(readList(cursor, true));
    if (!['then', 'elif', 'else'].some((word) => takeWord(cursor, word)) && cursor.at === before) break;
    if (!looksAt(cursor, end) && isClosed(cursor)) break;
  }
  return { kind: 'branches', bodies, redirections: readRedirections(cursor) };
}

/** A closing word that is not ours: the text is broken, and whoever is around us may know it. */
function isClosed(cursor: Cursor): boolean {
  return (
    charAt(cursor) === ')' || looksAt(cursor, ';;') || ['done', 'esac', '}'].some((word) => isWordNext(cursor, word))
  );
}

function readCase(cursor: Cursor): Node {
  const bodies: Script[] = [];
  skipSpaces(cursor);
  const subject = readWord(cursor);
  skipBlank(cursor);
  takeWord(cursor, 'in');
  for (;;) {
    skipBlank(cursor);
    if (isAtEnd(cursor) || takeWord(cursor, 'esac')) break;
    const before = cursor.at;
    take(cursor, '(');
    takePattern(cursor);
    bodies.push(readList(cursor, true));
    for (const end of [';;&', ';;', ';&']) if (take(cursor, end)) break;
    if (cursor.at === before) cursor.at++;
  }
  return { kind: 'branches', bodies: [heard(...(subject ?? [])), ...bodies], redirections: readRedirections(cursor) };
}

/** Units that are no command of their own; what they substitute is run all the same. */
function heard(...units: Unit[]): Script {
  const colon: Word = [{ kind: 'text', text: ':', isQuoted: true }];
  return [{ node: simple(units.length === 0 ? [colon] : [colon, units], ''), isBackground: false }];
}

function takePattern(cursor: Cursor): void {
  while (!isAtEnd(cursor) && !take(cursor, ')')) {
    if (readWord(cursor) === null) cursor.at++;
  }
}

function readFor(cursor: Cursor, source: () => string): Node {
  skipSpaces(cursor);
  if (take(cursor, '((')) {
    return readLoopBody(cursor, { variable: null, items: [], condition: heard(readArithmetic(cursor)) }, source);
  }
  const variable = literalOf(readWord(cursor) ?? []);
  skipBlank(cursor);
  const items: Word[] = [];
  if (takeWord(cursor, 'in')) {
    for (skipSpaces(cursor); !isAtEnd(cursor); skipSpaces(cursor)) {
      const word = readWord(cursor);
      if (word === null) break;
      items.push(word);
    }
  }
  return readLoopBody(cursor, { variable, items, condition: [] }, source);
}

type LoopHead = Pick<Extract<Node, { kind: 'loop' }>, 'variable' | 'items' | 'condition'>;

function readLoopBody(cursor: Cursor, head: LoopHead, source: () => string): Node {
  skipSeparators(cursor);
  takeWord(cursor, 'do');
  const body = readList(cursor, true);
  takeWord(cursor, 'done');
  return { kind: 'loop', ...head, body, redirections: readRedirections(cursor), source: source() };
}

function readFunction(cursor: Cursor, name: string, source: () => string): Node {
  skipBlank(cursor);
  const body = readCommand(cursor) ?? simple([], '');
  return { kind: 'function', name, body, source: source() };
}

function readSimple(cursor: Cursor): Node | null {
  const start = cursor.at;
  const source = () => cursor.text.slice(start, cursor.at).trim();
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  const isTest = isWordNext(cursor, '[[');
  for (;;) {
    skipSpaces(cursor);
    const redirection = isTest ? null : readRedirection(cursor);
    if (redirection !== null) {
      redirections.push(redirection);
      continue;
    }
    const assignment = words.length === 0 ? readAssignment(cursor) : null;
    if (assignment !== null) {
      assignments.push(assignment);
      continue;
    }
    const word = readWord(cursor);
    if (word !== null) {
      words.push(word);
      if (isTest && isWord(word, ']]')) break;
      if (words.length === 1 && !isTest && isFunctionHead(cursor)) {
        return readFunction(cursor, literalOf(word), source);
      }
    } else if (isTest && !isAtEnd(cursor)) cursor.at++;
    else break;
  }
  if (words.length + assignments.length + redirections.length === 0) return null;
  return { kind: 'simple', assignments, words, redirections, source: source() };
}

/** `()` after a first word makes it a function's name. */
function isFunctionHead(cursor: Cursor): boolean {
  const [head] = /^[ \t]*\([ \t]*\)/.exec(cursor.text.slice(cursor.at, cursor.at + 20)) ?? [];
  cursor.at += head?.length ?? 0;
  return head !== undefined;
}

function readRedirections(cursor: Cursor): Redirection[] {
  const found: Redirection[] = [];
  for (;;) {
    skipSpaces(cursor);
    const redirection = readRedirection(cursor);
    if (redirection === null) return found;
    found.push(redirection);
  }
}

function simple(words: readonly Word[], source: string): Node {
  return { kind: 'simple', assignments: [], words, redirections: [], source };
}

function isBackgroundNext(cursor: Cursor): boolean {
  skipSpaces(cursor);
  return charAt(cursor) === '&' && charAt(cursor, 1) !== '&';
}

function skipStray(cursor: Cursor): void {
  if (!CLOSERS.some((word) => takeWord(cursor, word))) cursor.at++;
}
