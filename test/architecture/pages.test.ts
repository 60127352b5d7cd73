/** The documentation is complete, its links work, and it uses plain words. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECK_KINDS } from '../../src/checks/index.ts';
import { settingsSchema } from '../../src/config/schema.ts';
import { settingsJsonSchema } from '../../src/config/write-settings.ts';
import { EXIT_CODES, EXIT_INTERRUPTED } from '../../src/core/ending.ts';
import { parseScript } from '../../src/rehearsal/script/script-file.ts';
import { ALL_PAGES, blocksIn, examplesIn, PAGES, proseIn, readPage, spansIn } from '../support/docs/pages.ts';

const root = resolve(import.meta.dirname, '../..');

/** Words that a native speaker would not use, or that hide who does something. */
const ODD = [/\bmend(?:s|ed|ing)?\b/i, /\b(?:is|are) told\b/i, /\bbesides\b/i, /\bafresh\b/i, /\bwithout a word\b/i];

/** Pages without a command to try. */
const WITHOUT_EXAMPLE = [
  'docs/README.md',
  'docs/benchmarks.md',
  'docs/loopbench.md',
  'docs/platforms.md',
  'plugin/README.md',
];

const EXIT_BUG = 70;

test.each(ALL_PAGES)('the links and anchors of %s exist', (page) => {
  expect(linksIn(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

test.each(PAGES)('%s has no odd words', (page) => {
  const prose = proseIn(readPage(page));
  expect(ODD.flatMap((word) => word.exec(prose)?.[0] ?? [])).toEqual([]);
});

test.each(PAGES.filter((page) => !WITHOUT_EXAMPLE.includes(page)))('%s has an example that the tests run', (page) => {
  expect(examplesIn(readPage(page))).not.toEqual([]);
});

test('the front page has at most 150 lines', () => {
  expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('docs/README.md links to every page of docs/', () => {
  const linked = linksIn('docs/README.md').map((link) => `docs/${link}`);
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
});

describe('docs/settings.md', () => {
  const rows = tableIn('docs/settings.md', '| key | type | default |');
  const settings = settingsIn(settingsJsonSchema(CHECK_KINDS));

  test('its example is valid', () => {
    const { error } = settingsSchema(CHECK_KINDS).safeParse(JSON.parse(blockOf('docs/settings.md', 'json')));
    expect(error?.issues).toBeUndefined();
  });

  test('has every setting and no other', () => {
    expect(new Set(rows.map(([key]) => key))).toEqual(new Set(settings.map(([key]) => key)));
  });

  test('has the defaults of the schema', () => {
    const given = settings.filter(([, { default: value }]) => value !== undefined);
    const shown = given.map(([key]) => [key, rows.find(([name]) => name === key)?.[2]]);
    expect(shown).toEqual(
      given.map(([key, { default: value }]) => [key, value === '' ? 'none' : JSON.stringify(value)]),
    );
  });
});

test('the script of docs/rehearsal.md is valid', () => {
  const { turns } = parseScript(blockOf('docs/rehearsal.md', 'yaml'), 'the page');
  expect(turns).toHaveLength(3);
});

test('docs/troubleshooting.md quotes messages that ralph prints', () => {
  const cells = [...readPage('docs/troubleshooting.md').matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
  const messages = cells.flatMap(spansIn).filter((span) => span.split(' ').length > 3);
  const sources = sourceFiles().map((path) => readFileSync(path, 'utf8'));
  expect(messages.length).toBeGreaterThan(5);
  expect(messages.filter((message) => !sources.some((text) => text.includes(fixedPartOf(message))))).toEqual([]);
});

test('docs/library.md has every option of run()', () => {
  const [, declared = ''] = readFileSync(join(root, 'src/index.ts'), 'utf8').split('export interface ResumeOptions');
  const [options = ''] = declared.split('export interface Loop ');
  const names = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name);
  const shown = tableIn('docs/library.md', '| option | meaning |').map(([cell = '']) => cell);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !shown.some((cell) => new RegExp(`\\b${name}\\b`).test(cell)))).toEqual([]);
});

test('docs/exit-codes.md has every exit code and no other', () => {
  const codes = new Set([...Object.values(EXIT_CODES), EXIT_INTERRUPTED, EXIT_BUG]);
  const shown = tableIn('docs/exit-codes.md', '| code | meaning |').map(([code]) => Number(code));
  expect(shown.sort(ascending)).toEqual([...codes].sort(ascending));
});

const ascending = (a: number, b: number): number => a - b;

/** The longest part that does not vary between loops: no names, numbers, flags or paths. */
function fixedPartOf(message: string): string {
  const parts = message.split(/^\w+: |\bClaude Code\b|…|\S*\d\S*|\S*(?:--|\/)\S*/).map((part) => part.trim());
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
}

function sourceFiles(): string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(root, 'src', path));
}

/** The first code block in this language. */
function blockOf(page: string, language: string): string {
  return blocksIn(readPage(page)).find(({ info }) => info === language)?.code ?? '';
}

/** The links within the repository. */
function linksIn(page: string): string[] {
  const links = [...proseIn(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsIn(target).includes(anchor);
}

/** The anchors that GitHub derives from the headings. */
function anchorsIn(page: string): string[] {
  const headings = [...proseIn(readPage(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The rows of the table with this head, as cells without backticks. */
function tableIn(page: string, head: string): string[][] {
  const [, table = ''] = readPage(page).split(`\n${head}`);
  const lines = table.split('\n').slice(2);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'))
      .slice(1),
  );
}

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly default?: unknown;
}

/** All settings that contain no others, by their path: `guardrails[].hint`. */
function settingsIn(schema: Schema, path = ''): (readonly [key: string, Schema])[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([key, inner]) =>
      settingsIn(inner, path === '' ? key : `${path}.${key}`),
    );
  }
  const { items } = schema;
  const forms = items?.anyOf ?? (items?.properties === undefined ? [] : [items]);
  return forms.length === 0 ? [[path, schema]] : forms.flatMap((form) => settingsIn(form, `${path}[]`));
}
