import { expect, test } from 'vitest';
import { importRoots, rootModules, takesName } from './python-modules.ts';

const FILES = ['packages/py/tests/test_a.py', 'tools/setup.py', 'lib/a.py'];

test('Python looks for modules at the top, where the loop works, where its files of a project are, and in src/ there', () => {
  expect(importRoots(FILES, 'sub')).toEqual(
    ['', 'sub/', 'packages/py/', 'tools/'].flatMap((root) => [root, `${root}src/`]),
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
])('%s comes before the module of that name', (path) => {
  const modules = rootModules(path, importRoots(FILES));
  expect(modules.some((module) => takesName(path, module))).toBe(true);
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
])('%s does not', (path) => {
  const modules = rootModules(path, importRoots(FILES));
  expect(modules.some((module) => takesName(path, module))).toBe(false);
});
