/** The files, folders and npm scripts that the documents for contributors name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const DECISIONS = readdirSync(join(root, 'docs/adr')).sort();
const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DECISIONS.map((name) => `docs/adr/${name}`)];

/** Words in backticks that begin with a folder of this repository; `<name>` in a path matches any name. */
function pathsIn(text: string): string[] {
  const words = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word);
  return words.filter((word) => /^(?:src|test|docs|scripts|bench|plugin|bin|examples)\//.test(word));
}

function isThere(path: string): boolean {
  const pattern = path
    .replaceAll(/<[^>]+>/g, '*')
    .replaceAll(/\{([^}]+)\}/g, '*')
    .replace(/\/$/, '');
  if (!pattern.includes('*')) return existsSync(join(root, pattern));
  const steps = pattern.split('/');
  return stepsFrom(root, steps);
}

function stepsFrom(folder: string, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return existsSync(folder);
  if (!step.includes('*')) return stepsFrom(join(folder, step), rest);
  return readdirSync(folder).some((name) => stepsFrom(join(folder, name), rest));
}

describe.each(DOCUMENTS)('%s', (document) => {
  test('names only existing files and folders', () => {
    const missing = pathsIn(read(document)).filter((path) => !isThere(path));
    expect(missing).toEqual([]);
  });

  test('names only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(document).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('the decisions in docs/adr are numbered without gaps', () => {
  const numbers = DECISIONS.map((name) => name.slice(0, 4));
  expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')));
});
