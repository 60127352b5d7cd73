import { expect, test } from 'vitest';
import { provingScene } from '../../../test/support/proof/proving.ts';
import { importedModules, reportedFiles } from './reported-files.ts';

const FILES = {
  'src/greet.works.js': "test('greets', () => undefined);\n",
  'src/in-source.js': "if (import.meta.vitest) test('a', () => undefined);\n",
  'src/same.js': "test('looks like one');\n",
  '__tests__/same.js': '',
  'src/is.js': 'export const is = (text) => /a/.test(text);\n',
  'quality/works_greet.py':
    'import json, scipy as sp\nimport numpy.testing\nfrom greet import greet\n\ndef test_greet():\n    import unwritten\n',
  'greet.py': 'def greet():\n    """\n    >>> greet()\n    """\n',
};
const tests = (...names: string[]) => [names.map((name) => ({ name, outcome: 'passed' }) as const), null];

test('files that hold tests are found by what their runner calls them; the product is not one', async () => {
  const trees = provingScene(FILES).trees();
  const { at } = await trees.take('refs/proof/base');
  const found = await reportedFiles(
    trees,
    at,
    tests(
      'src/greet.works.js › greets',
      'src/in-source.js › a',
      'same.js › x',
      'is.js › y',
      'pytest › quality.works_greet › test_greet',
      'pytest › greet › greet.greet',
    ),
  );
  expect(found).toEqual(['quality/works_greet.py', 'src/greet.works.js']);
});

test('modules that tests import are those from elsewhere, where these tests were run', async () => {
  const trees = provingScene(FILES).trees();
  const { at } = await trees.take('refs/proof/base');
  const imported = await importedModules(trees, at, tests('pytest › quality.works_greet › test_greet'));
  expect([...imported]).toEqual(['json', 'scipy', 'numpy']);
  expect(await importedModules(trees, at, tests('pytest › other › test_greet'))).toEqual(new Set());
});
