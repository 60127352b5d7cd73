/**
 * Edits JSON as text, so that all that is not meant stays as it was written: order, indentation, comments, blanks. An edit
 * puts one value at the end of a list or an object, replaces one, or takes one out.
 */
import { createScanner, type Edit, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { RalphError } from '../../core/error.ts';

/** JSON that people may have written, and where it lies. */
export interface JsonFile {
  readonly path: string;
  /** The agent that reads the file lets comments be in it. */
  readonly comments: boolean;
}

export interface JsonDocument {
  readonly path: string;
  readonly text: string;
  readonly root: Node;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Anything that the agent could not read is refused, with its place. */
export function parseJson(text: string, { path, comments }: JsonFile): JsonDocument {
  const errors: ParseError[] = [];
  // A mark of the byte order is no part of the text, but its place is kept.
  const bare = text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text;
  const root = parseTree(bare, errors, { disallowComments: !comments, allowTrailingComma: false });
  const file = { path, text };
  if (bare.trim() === '') throw broken(file, 0, 'it is empty', 'Put {} into it, or remove it.');
  const [first] = errors;
  if (first !== undefined) throw broken(file, first.offset, wordsOf(first.error));
  if (root === undefined || root.type !== 'object') throw broken(file, root?.offset ?? 0, 'an object is expected');
  return { ...file, root };
}

function broken({ path, text }: Omit<JsonDocument, 'root'>, offset: number, what: string, hint = 'Fix it first.') {
  const before = text.slice(0, offset).split('\n');
  const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  return new RalphError('BROKEN_SETTINGS', `${place}: ${what}`, { hint: `${hint} The file was left as it is.` });
}

export function mustBe(type: 'object' | 'array', document: JsonDocument, node: Node, name: string): void {
  if (node.type === type) return;
  throw broken(document, node.offset, `${name} is not ${type === 'array' ? 'a list' : 'an object'}`);
}

/** Of two properties of one name, programs take the last. */
export function memberOf(node: Node, name: string): Node | undefined {
  return node.children?.findLast((property) => property.children?.[0]?.value === name)?.children?.[1];
}

/** The edits that lead back from the edited text. */
export function reverseEdits(text: string, edits: readonly Edit[]): Edit[] {
  let shift = 0;
  return [...edits]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, length, content }) => {
      const reverse = { offset: offset + shift, length: content.length, content: text.slice(offset, offset + length) };
      shift += content.length - length;
      return reverse;
    });
}

/** At the end of an object or a list. */
export function append({ text }: JsonDocument, container: Node, value: unknown, name?: string): Edit[] {
  const last = container.children?.at(-1);
  const outer = indentAt(text, container.offset);
  if (last === undefined) {
    const inside = endOfContent(text, container);
    const rest = text.slice(inside, container.offset + container.length - 1);
    const inner = outer + indentUnit(text);
    const close = rest.includes('\n') ? '' : `${newline(text)}${outer}`;
    return [insert(inside, `${newline(text)}${inner}${named(rendered(text, value, inner), name)}${close}`)];
  }
  const end = last.offset + last.length;
  const isOneLine = !text.slice(container.offset, last.offset).includes('\n');
  if (isOneLine) return [insert(end, `, ${named(JSON.stringify(value), name)}`)];
  const inner = indentAt(text, last.offset);
  const line = `${newline(text)}${inner}${named(rendered(text, value, inner), name)}`;
  const afterComment = endOfLineComments(text, end);
  return afterComment === end ? [insert(end, `,${line}`)] : [insert(end, ','), insert(afterComment, line)];
}

export function replaceValue({ text }: JsonDocument, node: Node, value: unknown): Edit[] {
  const isOneLine = !text.slice(node.offset, node.offset + node.length).includes('\n');
  const content = isOneLine ? JSON.stringify(value) : rendered(text, value, indentAt(text, node.offset));
  return [{ offset: node.offset, length: node.length, content }];
}

/** With its comma, and the blanks before it. */
export function takeOut({ text }: JsonDocument, child: Node): Edit[] {
  const { offset: open, length, children: siblings = [] } = child.parent ?? child;
  const close = open + length - 1;
  const index = siblings.indexOf(child);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  const from = before === undefined ? open + 1 : before.offset + before.length;
  const begin = from + text.slice(from, child.offset).trimEnd().length;
  const end = child.offset + child.length;
  if (after !== undefined) {
    const comma = commaAfter(text, end);
    return comma === end ? [cut(text, from, begin, end + 1)] : [cut(text, from, begin, end), remove(comma, comma + 1)];
  }
  if (before !== undefined) {
    const comma = commaAfter(text, from);
    return comma + 1 === begin ? [remove(comma, end)] : [remove(comma, comma + 1), cut(text, from, begin, end)];
  }
  // Nothing is left between the brackets but blanks, or a comment that stays.
  const isEmpty = begin === open + 1 && text.slice(end, close).trim() === '';
  return [cut(text, from, begin, isEmpty ? close : end)];
}

/** Behind a comment that reaches to the end of its line, that end stays. */
function cut(text: string, from: number, begin: number, end: number): Edit {
  const gap = text.slice(from, begin).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*\n/g, '');
  const isOpen = gap.includes('//') && !/^[ \t]*\r?\n/.test(text.slice(end));
  return { ...remove(begin, end), content: isOpen ? newline(text) : '' };
}

function insert(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function remove(begin: number, end: number): Edit {
  return { offset: begin, length: end - begin, content: '' };
}

function rendered(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', () => `${newline(text)}${indent}`);
}

function named(value: string, name: string | undefined): string {
  return name === undefined ? value : `${JSON.stringify(name)}: ${value}`;
}

function newline(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function indentAt(text: string, offset: number): string {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, offset))?.[0] ?? '';
}

/** What one more level is indented by: as the first line that is indented at all. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** Where the content of an empty object or list ends: behind the bracket, or behind the last comment. */
function endOfContent(text: string, container: Node): number {
  const close = container.offset + container.length - 1;
  return container.offset + 1 + text.slice(container.offset + 1, close).trimEnd().length;
}

/** Behind the comments that stand on the same line, which belong to what stands before them. */
function endOfLineComments(text: string, offset: number): number {
  const line = /^[ \t]*(\/\*[^\n]*?\*\/[ \t]*)*(\/\/[^\r\n]*)?/.exec(text.slice(offset))?.[0] ?? '';
  const end = offset + line.trimEnd().length;
  return /^[ \t]*(\r?\n|$)/.test(text.slice(end)) ? end : offset;
}

/** Comments may stand between a value and its comma. */
function commaAfter(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

/** `PropertyNameExpected` is "property name expected". */
function wordsOf(code: ParseError['error']): string {
  const name = printParseErrorCode(code);
  if (name === 'InvalidCommentToken') return 'a comment, which this agent does not allow here';
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
