/**
 * Reads JUnit XML, which pytest, vitest, node, gradle, cargo-nextest and many others write. An agent may have written
 * the file: nothing is expanded or loaded, and the time is linear in its length.
 */
import { joinNames, type TestCase } from '../../core/proof/test-case.ts';

/** Null if it is not JUnit XML, or was cut off. */
export function readJunit(text: string): TestCase[] | null {
  const cases: TestCase[] = [];
  let open: { readonly name: string; outcome: TestCase['outcome'] } | null = null;
  const suites: string[] = [];
  let depth = 0;
  for (const tag of tagsIn(text)) {
    if (depth === 0 && !ROOTS.has(tag.name)) return null;
    if (tag.is === 'open' && ROOTS.has(tag.name)) suites.push(attribute(tag.attributes, 'name'));
    if (tag.is === 'close' && ROOTS.has(tag.name)) suites.pop();
    if (tag.is === 'open' || tag.is === 'alone') {
      if (tag.name === 'testcase') open = { name: nameOf(suites, tag.attributes), outcome: outcomeOf(tag.attributes) };
      else if (open !== null) open.outcome = worse(open.outcome, tag.name);
    }
    if (tag.is !== 'open' && tag.name === 'testcase' && open !== null) {
      cases.push(open);
      open = null;
    }
    depth += tag.is === 'open' ? 1 : tag.is === 'close' ? -1 : 0;
    if (depth === 0) return cases;
  }
  return null;
}

const ROOTS: ReadonlySet<string> = new Set(['testsuites', 'testsuite']);
const FAILURES: ReadonlySet<string> = new Set(['failure', 'error']);
/** What GoogleTest and others report for a disabled test. */
const NOT_RUN: ReadonlySet<string> = new Set(['notrun', 'skipped', 'disabled']);

function worse(before: TestCase['outcome'], inside: string): TestCase['outcome'] {
  if (FAILURES.has(inside)) return 'failed';
  return inside === 'skipped' && before === 'passed' ? 'skipped' : before;
}

function outcomeOf(attributes: string): TestCase['outcome'] {
  const said = attribute(attributes, 'status') || attribute(attributes, 'result');
  return NOT_RUN.has(said.toLowerCase()) ? 'skipped' : 'passed';
}

function nameOf(suites: readonly string[], attributes: string): string {
  const own = [attribute(attributes, 'classname'), attribute(attributes, 'name')];
  // Some runners give a suite and its tests the same class.
  return joinNames(...[...suites, ...own].filter((name, index, names) => name !== names[index - 1]));
}

interface Tag {
  readonly is: 'open' | 'close' | 'alone';
  readonly name: string;
  readonly attributes: string;
}

/** Skipped: comments, CDATA, processing instructions and declarations. */
const HIDDEN = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

function* tagsIn(text: string): Generator<Tag> {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const hidden = HIDDEN.find(([begin]) => text.startsWith(begin, at));
    const close = hidden?.[1] ?? '>';
    const end = hidden === undefined ? endOfTag(text, at) : text.indexOf(close, at);
    if (end < 0) return;
    if (hidden === undefined) yield tagFrom(text.slice(at + 1, end));
    at = end + close.length;
  }
}

/** A quoted value can contain a `>`. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

function tagFrom(inside: string): Tag {
  const isClose = inside.startsWith('/');
  const isAlone = inside.endsWith('/');
  const words = inside.slice(isClose ? 1 : 0, isAlone ? -1 : undefined);
  const blank = words.search(/\s/);
  const [name, attributes] = blank < 0 ? [words, ''] : [words.slice(0, blank), words.slice(blank)];
  return { is: isClose ? 'close' : isAlone ? 'alone' : 'open', name, attributes };
}

function attribute(attributes: string, name: string): string {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return (double ?? single ?? '').replaceAll(/&(?:#(\d+)|#x([\da-f]+)|\w+);/gi, (whole, decimal, hex) => {
    if (decimal === undefined && hex === undefined) return ENTITIES[whole] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
};
