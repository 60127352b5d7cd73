import { describe, expect, test } from 'vitest';
import {
  decidesByName,
  namedByCommand,
  namedByFlags,
  namedByMakefile,
  namedBySettings,
  patternOf,
  startedBy,
} from './named-files.ts';

const always = (named: ReturnType<typeof namedByCommand>): string[] =>
  named.filter(({ how }) => how === 'always').map(({ word }) => word);

describe('a command', () => {
  test.each([
    ['node --import ./hook.js --test', ['./hook.js']],
    ['mocha --require="./hooks.js"', ['./hooks.js']],
    ['pytest -c ci/settings.cfg', ['ci/settings.cfg']],
    ['pytest -p plugins.own', ['plugins.own', 'plugins/own.py', 'plugins/own/__init__.py']],
    ['make -f build/rules check', ['build/rules']],
    ['vitest run --config unit.mts', ['unit.mts', 'unit/mts.py', 'unit/mts/__init__.py']],
    ['node --test works/greet.js "more/*.js"', ['works/greet.js', 'more/*.js']],
  ])('%s loads or runs %j', (line, files) => {
    expect(new Set(always(namedByCommand(line)))).toEqual(new Set(files));
  });

  test.each([
    'cp -r src/a.js dist',
    'rm -f dist/a.js',
    'node --check src/a.js',
    'pytest --doctest-modules src/a.py',
    'prettier -c src/a.js',
  ])('%s loads nothing', (line) => {
    expect(always(namedByCommand(line))).toEqual([]);
  });

  test('runs programs, which decide by their names, or always if it is a setup', () => {
    expect(namedByCommand('sh tools/prepare.sh && ./build.sh')).toEqual([
      { word: 'tools/prepare.sh', how: 'by name' },
      { word: './build.sh', how: 'by name' },
    ]);
    expect(always(namedByCommand('node tools/prepare.js', true))).toEqual(['tools/prepare.js']);
  });

  test.each(
    'scripts/check-all.sh tools/runTests.js verify.py e2e_run.js unittests.js test2.js typecheck.mjs validate.js ci/lint.js tools/CI.js'.split(
      ' ',
    ),
  )('%s decides by its name', (program) => {
    expect(decidesByName(program)).toBe(true);
  });

  test.each(
    './build.sh src/checkout.js latest.js src/inspect.js validator.js special.js contest.js splint.js test/main.js'.split(
      ' ',
    ),
  )('%s does not', (program) => {
    expect(decidesByName(program)).toBe(false);
  });
});

test.each([
  ['./gradlew test', ['./gradlew']],
  ['CI=1 timeout 60 bin/ci --all && ./run.sh', ['bin/ci', './run.sh']],
  ['sh -e tools/prove', ['tools/prove']],
  ['./manage.py test', ['./manage.py']],
  ['npm test', []],
  ['node src/cli.js && python3 main.py', []],
  ['./greet.js', []],
  ['./greet | diff - golden', []],
  ['test "$(./greet)" = "Hello"', []],
])('%s starts %j, whose exit codes count', (line, started) => {
  expect(startedBy(line)).toEqual(started.map((word) => ({ word, how: 'started' })));
});

test('a Makefile names its includes, its targets, and what its recipes run, but not their prerequisites', () => {
  const text =
    'include a.conf b\n-include c\nOUT := x\ncheck unit: main.c hello.c\n\t@sh scripts/check.sh\napp: $(OBJS) ; cc\n.PHONY: all\n';
  expect(namedByMakefile(text)).toEqual([
    ...['a.conf', 'b', 'c'].map((word) => ({ word, how: 'always' })),
    ...['check', 'unit'].map((word) => ({ word, how: 'target' })),
    { word: 'scripts/check.sh', how: 'by name' },
    { word: 'app', how: 'target' },
    { word: '.PHONY', how: 'target' },
  ]);
});

describe('settings', () => {
  test.each([
    [
      "export default { test: { setupFiles: ['./env.js', './b.js'], coverage: { include: ['src/a.js'] } } };",
      ['./env.js', './b.js'],
    ],
    ['{ "setupFilesAfterEnv": ["<rootDir>/env.js"], "collectCoverageFrom": ["src/a.js"] }', ['./env.js']],
    ['require:\n  - ./hook.js\nwatch-files:\n  - src/a.js\n', ['./hook.js']],
    ['spec: works/*.js\n', ['works/*.js']],
    ["import { base } from './base.js';\nimport own from './src/a.js';\n", ['./base.js']],
  ])('%j', (text, files) => {
    const words = namedBySettings(text).map(({ word }) => word);
    expect(words).toEqual(expect.arrayContaining(files));
    expect(words).not.toContain('src/a.js');
  });
});

test('of the settings of a Python runner, only flags count', () => {
  const text = '[metadata]\nlong_description = file: README.md\n[tool:pytest]\naddopts = -q -p own\n';
  expect(always(namedByFlags(text))).toEqual(['own', 'own.py', 'own/__init__.py']);
});

test('patterns work as in shells', () => {
  const matching = (pattern: string): string[] =>
    ['a.js', 'b/a.js', 'b/c/a.ts'].filter((path) => patternOf(pattern)?.test(path) === true);
  expect(['*.js', '**/*.js', 'b/**', 'b/**/*.{js,ts}', 'a.js', '{'].map(matching)).toEqual([
    ['a.js'],
    ['a.js', 'b/a.js'],
    ['b/a.js', 'b/c/a.ts'],
    ['b/a.js', 'b/c/a.ts'],
    [],
    [],
  ]);
});
