/** Uses the real runners, called the way projects call them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { ROOT } from '../../../test/support/scene.ts';
import { countTests } from './count-tests.ts';

function project(files: Readonly<Record<string, string>>) {
  const cwd = join(testFolder(), 'a project');
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
    chmodSync(join(cwd, path), mode);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  mkdirSync(join(cwd, 'own-bin'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  return {
    cwd,
    write,
    run(command: string) {
      const reports = join(testFolder(), 'the reports');
      mkdirSync(reports);
      const { NODE_OPTIONS: _node, PYTEST_ADDOPTS: _pytest, NODE_TEST_CONTEXT: _context, ...others } = process.env;
      const path = [join(cwd, 'own-bin'), '/usr/bin', others.PATH].join(':');
      const counting = countTests(reports, path, command);
      const env = { ...others, GOCACHE: join(homedir(), '.cache/go-build'), ...counting.env };
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', counting.command], { cwd, env, encoding: 'utf8' });
      const { tests, unread } = counting.counted();
      return {
        status,
        stdout,
        stderr,
        tests: tests?.map(({ name, outcome }) => `${name} ${outcome}`),
        unread,
        reports,
      };
    },
  };
}

const pack = (test: string): string =>
  JSON.stringify({ name: 'pack', version: '1.0.0', type: 'module', scripts: { test, unit: 'node --test' } });
const nodeTest = (...names: string[]): string =>
  `import { test } from 'node:test';\n${names.map((name) => `test('${name}', () => {});`).join('\n')}\n`;

const NODE = {
  'package.json': pack('node --test'),
  'one.test.mjs': nodeTest('one', 'two'),
  Makefile: 'test:\n\tnode --test\n',
};
const ONE_TWO = ['test › one passed', 'test › two passed'];

describe('tests of Node.js are counted', () => {
  test.each([
    ['node --test'],
    ['npm test'],
    ['npm test --silent'],
    ['npm run -s test'],
    ['true && npm test'],
    ['cd . && npm test | cat'],
    ['npm run unit'],
    ['make test'],
    [`NODE_OPTIONS=--no-warnings npm test`],
    [
      "node --input-type=module -e \"import { spawnSync } from 'node:child_process'; spawnSync(process.execPath, ['--test'])\"",
    ],
    ['node --test --test-reporter=dot'],
    ['node --test --test-reporter dot --test-reporter-destination out.txt'],
    ['node --test one.test.mjs'],
  ])('%s', (command) => {
    expect(project(NODE).run(command)).toMatchObject({ status: 0, tests: ONE_TWO });
  });

  test('with the reporter of the command, and otherwise as a person reads it', () => {
    const { run } = project(NODE);
    expect(run('node --test').stdout).toContain('✔ one');
    expect(run('node --test --test-reporter=dot').stdout).toBe('..\n');
  });

  test('of all runs in one line, and of all packages of a monorepo', () => {
    const { run } = project({
      'package.json': JSON.stringify({
        private: true,
        workspaces: ['packages/*'],
        scripts: { test: 'npm test --workspaces' },
      }),
      'packages/a/package.json': pack('node --test').replace('pack', 'a'),
      'packages/a/a.test.js': nodeTest('in a'),
      'packages/b/package.json': pack('npm run unit').replace('pack', 'b'),
      'packages/b/b.test.js': nodeTest('in b'),
    });
    const both = ['test › in a passed', 'test › in b passed'];
    expect(run('npm test').tests?.toSorted()).toEqual(both);
    expect(run('npm --prefix packages/a test && npm test -w b').tests?.toSorted()).toEqual(both);
  });

  test('not those that tests start themselves', () => {
    const { run } = project({
      'outer.mjs': `import { test } from 'node:test';
import { spawnSync } from 'node:child_process';
const { NODE_TEST_CONTEXT: _, ...env } = process.env;
test('outer', () => { spawnSync('npx vitest run a.spec.ts; node --test inner.mjs; /usr/bin/python3 -m pytest test_inner.py', { shell: true, env }); });\n`,
      'inner.mjs': nodeTest('inner'),
      'test_inner.py': 'def test_inner():\n    pass\n',
      'a.spec.ts': "import { test } from 'vitest';\ntest('inner', () => {});\n",
    });
    expect(run('node --test outer.mjs').tests).toEqual(['test › outer passed']);
  });

  test('a file whose process ends early is no report', () => {
    const { run } = project({ 'one.test.mjs': nodeTest('one') });
    const end = 'require("fs").appendFileSync("end.cjs", "process.exit(0)")';
    expect(run(`node -e '${end}'; node --require ./end.cjs --test`)).toMatchObject({
      status: 0,
      unread: expect.any(String),
    });
  });

  test('an exit code that is not 0 stays what it is', () => {
    const { run } = project({
      'one.test.mjs': "import { test } from 'node:test';\ntest('one', () => { throw new Error(); });\n",
    });
    expect(run('node --test')).toMatchObject({ status: 1, tests: ['test › one failed'] });
  });
});

describe('tests of vitest are counted', () => {
  const VITEST = {
    'package.json': pack('tsc --version && vitest run'),
    'one.test.ts': "import { test } from 'vitest';\ntest('one', () => {});\n",
    Makefile: 'test:\n\tnpx vitest run\n',
  };

  test.each(['npm test', 'make test', 'npx vitest run --reporter=dot', 'CI=1 npx vitest --run'])('%s', (command) => {
    expect(project(VITEST).run(command)).toMatchObject({ status: 0, tests: [expect.stringContaining('one passed')] });
  });

  test('unless the command has its report for itself', () => {
    const { run } = project(VITEST);
    expect(run('npx vitest run --reporter=json --outputFile=own.json && test -s own.json')).toMatchObject({
      status: 0,
      tests: undefined,
    });
  });
});

describe('tests of pytest are counted', () => {
  const PYTEST = {
    'test_one.py': 'def test_one():\n    pass\n',
    'more/test_two.py': 'def test_two():\n    pass\n',
    Makefile: 'test:\n\t/usr/bin/python3 -m pytest test_one.py\n',
  };
  const ONE = ['pytest › test_one passed'];
  const run = (command: string) => project(PYTEST).run(command.replaceAll('pytest ', '/usr/bin/python3 -m pytest '));

  test.each([
    'pytest test_one.py',
    'make test',
    'PYTHONPATH=. pytest test_one.py',
    'PYTEST_ADDOPTS=-q pytest test_one.py',
    'pytest --junitxml=own.xml test_one.py && test -s own.xml',
  ])('%s', (command) => {
    expect(run(command)).toMatchObject({ status: 0, tests: ONE });
  });

  test('of all runs in one line', () => {
    expect(run('pytest test_one.py && pytest more').tests).toHaveLength(2);
  });

  test('a run that ends early leaves no report', () => {
    const scene = project({ 'test_one.py': 'import os\ndef test_one():\n    os._exit(0)\n' });
    const { status, tests, unread } = scene.run('/usr/bin/python3 -m pytest');
    expect({ status, tests }).toEqual({ status: 0, tests: undefined });
    expect(unread).toContain('breaks off');
  });
});

describe('tests of jest and mocha are counted', () => {
  // Only the part of mocha that is used; test/agents/run/proof-with-runners.test.ts uses the real one.
  const MOCHA = `const { EventEmitter } = require('events');
module.exports = class Mocha {
  run() {
    const runner = new EventEmitter();
    const tell = (what, title) => runner.emit(what, { fullTitle: () => title });
    setImmediate(() => { tell('pass', 'one'); tell('pending', 'two'); runner.emit('end'); });
    return runner;
  }
};`;
  const TOOLS = {
    'package.json': pack('node tools/node_modules/mocha/bin/mocha.js --reporter dot'),
    'tools/node_modules/mocha/package.json': '{"main":"index.cjs"}',
    'tools/node_modules/mocha/index.cjs': MOCHA,
    'tools/node_modules/mocha/bin/mocha.js': `for (const word of process.argv) if (word.startsWith('--require=')) require(word.slice(10));
const Mocha = require('../index.cjs');
new Mocha().run();`,
    'tools/node_modules/jest/package.json': '{}',
    'tools/node_modules/jest/bin/jest.js': `const file = process.argv.find((word) => word.startsWith('--outputFile=')).slice(13);
const found = { testResults: [{ name: '/a.test.js', assertionResults: [{ fullName: 'one', status: 'passed' }] }] };
require('fs').writeFileSync(file, JSON.stringify(found));`,
  };

  test('of mocha, whatever its reporter is', () => {
    expect(project(TOOLS).run('npm test')).toMatchObject({ status: 0, tests: ['one passed', 'two skipped'] });
  });

  test('of mocha as a module with a default; one that cannot be counted runs all the same', () => {
    const index = 'tools/node_modules/mocha/index.cjs';
    const bin = TOOLS['tools/node_modules/mocha/bin/mocha.js'].replace("('../index.cjs')", "('../index.cjs').default");
    const made = { ...TOOLS, 'tools/node_modules/mocha/bin/mocha.js': bin };
    const { run, write } = project({ ...made, [index]: MOCHA.replace('module.exports', 'exports.default') });
    expect(run('npm test')).toMatchObject({ status: 0, tests: ['one passed', 'two skipped'] });
    write(index, 'exports.default = function () { this.run = () => console.log("was run"); };');
    expect(run('npm test')).toMatchObject({ status: 0, tests: undefined, stdout: expect.stringContaining('was run') });
  });

  test('of jest, also where the command sets NODE_OPTIONS', () => {
    const call = 'NODE_OPTIONS=--experimental-vm-modules node tools/node_modules/jest/bin/jest.js';
    expect(project(TOOLS).run(call)).toMatchObject({ status: 0, tests: ['a.test.js › one passed'] });
  });
});

describe('tests of Go are counted', () => {
  const GO = {
    'go.mod': 'module example.com/one\n\ngo 1.19\n',
    'one_test.go': 'package one\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {}\n',
    Makefile: 'test:\n\tgo test ./...\n',
  };

  test.each([
    'go test ./...',
    'CGO_ENABLED=0 go test ./...',
    'make test',
    'go vet ./... && go test $(go list ./...)',
    '/usr/bin/go test ./...',
    'CGO_ENABLED=0 /usr/bin/go vet ./... && (/usr/bin/go test ./...)',
  ])('%s', (command) => {
    const { status, stdout, tests } = project(GO).run(command);
    expect({ status, tests }).toEqual({ status: 0, tests: ['example.com/one › TestOne passed'] });
    expect(stdout).toMatch(/^ok\s+example.com\/one/m);
    expect(stdout).not.toContain('"Action"');
  });

  test('in the folder that a flag names', () => {
    // Only newer releases of go have this flag.
    const newer = '#!/bin/sh\n[ "$1" != -C ] || { cd "$2"; shift 2; }\nexec /usr/bin/go "$@"\n';
    const { write, run } = project({ 'test/go.mod': GO['go.mod'], 'test/one_test.go': GO['one_test.go'] });
    write('own-bin/go', newer, 0o755);
    expect(run('go -C test test ./...')).toMatchObject({ status: 0, tests: ['example.com/one › TestOne passed'] });
  });

  test('one that fails exits as it does', () => {
    const { run } = project({ ...GO, 'one_test.go': GO['one_test.go'].replace('{}', '{ t.Fatal("no") }') });
    expect(run('go test ./...')).toMatchObject({ status: 1, tests: ['example.com/one › TestOne failed'] });
  });
});

describe('tests of Rust are counted', () => {
  const CARGO = `#!/bin/sh
echo '     Running unittests src/lib.rs (target/debug/deps/one)' >&2
printf 'running 1 test\\ntest one ... ok\\n\\ntest result: ok. 1 passed; 0 failed\\n'
`;

  test.each(['cargo test', 'cargo +nightly test --workspace', 'make test', 'cargo --locked --color never test'])(
    '%s',
    (command) => {
      const { write, run } = project({ Makefile: 'test:\n\tcargo test\n' });
      write('own-bin/cargo', CARGO, 0o755);
      expect(run(command)).toMatchObject({ status: 0, tests: ['src/lib.rs › one passed'] });
    },
  );

  test('not of a call that prints nothing of them', () => {
    const { write, run } = project({});
    write('own-bin/cargo', CARGO, 0o755);
    expect(run('cargo test --quiet')).toMatchObject({ status: 0, tests: undefined, unread: undefined });
  });
});

test('a command without a runner that is known has no count', () => {
  const { status, tests, unread } = project({}).run('echo 20 tests passed; node --version');
  expect({ status, tests, unread }).toEqual({ status: 0, tests: undefined, unread: undefined });
});

test('a report that is too large is named, and not read', () => {
  const { run } = project({ 'one.test.mjs': nodeTest('one') });
  const grow = `truncate -s 300M "$(ls -d "\${PATH%%/kit/bin*}"/*.xml)"`;
  expect(run(`node --test; ${grow}`)).toMatchObject({
    tests: undefined,
    unread: expect.stringContaining('larger than 256 MB'),
  });
});
