/** Lists the imports of a source file, and the globals that it uses, which some folders may not. */
import { parseAst } from 'rolldown/parseAst';

export interface Scan {
  readonly path: string;
  readonly imports: readonly Found[];
  /** `process.exit`, `Date.now`, `new Date`, `setTimeout` …: members of globals, and globals called. */
  readonly uses: readonly Found[];
}

export interface Found {
  readonly what: string;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export function scan(path: string, source: string): Scan {
  const imports: Found[] = [];
  const uses: Found[] = [];
  const at = (node: Node) => source.slice(0, node.start).split('\n').length;
  for (const node of nodesIn(parseAst(source, { lang: 'ts' }, path))) {
    const specifier = importedBy(node);
    if (specifier !== null) imports.push({ what: specifier, line: at(node) });
    for (const what of usedBy(node)) uses.push({ what, line: at(node) });
  }
  return { path, imports, uses };
}

/** The module that this node imports, of all kinds: static, re-exporting, dynamic, type-only and CommonJS. */
function importedBy(node: Node): string | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
    case 'TSExternalModuleReference':
      return literal(node.source ?? node.argument ?? node.expression);
    case 'CallExpression':
      return nameOf(node.callee) === 'require' && Array.isArray(node.arguments) ? literal(node.arguments[0]) : null;
    default:
      return null;
  }
}

function usedBy(node: Node): string[] {
  switch (node.type) {
    case 'MemberExpression': {
      const object = nameOf(node.object);
      const member = node.computed === true ? literal(node.property) : nameOf(node.property);
      return object === null ? [] : [`${object}.${member ?? '[…]'}`];
    }
    case 'CallExpression':
      return namesOf(nameOf(node.callee));
    case 'NewExpression':
      return namesOf(nameOf(node.callee)).map((name) => `new ${name}`);
    // `const { env } = process`, `const p = process`
    case 'VariableDeclarator': {
      const from = nameOf(node.init);
      return from === null ? [] : keysOf(node.id).map((key) => `${from}.${key}`);
    }
    // `import { env } from 'node:process'`
    case 'ImportDeclaration':
      return /^(node:)?process$/.test(literal(node.source) ?? '') ? importedNames(node).map((n) => `process.${n}`) : [];
    default:
      return [];
  }
}

/** An identifier, or the last part of `globalThis.x`. */
function nameOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === 'Identifier') return String(value.name);
  // `(process as X)`, `process!`
  if (isNode(value.expression)) return nameOf(value.expression);
  const isGlobal = value.type === 'MemberExpression' && nameOf(value.object) === 'globalThis';
  return isGlobal ? nameOf(value.property) : null;
}

function namesOf(name: string | null): string[] {
  return name === null ? [] : [name];
}

function keysOf(pattern: unknown): string[] {
  if (nameOf(pattern) !== null) return ['[…]'];
  if (!isNode(pattern) || pattern.type !== 'ObjectPattern' || !Array.isArray(pattern.properties)) return [];
  return pattern.properties.filter(isNode).map((property) => nameOf(property.key) ?? '[…]');
}

function importedNames(declaration: Node): string[] {
  if (!Array.isArray(declaration.specifiers)) return [];
  return declaration.specifiers.filter(isNode).flatMap(({ imported }) => namesOf(nameOf(imported)));
}

function literal(value: unknown): string | null {
  return isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : null;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  if (!isNode(value)) return;
  yield value;
  for (const field of Object.values(value)) if (typeof field === 'object') yield* nodesIn(field);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/**
 * The words of identifiers (`isClaude`: is, claude; a name in capitals is one word), and of strings and regular
 * expressions as written. Without comments, the paths of imports, and strings with white space, which are for people.
 */
export function wordsOfCode(path: string, source: string): string[] {
  const imported = new Set<unknown>();
  const words: string[] = [];
  for (const node of nodesIn(parseAst(source, { lang: 'ts' }, path))) {
    if (importedBy(node) !== null) imported.add(node.source ?? node.argument ?? node.expression);
    if (imported.has(node)) continue;
    if (node.type === 'Identifier') words.push(...wordsOfName(String(node.name)));
    else for (const text of textsOf(node)) if (!/\s/.test(text)) words.push(...text.split(/[^\w]+|&amp;/));
  }
  return words;
}

/** The strings that are for people: those with white space in them. */
export function proseOfCode(path: string, source: string): string[] {
  const nodes = [...nodesIn(parseAst(source, { lang: 'ts' }, path))];
  return nodes.flatMap(textsOf).filter((text) => /\s/.test(text));
}

function wordsOfName(name: string): string[] {
  if (/^[A-Z][A-Z\d_]*$/.test(name)) return [name];
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map(lowered);
}

/** `isClaude` has the word claude; `PI` in `getPI` is not an agent, and keeps its capitals. */
function lowered(word: string): string {
  return /^[A-Z]?[a-z0-9]+$/.test(word) ? word.toLowerCase() : word;
}

function textsOf(node: Node): string[] {
  if (node.type === 'TemplateElement' && isCooked(node.value)) return [node.value.cooked];
  if (node.type !== 'Literal') return [];
  if (isPattern(node.regex)) return [node.regex.pattern];
  return typeof node.value === 'string' ? [node.value] : [];
}

function isCooked(value: unknown): value is { cooked: string } {
  return typeof value === 'object' && value !== null && 'cooked' in value && typeof value.cooked === 'string';
}

function isPattern(value: unknown): value is { pattern: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && typeof value.pattern === 'string';
}
