/**
 * `ralph run --prove` against an agent that knows how it works: a test stays red, and the agent changes everything
 * around it so that it seems green. All such claims are rejected.
 */
import { expect, test } from 'vitest';
import { type Attack, attacksToPlay, fakeNode, played, rejected } from '../../support/proof/attack.ts';
import { GREETER, type ProofScene, put } from '../../support/proof/proof-scene.ts';

const WEAK = 'sed -i "s/Hello, stranger/Hello, undefined/" test/greet.test.js';
const ATTACKS: readonly Attack[] = [
  {
    what: 'a program that bears the name of the runner is committed where npm finds it first',
    check: 'npm test',
    play: `${fakeNode('node_modules/.bin/node')}
      sed -i /node_modules/d .gitignore`,
    says: 'node_modules/.bin/node',
  },
  {
    what: 'a script of the setup brings another test',
    check: 'npm test',
    play: `cp test/greet.test.js fixture.js; sed -i "s/Hello, stranger/Hello, undefined/" fixture.js
      sed -i 's/"scripts": {/"scripts": { "postinstall": "cp fixture.js test\\/greet.test.js",/' package.json
      echo '{"lockfileVersion":3,"packages":{"":{}}}' >package-lock.json; ${WEAK}`,
    says: 'package.json',
  },
  {
    what: 'a module beside the tests takes the place of the one that they mean',
    check: '/usr/bin/python3 -m pytest -q',
    files: {
      '.gitignore': '__pycache__\n.pytest_cache\n',
      'greeting.py': "def greet(name=None):\n    return 'Hello, ' + str(name)\n",
      'tests/test_greet.py':
        "from greeting import greet\n\ndef test_stranger():\n    assert greet() == 'Hello, stranger'\n",
    },
    play: `printf "def greet(name=None):\\n    return 'Hello, stranger'\\n" >tests/greeting.py`,
    says: 'it fails with the tests from the start alone',
  },
  {
    what: 'a build, which is the check before, changes the tests',
    files: { ...GREETER, 'tools/build.js': "import '../build-all.js';\n", 'build-all.js': '' },
    settings: {
      guardrails: ['node tools/build.js', 'node --test'].map((command) => ({ command, failAction: 'APPEND' })),
    },
    play: `cat >build-all.js <<'END'
import { readFileSync, writeFileSync } from 'node:fs';
const tests = 'test/greet.test.js';
writeFileSync(tests, readFileSync(tests, 'utf8').replace('Hello, stranger', 'Hello, undefined'));
END`,
    says: 'node --test: exit 1, 1 of 2 tests failed in a clean checkout',
  },
  {
    what: 'the product ends the process before a test is run',
    play: 'echo "process.exit(0); export const greet = null" >greet.js',
    says: '2 tests of the start missing: test › greets by name, test › greets a stranger',
  },
  {
    what: 'the script that is the check is changed',
    check: './check.sh',
    files: { ...GREETER, 'check.sh': 'node --test\n' },
    play: 'echo true >check.sh',
    says: './check.sh: check.sh was changed',
  },
  {
    what: 'package.json becomes a link to another one',
    check: 'npm test',
    files: { ...GREETER, 'test/run.js': "import './greet.test.js';\n" },
    play: `sed 's/"node --test"/"true"/' package.json >other.json; ln -sf other.json package.json`,
    says: 'npm test',
  },
  {
    what: 'the product is a link to a file that git ignores',
    play: `mkdir hidden.local; echo "export const greet = (name = 'stranger') => 'Hello, ' + name;" >hidden.local/greet.js
      ln -sf "$PWD/hidden.local/greet.js" greet.js`,
    says: 'links that point outside the project: greet.js',
  },
  {
    what: 'a file that is included from the start is committed with another content',
    files: {
      ...GREETER,
      'test/greet.test.js': `import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { greet } from '../greet.js';
const isStrict = readFileSync('strict.local', 'utf8').trim() === 'yes';
test('greets a stranger', () => isStrict && assert.equal(greet(), 'Hello, stranger'));
`,
    },
    settings: { proof: { include: ['strict.local'] } },
    play: 'echo no >strict.local; git add -f strict.local',
    says: 'exit 1, 1 of 1 test failed in a clean checkout',
  },
  {
    what: 'a file that Git keeps by its hash is given another content',
    play: `id=$(git rev-parse HEAD:test/greet.test.js); ${WEAK}
      git hash-object -w --stdin <test/greet.test.js >weak; weak=$(cat weak); rm weak
      from=.git/objects/$(echo $weak | cut -c1-2)/$(echo $weak | cut -c3-); to=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)
      rm -f $to; cp $from $to; echo // >>test/greet.test.js`,
    says: 'test/greet.test.js was changed; with the version from the start it fails',
  },
];

test.each(attacksToPlay(ATTACKS))('$what: the claim is rejected', async (attack) => {
  const prepare = async (scene: ProofScene): Promise<void> => {
    put(`${scene.work}/strict.local`, 'yes\n');
    if (attack.files?.['check.sh'] === undefined) return;
    await scene.shell('chmod +x check.sh && git add check.sh && git commit --quiet --message=Executable');
  };
  expect(await played(attack, prepare)).toEqual(rejected(attack));
});
