import { expect, test } from 'vitest';
import { foldersEntered, importRoots, rootModules, takesName } from './python-modules.ts';

const PACKAGE = [
  'made/__init__.py',
  'made/pyproject.toml',
  'pkg/__init__.py',
  'pkg/tests/__init__.py',
  'pkg/tests/test_core.py',
  'sub/__init__.py',
];
const FILES = ['packages/py/tests/test_a.py', 'tools/setup.py', 'lib/a.py', ...PACKAGE];
const NONE: ReadonlySet<string> = new Set();

const isTaken = (path: string, imported = NONE): boolean =>
  rootModules(path, importRoots(FILES, ['sub'])).some((module) => takesName(path, module, imported));

test('Python looks for modules at the top, where the loop works, beside the files of Python projects, and in src/ of each', () => {
  const folders = importRoots(FILES, ['sub']).map(({ folder }) => folder);
  expect(folders).toEqual(
    ['', 'sub/', 'tools/', 'made/', 'packages/py/', 'pkg/'].flatMap((root) => [root, `${root}src/`]),
  );
});

test.each([
  'argparse.py',
  'difflib.pyc',
  'src/signal.py',
  'json/__init__.py',
  'json/__init__.pyc',
  'pytest.pyc',
  'pytest.cpython-311-x86_64-linux-gnu.so',
  'math.abi3.so',
  '_pytest/main.py',
  'packages/py/pytest.py',
  'tools/src/argparse.py',
  'pkg/pytest.py',
  'sub/types.py',
  'made/types.py',
])('%s shadows the module of that name', (path) => {
  expect(isTaken(path)).toBe(true);
});

test.each([
  'greeting.py',
  'greeting/json.py',
  'lib/json.py',
  'src/greeting/types.py',
  'platform/main.py',
  'packaging/deb.sh',
  'time.py',
  'json.md',
  'signal.js',
  'pkg/types.py',
])('%s does not', (path) => {
  expect(isTaken(path)).toBe(false);
});

test('a module that tests import can be shadowed at the top, but not by a module of a package', () => {
  expect(['numpy/core.py', 'pkg/numpy.py'].map((path) => isTaken(path, new Set(['numpy'])))).toEqual([true, false]);
});

test('the folders that a command enters are found', () => {
  expect(foldersEntered('cd ./pkg/ && pytest; (cd a/b; python3 -m unittest)')).toEqual(['pkg', 'a/b']);
});
