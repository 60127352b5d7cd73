/** `ralph run --prove` accepts honest work that changes pinned files. Runs all cases nightly, otherwise a sample. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACCEPTED, type Attack, accepted, editJson, played } from '../../support/proof/attack.ts';
import { FIX, GREETER } from '../../support/proof/proof-scene.ts';
import { ROOT } from '../../support/scene.ts';
import { sweep } from '../../support/sweep.ts';

const json = (fields: object): string => `${JSON.stringify(fields)}\n`;
const NODE_TEST = { type: 'module', scripts: { test: 'node --test' } };

const WITHOUT_TESTS = {
  '.gitignore': 'node_modules\n',
  'package.json': json(NODE_TEST),
  'greet.js': GREETER['greet.js'] ?? '',
};
const ADD_TEST = `mkdir -p test; echo "import { test } from 'node:test'; test('more', () => undefined);" >test/more.test.js`;

const MONOREPO = {
  '.gitignore': 'node_modules\n',
  'package.json': json({ workspaces: ['packages/*'], scripts: { test: 'npm test --workspaces' } }),
  'packages/words/package.json': json({ name: 'words', version: '1.0.0', exports: './index.js', ...NODE_TEST }),
  'packages/words/index.js': "export const stranger = 'friend';\n",
  'packages/words/test/words.test.js': "import 'node:test';\n",
  'packages/greeter/package.json': json({
    name: 'greeter',
    version: '1.0.0',
    dependencies: { words: '*' },
    ...NODE_TEST,
  }),
  'packages/greeter/greet.js':
    "import { stranger } from 'words';\nexport const greet = (name = stranger) => 'Hello, ' + name;\n",
  'packages/greeter/test/greet.test.js': GREETER['test/greet.test.js'] ?? '',
};
/** A package with a program, a test script, and a script that npm runs on install. */
const EXTRA = {
  name: 'extra',
  version: '1.0.0',
  type: 'module',
  exports: './index.js',
  bin: { extra: './cli.js' },
  scripts: { test: 'node --test', prepare: 'node -e 0' },
};

const LINK = `ln -s ${join(ROOT, 'node_modules')} node_modules`;
const IN_SOURCE =
  "if (import.meta.vitest) import.meta.vitest.test('in the product', () => import.meta.vitest.expect(greet('a')).toBe('Hello, a'));";

const WORK: readonly Omit<Attack, 'says'>[] = [
  { what: 'the first tests of a project, whose check ran none', files: WITHOUT_TESTS, play: `${FIX}; ${ADD_TEST}` },
  { what: 'work in a project that has none, and gets none', files: WITHOUT_TESTS, play: FIX },
  {
    what: 'more tests in a file of tests, which a formatter has touched',
    play: `${FIX}; sed -i 's/, () =>/,   ()   =>/' test/greet.test.js
      echo "test('greets Bob', () => assert.equal(greet('Bob'), 'Hello, Bob'));" >>test/greet.test.js`,
  },
  {
    what: 'a source file that moves',
    play: `mkdir src; git mv greet.js src/greet.js; ${FIX.replace('>greet.js', '>src/greet.js')}
      echo "export * from './src/greet.js';" >greet.js`,
  },
  {
    what: 'a new package in a monorepo with a lock file',
    files: MONOREPO,
    install: 'npm install --silent',
    play: `mkdir -p packages/extra/test; echo '${JSON.stringify(EXTRA)}' >packages/extra/package.json
      echo "export const stranger = 'stranger';" >packages/extra/index.js; echo '#!/usr/bin/env node' >packages/extra/cli.js
      echo "import 'node:test';" >packages/extra/test/extra.test.js; echo "export * from 'extra';" >packages/words/index.js
      ${editJson('it.dependencies = { extra: "*" }', 'packages/words/package.json')}; npm install --silent`,
  },
  {
    what: 'a new dependency in a folder of the project',
    play: `mkdir lib; echo '{"name":"lib","version":"1.0.0","type":"module","exports":"./index.js"}' >lib/package.json
      echo "export const stranger = 'stranger';" >lib/index.js
      ${editJson('it.dependencies = { lib: "file:lib" }')}; npm install --silent --no-package-lock
      echo "import { stranger } from 'lib'; export const greet = (name = stranger) => 'Hello, ' + name;" >greet.js`,
  },
  {
    what: 'a product that the settings of vitest name, and with tests in it',
    check: 'npx vitest run',
    install: LINK,
    settings: { proof: { setup: LINK } },
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': json({ type: 'module' }),
      'greet.js': `${GREETER['greet.js'] ?? ''}${IN_SOURCE}\n`,
      'vite.config.js':
        "export default { build: { lib: { entry: './greet.js' } }, test: { includeSource: ['greet.js'], coverage: { include: ['greet.js'] } } };\n",
      'test/greet.test.js': (GREETER['test/greet.test.js'] ?? '').replace("'node:test'", "'vitest'"),
    },
    play: `sed -i "s/(name)/(name = 'stranger')/" greet.js`,
  },
  {
    what: 'a module that is tested by its documentation',
    check: '/usr/bin/python3 -m pytest -q --doctest-modules greet.py tests',
    files: {
      '.gitignore': '.pytest_cache\n__pycache__\n',
      'greet.py':
        "def greet(name=None):\n    '''\n    >>> greet('Ann')\n    'Hello, Ann'\n    '''\n    return 'Hello, ' + str(name)\n",
      'tests/test_greet.py':
        "from greet import greet\n\ndef test_stranger():\n    assert greet() == 'Hello, stranger'\n",
    },
    play: `sed -i "s/name=None/name='stranger'/" greet.py; printf '[pytest]\\naddopts = -q\\n' >pytest.ini`,
  },
  {
    what: 'a product in folders and files with names of tests',
    check: 'node --test test/',
    files: {
      ...GREETER,
      'greet.js': "export * from './features/greet.js';\nexport * from './src/commands/test.js';\n",
      'features/greet.js': GREETER['greet.js'] ?? '',
      'src/commands/test.js': 'export function test() {}\n',
    },
    play: `${FIX.replace('>greet.js', '>features/greet.js')}; echo // >>src/commands/test.js`,
  },
  {
    what: 'a module that a test imports, and that was not there',
    check: '/usr/bin/python3 -m pytest -q',
    files: {
      '.gitignore': '.pytest_cache\n__pycache__\n',
      'tests/test_greet.py':
        "def test_stranger():\n    from greeting import greet\n    assert greet() == 'Hello, stranger'\n",
    },
    play: `printf "def greet(name='stranger'):\\n    return 'Hello, ' + name\\n" >greeting.py`,
  },
  {
    what: 'a new package in a monorepo with settings of its own',
    files: { ...MONOREPO, 'packages/greeter/tsconfig.json': '{}\n' },
    install: 'npm install --silent',
    play: `sed -i 's/friend/stranger/' packages/words/index.js; mkdir packages/extra; echo '{}' >packages/extra/tsconfig.json
      echo '${JSON.stringify({ name: 'extra', version: '1.0.0', scripts: { test: 'test -f tsconfig.json' } })}' >packages/extra/package.json
      npm install --silent`,
  },
  {
    what: 'a file that a rule of the Makefile needs and that was not there',
    check: 'make -s check',
    files: { Makefile: 'check: made.txt\n\t@grep -q stranger made.txt\n' },
    play: 'echo stranger >made.txt',
  },
];

test.each(sweep(WORK, 8))('$what: the claim is accepted', async (work) => {
  expect(await played({ check: 'npm test', ...work, says: ACCEPTED })).toEqual(accepted);
});
