/** Adds our hooks to an agent's settings and removes them. All other hooks and settings stay as they were written. */
import type { Edit, Node, ParseError } from 'jsonc-parser';
import { applyEdits, createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { HookGroup } from '../../agents/session/installations.ts';
import { frame, placeName } from '../../config/json-error.ts';
import { RalphError } from '../../core/error.ts';

/** One group for each event. */
export type HookGroups = Readonly<Record<string, HookGroup>>;

/** Successive edits: the offsets of each step refer to the text that the step before left. */
export type Steps = readonly Edit[][];

interface Edited {
  readonly text: string;
  /** The steps that restore the text before; empty if nothing was changed. */
  readonly back: Steps;
}

/** Returns the settings with these groups, and with no other hook of ours. */
export function withHooks(text: string, file: JsonFile, groups: HookGroups): Edited {
  return stepByStep(text, file, (document) => {
    const ours = ourHooks(document);
    const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
    const stale = ours.find(({ event, group }) => !isSame(getNodeValue(group), groups[event]));
    if (stale !== undefined) {
      const wanted = isAlone(stale.hook) ? groups[stale.event] : undefined;
      if (wanted !== undefined) return replaceValue(document, stale.group, wanted);
      return takeOut(document, outermost(stale.hook));
    }
    const double = ours.find(({ event }, index) => ours.findIndex((it) => it.event === event) < index);
    if (double !== undefined) return takeOut(document, outermost(double.hook));
    const missing = Object.keys(groups).find((event) => !ours.some((it) => it.event === event));
    return missing === undefined ? [] : addGroup(document, missing, groups[missing]);
  });
}

/** Returns the settings without our hooks, and without the containers that this leaves empty. */
export function withoutHooks(text: string, file: JsonFile): Edited {
  return stepByStep(text, file, (document) => {
    const [first] = ourHooks(document);
    return first === undefined ? [] : takeOut(document, outermost(first.hook));
  });
}

function stepByStep(text: string, file: JsonFile, next: (document: JsonDocument) => Edit[]): Edited {
  const back: Edit[][] = [];
  for (let now = text; ; ) {
    const edits = next(parseJson(now, file));
    if (edits.length === 0) return { text: now, back };
    // From the end of the text, so that the offsets of the other edits stay valid.
    for (const each of edits.toSorted((a, b) => b.offset - a.offset)) {
      const { offset, length, content } = each;
      back.unshift([{ offset, length: content.length, content: now.slice(offset, offset + length) }]);
      now = applyEdits(now, [each]);
    }
  }
}

function addGroup(document: JsonDocument, event: string, group: HookGroup | undefined): Edit[] {
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return append(document, document.root, { [event]: [group] }, 'hooks');
  const list = memberOf(hooks, event);
  if (list === undefined) return append(document, hooks, [group], event);
  mustBe('array', document, list, `hooks.${event}`);
  return append(document, list, group);
}

/** Our hooks are recognized by the program that they start, in whichever folder it was. */
const OURS = /[\\/]hooks[\\/]session-loop\.(cjs|sh)\b/;

function ourHooks(document: JsonDocument): { event: string; group: Node; hook: Node }[] {
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return [];
  mustBe('object', document, hooks, 'hooks');
  return (hooks.children ?? []).flatMap((property) => {
    const event = String(property.children?.[0]?.value);
    return itemsOf(property.children?.[1]).flatMap((group) =>
      itemsOf(group.type === 'object' ? memberOf(group, 'hooks') : undefined)
        .filter((hook) => stringsIn(hook).some((text) => OURS.test(text)))
        .map((hook) => ({ event, group, hook })),
    );
  });
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

function stringsIn(node: Node): string[] {
  return node.type === 'string' ? [String(node.value)] : (node.children ?? []).flatMap(stringsIn);
}

/** The group contains no other hook, such as one of the user's. */
function isAlone(hook: Node): boolean {
  return hook.parent?.children?.length === 1;
}

/** The largest node that contains nothing but this hook: its group, its event, or all hooks. */
function outermost(hook: Node): Node {
  if (!isAlone(hook)) return hook;
  const group = hook.parent?.parent?.parent;
  const event = group?.parent?.parent;
  if (group?.parent?.children?.length !== 1) return group ?? hook;
  return event?.parent?.children?.length === 1 ? (event.parent.parent ?? event) : (event ?? hook);
}

/** A JSON file that people may have written. */
export interface JsonFile {
  readonly path: string;
  /** The agent that reads the file allows comments in it. */
  readonly comments: boolean;
}

type JsonDocument = { readonly path: string; readonly text: string; readonly root: Node };

/** Throws for anything that the agent could not read, with its position. */
function parseJson(text: string, { path, comments }: JsonFile): JsonDocument {
  const errors: ParseError[] = [];
  // A byte order mark is not part of the JSON; a blank in its place keeps the offsets valid.
  const bare = text.replace(/^\uFEFF/, ' ');
  const root = parseTree(bare, errors, { disallowComments: !comments, allowTrailingComma: false });
  const file = { path, text };
  if (bare.trim() === '') throw broken(file, 0, 'it is empty', 'Put {} into it, or remove it.');
  const [first] = errors;
  if (first !== undefined) throw broken(file, first.offset, wordsOf(first.error));
  if (root === undefined || root.type !== 'object') throw broken(file, root?.offset ?? 0, 'an object is expected');
  return { ...file, root };
}

function broken({ path, text }: Omit<JsonDocument, 'root'>, offset: number, what: string, hint = 'Fix it first.') {
  const message = [`${placeName(text, offset, path)}: ${what}`, ...frame(text, offset)].join('\n');
  return new RalphError('BROKEN_SETTINGS', message, { hint: `${hint} The file was left as it is.` });
}

function mustBe(type: 'object' | 'array', document: JsonDocument, node: Node, name: string): void {
  if (node.type === type) return;
  throw broken(document, node.offset, `${name} is not ${type === 'array' ? 'a list' : 'an object'}`);
}

/** Of two properties with the same name, programs use the last. */
function memberOf(node: Node, name: string): Node | undefined {
  return node.children?.findLast((property) => property.children?.[0]?.value === name)?.children?.[1];
}

/** Appends a value to an object or a list. */
function append({ text }: JsonDocument, container: Node, value: unknown, name?: string): Edit[] {
  const last = container.children?.at(-1);
  const outer = indentAt(text, container.offset);
  if (last === undefined) {
    // After the bracket, or after the last comment.
    const content = text.slice(container.offset + 1, container.offset + container.length - 1);
    const inside = container.offset + 1 + content.trimEnd().length;
    const inner = outer + indentUnit(text);
    const close = content.slice(content.trimEnd().length).includes('\n') ? '' : `${newline(text)}${outer}`;
    return [edit(inside, inside, `${newline(text)}${inner}${named(rendered(text, value, inner), name)}${close}`)];
  }
  const end = last.offset + last.length;
  const isOneLine = !text.slice(container.offset, last.offset).includes('\n');
  if (isOneLine) return [edit(end, end, `, ${named(JSON.stringify(value), name)}`)];
  const inner = indentAt(text, last.offset);
  const line = `${newline(text)}${inner}${named(rendered(text, value, inner), name)}`;
  const afterComment = endOfLineComments(text, end);
  if (afterComment === end) return [edit(end, end, `,${line}`)];
  return [edit(end, end, ','), edit(afterComment, afterComment, line)];
}

function replaceValue({ text }: JsonDocument, node: Node, value: unknown): Edit[] {
  const isOneLine = !text.slice(node.offset, node.offset + node.length).includes('\n');
  const content = isOneLine ? JSON.stringify(value) : rendered(text, value, indentAt(text, node.offset));
  return [edit(node.offset, node.offset + node.length, content)];
}

/** Removes a node with its comma, and the blanks before it. */
function takeOut({ text }: JsonDocument, child: Node): Edit[] {
  const { offset: open, length, children: siblings = [] } = child.parent ?? child;
  const close = open + length - 1;
  const index = siblings.indexOf(child);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  const from = before === undefined ? open + 1 : before.offset + before.length;
  const begin = from + text.slice(from, child.offset).trimEnd().length;
  const end = child.offset + child.length;
  if (after !== undefined) {
    const comma = commaAfter(text, end);
    return comma === end ? [cut(text, from, begin, end + 1)] : [cut(text, from, begin, end), edit(comma, comma + 1)];
  }
  if (before !== undefined) {
    const comma = commaAfter(text, from);
    return comma + 1 === begin ? [edit(comma, end)] : [edit(comma, comma + 1), cut(text, from, begin, end)];
  }
  // Only blanks are left between the brackets, or a comment, which stays.
  const isEmpty = begin === open + 1 && text.slice(end, close).trim() === '';
  return [cut(text, from, begin, isEmpty ? close : end)];
}

/** After a `//` comment, the end of the line has to stay. */
function cut(text: string, from: number, begin: number, end: number): Edit {
  const gap = text.slice(from, begin).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*\n/g, '');
  const isOpen = gap.includes('//') && !/^[ \t]*\r?\n/.test(text.slice(end));
  return edit(begin, end, isOpen ? newline(text) : '');
}

function edit(begin: number, end: number, content = ''): Edit {
  return { offset: begin, length: end - begin, content };
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

/** The indentation of one level: that of the first indented line. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** The offset after comments on the same line, which belong to what is before them. */
function endOfLineComments(text: string, offset: number): number {
  const line = /^[ \t]*(\/\*[^\n]*?\*\/[ \t]*)*(\/\/[^\r\n]*)?/.exec(text.slice(offset))?.[0] ?? '';
  const end = offset + line.trimEnd().length;
  return /^[ \t]*(\r?\n|$)/.test(text.slice(end)) ? end : offset;
}

/** The offset of the comma after a value; there can be comments between them. */
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
