/** Finds files of the start that contain tests, whatever their names, because a runner reported tests in them. */
import { pinKindOf } from '../../core/proof/pins/pins.ts';
import type { TestCase } from '../../core/proof/test-case.ts';
import type { BaseTests } from '../base-tests.ts';
import type { ProofTrees } from '../trees.ts';

/** `at`: the tree that the loop began with. A file with both tests and product code is left to the agent. */
export async function reportedFiles(
  trees: ProofTrees,
  at: string,
  tests: Iterable<BaseTests[number]>,
): Promise<string[]> {
  const names = new Set([...tests].flatMap((one) => one ?? []).flatMap(partsOf));
  if (names.size === 0) return [];
  const all = await trees.files(at);
  const files = all.filter((path) => CODE.test(path) && pinKindOf(path) === null);
  // Jest reports only the file name: the tested file may have the same one.
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
 * The modules that Python tests of the start import. Since these tests ran, all of their modules were found. A new file
 * at the top of the project with the same name would be found first.
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

/** Only imports at the top level of a file: one inside a function may not exist yet. */
function importedBy(text: string): string[] {
  const plain = [...text.matchAll(/^import\s+([^#\n;]+)/gm)].flatMap(([, names = '']) => names.split(','));
  const from = [...text.matchAll(/^from\s+(\w+)/gm)].map(([, name = '']) => name);
  return [...plain, ...from].flatMap((name) => /^\s*(\w+)/.exec(name)?.[1] ?? []);
}

const CODE = /\.(?:[cm]?[jt]sx?|py)$/;
const PYTHON_TESTS = /^(?:async )?def test\w*\(|^class (?:Test\w*|\w+\(.*TestCase\))/m;
/** `pattern.test(text)` is not a test. */
const JAVASCRIPT_TESTS = /(?<![.\w])(?:test|it|describe|suite)(?:\.\w+)?\s*\(/;

/** A Python class follows its module in the name. */
function partsOf({ name }: TestCase): string[] {
  return name.split(' › ').flatMap((part) => [part, part.replace(/\.\w+$/, '')]);
}

const moduleOf = (path: string): string => path.replace(/\.py$/, '').replaceAll('/', '.');
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
