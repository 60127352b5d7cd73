import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { detectChecks, detectChecksIn } from './detect.ts';

type Files = Readonly<Record<string, string>>;

/** `package.json: npm test · npm run lint` */
function found(files: Files): string | null {
  const checks = detectChecks({ names: Object.keys(files), read: (name) => files[name] ?? null });
  return checks === null ? null : `${checks.file}: ${checks.commands.join(' · ')}`;
}

const scripts = (all: object, more: object = {}): Files => ({
  'package.json': JSON.stringify({ scripts: all, ...more }),
});
const TEST = { test: 'node --test' };

describe('package.json', () => {
  test.each<[string, Files, string | null]>([
    ['test and lint', scripts({ ...TEST, lint: 'eslint .' }), 'package.json: npm test · npm run lint'],
    ['type checks', scripts({ ...TEST, typecheck: 'tsc' }), 'package.json: npm test · npm run typecheck'],
    ['lint alone', scripts({ lint: 'eslint .' }), 'package.json: npm run lint'],
    ['what npm init writes', scripts({ test: 'echo "Error: no test specified" && exit 1' }), null],
    ['a test that watches', scripts({ test: 'jest --watch', lint: 'x' }), 'package.json: npm run lint'],
    ['one whose flag turns that off', scripts({ test: 'ng test --watch=false' }), 'package.json: npm test'],
    ['one that watches for want of CI', scripts({ test: 'react-scripts test' }), 'package.json: CI=true npm test'],
    ['no scripts', { 'package.json': '{}' }, null],
    ['scripts that are none', { 'package.json': '{"scripts": {"test": 1, "lint": null}}' }, null],
    ['no JSON', { 'package.json': '{' }, null],
    ['pnpm', { ...scripts({ ...TEST, lint: 'x' }), 'pnpm-lock.yaml': '' }, 'package.json: pnpm test · pnpm run lint'],
    ['yarn', { ...scripts({ ...TEST, lint: 'x' }), 'yarn.lock': '' }, 'package.json: yarn test · yarn run lint'],
    ['bun, whose own test is another', { ...scripts(TEST), 'bun.lock': '' }, 'package.json: bun run test'],
    ['a manager by its field', scripts(TEST, { packageManager: 'pnpm@10.1.0' }), 'package.json: pnpm test'],
  ])('%s', (_what, files, checks) => {
    expect(found(files)).toBe(checks);
  });
});

describe('other kinds of projects', () => {
  test.each<[string, Files, string | null]>([
    ['Makefile', { Makefile: 'all: x\n\ntest lint: x\n\tgo\n' }, 'Makefile: make test · make lint'],
    ['check where there is no test', { Makefile: 'check:\n\tx\n' }, 'Makefile: make check'],
    ['variables are no targets', { Makefile: 'test := x\ntest = y\n.PHONY: lint\n' }, null],
    ['just', { justfile: 'test *args:\n  x\n@lint:\n  y\ncheck := "x"\n' }, 'justfile: just test · just lint'],
    ['Go', { 'go.mod': 'module x' }, 'go.mod: go test ./... · go vet ./...'],
    ['Rust', { 'Cargo.toml': '[package]' }, 'Cargo.toml: cargo test'],
    ['pytest by a test', { 'pyproject.toml': '[project]', 'test_add.py': '' }, 'test_add.py: pytest'],
    ['pytest by a test alone', { 'add.py': '', 'add_test.py': '' }, 'add_test.py: pytest'],
    ['pytest by a folder of tests', { 'requirements.txt': '', tests: '' }, 'tests: pytest'],
    ['pytest by its own file', { 'pytest.ini': '' }, 'pytest.ini: pytest'],
    ['pytest by pyproject.toml', { 'pyproject.toml': '[tool.pytest.ini_options]' }, 'pyproject.toml: pytest'],
    ['pytest by setup.cfg', { 'setup.cfg': '[tool:pytest]' }, 'setup.cfg: pytest'],
    ['tox', { 'tox.ini': '[testenv]\ncommands = nose' }, 'tox.ini: tox'],
    [
      'uv and ruff',
      { 'pyproject.toml': 'dev = ["pytest"]\n[tool.ruff]', 'uv.lock': '' },
      'pyproject.toml: uv run pytest · uv run ruff check .',
    ],
    ['Django', { 'manage.py': '', 'requirements.txt': 'django' }, 'manage.py: python3 manage.py test'],
    ['Python without a sign of tests', { 'pyproject.toml': '[project]' }, null],
    ['Maven', { 'pom.xml': '' }, 'pom.xml: mvn -q test'],
    ['Maven with its wrapper', { 'pom.xml': '', mvnw: '' }, 'pom.xml: ./mvnw -q test'],
    ['Gradle', { 'build.gradle': '', gradlew: '' }, 'build.gradle: ./gradlew test'],
    ['Gradle in Kotlin, without a wrapper', { 'build.gradle.kts': '' }, 'build.gradle.kts: gradle test'],
    ['RSpec', { Gemfile: "gem 'rspec'", '.rubocop.yml': '' }, 'Gemfile: bundle exec rspec · bundle exec rubocop'],
    ['Rake', { Rakefile: 'Rake::TestTask.new' }, 'Rakefile: rake test'],
    ['Rails', { Gemfile: '', Rakefile: 'Rails.application.load_tasks' }, 'Rakefile: bundle exec rake test'],
    ['Deno', { 'deno.json': '{"tasks": {"test": "x"}}' }, 'deno.json: deno task test · deno lint'],
    ['Deno with comments', { 'deno.jsonc': '{ // x\n}' }, 'deno.jsonc: deno test · deno lint'],
    ['Composer', { 'composer.json': '{"scripts": {"test": "x"}}' }, 'composer.json: composer test'],
    ['PHPUnit', { 'composer.json': '{}', 'phpunit.xml.dist': '' }, 'composer.json: vendor/bin/phpunit'],
    ['Elixir', { 'mix.exs': '' }, 'mix.exs: mix test'],
    ['Swift', { 'Package.swift': '' }, 'Package.swift: swift test'],
    ['.NET', { 'App.sln': '' }, 'App.sln: dotnet test'],
    ['nothing', { 'README.md': 'test:\n' }, null],
  ])('%s', (_what, files, checks) => {
    expect(found(files)).toBe(checks);
  });

  test('what the project says itself comes before what is usual, and a test before a lint', () => {
    expect(found({ 'go.mod': '', Makefile: 'test:\n' })).toBe('Makefile: make test');
    expect(found({ 'go.mod': '', ...scripts({ lint: 'x' }) })).toBe('go.mod: go test ./... · go vet ./...');
  });
});

describe('of a real folder', () => {
  test('what was found there runs', () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'touch tested' } }));
    const { commands = [] } = detectChecksIn(folder) ?? {};
    execFileSync('sh', ['-c', commands.join(' && ')], { cwd: folder, stdio: 'ignore' });
    execFileSync('test', ['-f', join(folder, 'tested')]);
    expect(commands).toEqual(['npm test']);
  });

  test('a pipe or a folder by such a name keeps nothing waiting, and says nothing', () => {
    const folder = testFolder();
    execFileSync('mkfifo', [join(folder, 'package.json')]);
    mkdirSync(join(folder, 'Makefile'));
    expect(detectChecksIn(folder)).toBeNull();
    expect(detectChecksIn(join(folder, 'nowhere'))).toBeNull();
  });
});
