/** The files of the start that hold tests because their runner has reported some in them, whatever they are called. */
import { pinKindOf } from '../../core/proof/pins/pins.ts';
import type { TestCase } from '../../core/proof/test-case.ts';
import type { BaseTests } from '../base-tests.ts';
import type { ProofTrees } from '../trees.ts';

/** `at`: the tree that the loop began with. A file with tests and product in it is the agent's to change. */
export async function reportedFiles(
  trees: ProofTrees,
  at: string,
  tests: Iterable<BaseTests[number]>,
): Promise<string[]> {
  const names = new Set([...tests].flatMap((one) => one ?? []).flatMap(partsOf));
  if (names.size === 0) return [];
  const all = await trees.files(at);
  const files = all.filter((path) => CODE.test(path) && pinKindOf(path) === null);
  // Jest says no more than the last part: there may be a test with the name of what it tests.
  const isOnly = (path: string): boolean => all.filter((other) => lastPart(other) === lastPart(path)).length === 1;
  const named = files.filter(
    (path) => names.has(path) || names.has(moduleOf(path)) || (names.has(lastPart(path)) && isOnly(path)),
  );
  const found: string[] = [];
  for (const path of named) {
    const text = (await trees.entry(at, path))?.content.toString('utf8') ?? '';
    const isPython = path.endsWith('.py');
    const isMixedFile = text.includes('import.meta.vitest');
    if (isPython ? PYTHON_TESTS.test(text) : JAVASCRIPT_TESTS.test(text) && !isMixedFile) found.push(path);
  }
  return found;
}

/**
 * The modules that tests of Python import, where these tests were run at the start: all of them were found. A new file at the top of
 * the project with the name of one is found before it.
 */
export async function importedModules(
  trees: ProofTrees,
  at: string,
  tests: Iterable<BaseTests[number]>,
): Promise<ReadonlySet<string>> {
  const names = new Set([...tests].flatMap((one) => one ?? []).flatMap(({ name }) => name.split(' › ').slice(0, -1)));
  const files = (await trees.files(at)).filter((path) => path.endsWith('.py'));
  const own = new Set(files.map((path) => moduleOf(path.replace(/^src\//, '')).split('.')[0]));
  const modules = new Set<string>();
  for (const path of files.filter((one) => [...names].some((name) => `${name}.`.startsWith(`${moduleOf(one)}.`)))) {
    const text = (await trees.entry(at, path))?.content.toString('utf8') ?? '';
    for (const module of importedBy(text)) if (!own.has(module)) modules.add(module);
  }
  return modules;
}

/** At the top of a file: one that is imported within a function need not be there yet. */
function importedBy(text: string): string[] {
  const plain = [...text.matchAll(/^import\s+([^#\n;]+)/gm)].flatMap(([, names = '']) => names.split(','));
  const from = [...text.matchAll(/^from\s+(\w+)/gm)].map(([, name = '']) => name);
  return [...plain, ...from].flatMap((name) => /^\s*(\w+)/.exec(name)?.[1] ?? []);
}

const CODE = /\.(?:[cm]?[jt]sx?|py)$/;
const PYTHON_TESTS = /^(?:async )?def test\w*\(|^class (?:Test\w*|\w+\(.*TestCase\))/m;
/** `pattern.test(text)` is none. */
const JAVASCRIPT_TESTS = /(?<![.\w])(?:test|it|describe|suite)(?:\.\w+)?\s*\(/;

/** A class of Python stands behind its module. */
function partsOf({ name }: TestCase): string[] {
  return name.split(' › ').flatMap((part) => [part, part.replace(/\.\w+$/, '')]);
}

const moduleOf = (path: string): string => path.replace(/\.py$/, '').replaceAll('/', '.');
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
