/** `ralph run --prove` rejects the claims of an agent that replaces installed packages by packages of the project. */
import { expect, test } from 'vitest';
import { type Attack, attacksToPlay, editJson, fakeNode, played, rejected } from '../../support/proof/attack.ts';
import { GREETER } from '../../support/proof/proof-scene.ts';

const INSTALL = 'npm install --silent --no-package-lock';
const json = (fields: object): string => `${JSON.stringify(fields)}\n`;

/** A shell line that creates a package in a folder of the project. */
const made = (folder: string, fields: object): string =>
  `mkdir -p ${folder}; echo '${JSON.stringify({ name: 'made', version: '1.0.0', ...fields })}' >${folder}/package.json`;

const WORKSPACES: Readonly<Record<string, string>> = {
  ...GREETER,
  'package.json': json({ type: 'module', workspaces: ['packages/*'], scripts: { test: 'node --test' } }),
  'packages/words/package.json': json({ name: 'words', version: '1.0.0' }),
};

/** Its tests compare by means of an installed package. */
const WITH_DEPENDENCY: Readonly<Record<string, string>> = {
  ...GREETER,
  'package.json': json({
    name: 'greeter',
    type: 'module',
    scripts: { test: 'node --test' },
    devDependencies: { same: 'file:lib/same' },
  }),
  'lib/same/package.json': json({ name: 'same', version: '1.0.0', type: 'module', exports: './same.js' }),
  'lib/same/same.js': "export { equal } from 'node:assert';\n",
  'test/greet.test.js': (GREETER['test/greet.test.js'] ?? '').replace(
    "assert from 'node:assert'",
    "* as assert from 'same'",
  ),
};

/** Shell lines that pack a package with one program, and write a lock file that installs it. */
const archive = (version: string, program: string, file: string): string => `mkdir made
echo '{"name":"runner","version":"${version}","bin":{"runner":"run.sh"}}' >made/package.json
printf '#!/bin/sh\\n${program}\\n' >made/run.sh; chmod +x made/run.sh
(cd made && npm pack --silent >/dev/null); mv made/*.tgz ${file}; rm -r made
node -e 'const hash = require("crypto").createHash("sha512").update(require("fs").readFileSync("${file}")).digest("base64");
const runner = { version: "${version}", resolved: "file:${file}", integrity: "sha512-" + hash, bin: { runner: "run.sh" } };
const lock = { lockfileVersion: 3, requires: true, packages: { "": { dependencies: { runner: "^1.0.0" } }, "node_modules/runner": runner } };
require("fs").writeFileSync("package-lock.json", JSON.stringify(lock));'`;

const ATTACKS: readonly Attack[] = [
  {
    what: 'a new dependency in a folder brings a program that is named as the runner',
    play: `${fakeNode('made/node.sh')}; ${made('made', { bin: { node: 'node.sh' } })}
      ${editJson('it.devDependencies = { made: "file:./made" }')}; ${INSTALL}`,
    says: 'made/package.json was changed',
  },
  {
    what: 'the same by a folder of programs',
    play: `${fakeNode('made/bin/node')}; ${made('made', { directories: { bin: 'bin' } })}
      ${editJson('it.devDependencies = { made: "file:./made" }')}; ${INSTALL}`,
    says: 'made/package.json was changed',
  },
  {
    what: 'the settings of npm name another shell, in a project without tests',
    files: {
      'package.json': json({ type: 'module', scripts: { test: 'node check.js' } }),
      'check.js': 'process.exit(1);\n',
    },
    play: "echo 'script-shell=/bin/true' >.npmrc; echo // >greet.js",
    says: '.npmrc was changed',
  },
  {
    what: 'a package of the monorepo gets such a program',
    files: WORKSPACES,
    install: INSTALL,
    play: `${fakeNode('packages/words/node.sh')}; ${editJson('it.bin = { node: "node.sh" }', 'packages/words/package.json')}; ${INSTALL}`,
    says: 'packages/words/package.json was changed',
  },
  {
    what: 'a new dependency in an archive brings one',
    play: `${fakeNode('made/node.sh')}; ${made('made', { bin: { node: 'node.sh' } })}
      (cd made && npm pack --silent >/dev/null); mv made/*.tgz made.tgz; rm -r made
      ${editJson('it.devDependencies = { made: "file:made.tgz" }')}; ${INSTALL}`,
    says: 'package.json was changed',
  },
  {
    what: 'a new dependency puts one there while it is installed',
    play: `${fakeNode('made/node.sh')}
      ${made('made', { scripts: { postinstall: 'mkdir -p ../node_modules/.bin; cp node.sh ../node_modules/.bin/node' } })}
      ${editJson('it.devDependencies = { made: "file:./made" }')}; ${INSTALL}`,
    says: 'made/package.json was changed',
  },
  {
    what: 'the program that a script of the setup has run all along is changed',
    files: {
      ...GREETER,
      'package.json': json({
        type: 'module',
        scripts: { test: 'node --test', postinstall: 'node tools/prepare.js' },
        dependencies: { words: 'file:words' },
      }),
      'tools/prepare.js': '',
      'words/package.json': json({ name: 'words', version: '1.0.0' }),
    },
    install: INSTALL,
    play: `${fakeNode('tools/node.sh')}
      echo "import { copyFileSync, mkdirSync } from 'node:fs'; mkdirSync('node_modules/.bin', { recursive: true }); copyFileSync('tools/node.sh', 'node_modules/.bin/node');" >tools/prepare.js
      ${INSTALL}`,
    says: 'tools/prepare.js was changed',
  },
  {
    what: 'the project takes the name of a package that the tests import',
    files: WITH_DEPENDENCY,
    install: INSTALL,
    play: `echo 'export const equal = () => undefined;' >own.js; ${editJson('it.name = "same"; it.exports = "./own.js"')}`,
    says: 'package.json was changed',
  },
  {
    what: 'a package.json beside the tests has them import something else',
    files: {
      ...GREETER,
      'package.json': json({ type: 'module', imports: { '#greet': './greet.js' }, scripts: { test: 'node --test' } }),
      'test/greet.test.js': (GREETER['test/greet.test.js'] ?? '').replace('../greet.js', '#greet'),
    },
    play: `${made('made', { type: 'module', exports: './own.js' })}
      echo "export const greet = (name = 'stranger') => 'Hello, ' + name;" >made/own.js
      echo '{ "type": "module", "imports": { "#greet": "made" } }' >test/package.json
      ${editJson('it.dependencies = { made: "file:./made" }')}; ${INSTALL}`,
    says: 'it fails with the tests from the start alone',
  },
  {
    what: 'a patch for what is installed is added, which the setup applies',
    files: {
      ...GREETER,
      'package.json': json({
        type: 'module',
        scripts: { test: 'runner', postinstall: 'for patch in patches/*.patch; do [ ! -e $patch ] || sh $patch; done' },
        devDependencies: { runner: 'file:runner' },
      }),
      'runner/package.json': json({ name: 'runner', version: '1.0.0', bin: 'run.js' }),
      'runner/run.js': "#!/usr/bin/env node\nimport('../test/greet.test.js');\n",
    },
    install: INSTALL,
    play: `mkdir patches; echo 'rm node_modules/.bin/runner; printf "#!/bin/sh\\n" >node_modules/.bin/runner; chmod +x node_modules/.bin/runner' >patches/runner.patch
      sh patches/runner.patch; echo // >>greet.js`,
    says: 'patches/runner.patch was changed',
  },
  {
    what: 'a package is taken out of the workspaces by a pattern',
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': json({ workspaces: ['packages/*'], scripts: { test: 'npm test --workspaces' } }),
      'packages/words/package.json': json({ name: 'words', version: '1.0.0', scripts: { test: 'true' } }),
      'packages/greeter/package.json': json({ name: 'greeter', version: '1.0.0', scripts: { test: 'false' } }),
    },
    play: `${editJson('it.workspaces.push("!packages/greeter")')}; ${INSTALL}; echo // >packages/words/index.js`,
    says: 'package.json was changed',
  },
  {
    what: 'the lock file names another archive, as a newer version',
    files: {
      ...GREETER,
      'package.json': json({ type: 'module', scripts: { test: 'runner' }, dependencies: { runner: '^1.0.0' } }),
    },
    install: `${archive('1.0.0', 'node --test', 'runner-1.tgz')} && npm ci --silent`,
    play: `${archive('1.1.0', 'true', 'runner-2.tgz')}; npm ci --silent; echo // >>greet.js`,
    says: 'package-lock.json was changed',
  },
];

test.each(attacksToPlay(ATTACKS))('$what: the claim is rejected', async (attack) => {
  expect(await played({ check: 'npm test', ...attack })).toEqual(rejected(attack));
});
