import { describe, expect, test } from 'vitest';
import { switchOnReport } from './switch-on-reports.ts';

const on = (command: string, script?: string) =>
  switchOnReport(command, script === undefined ? null : JSON.stringify({ scripts: { test: script } }), '/r r');

describe('by variables, whatever else the command does', () => {
  const NODE =
    '--test-reporter=junit --test-reporter-destination="/r r/tests.xml" --test-reporter=spec --test-reporter-destination=stdout';

  test.each([
    ['node --test', undefined],
    ['node --import tsx --test test/*.ts | tee log', undefined],
    ['npm test', 'tsc && node --test'],
    ['npm run test', 'node --test'],
    ['tsx --test', undefined],
    ['npm t', 'node --test'],
    ['pnpm test', 'node --test'],
  ])('%s (%s)', (command, script) => {
    expect(on(command, script)).toEqual({ command, env: { NODE_OPTIONS: NODE }, file: '/r r/tests.xml' });
  });

  test.each([
    ['node --test --test-reporter=dot', ' --test-reporter-destination=stdout'],
    ['node --test --test-reporter=dot --test-reporter-destination=out', ''],
  ])('%s keeps its own reporter', (command, more) => {
    const junit = '--test-reporter=junit --test-reporter-destination="/r r/tests.xml"';
    expect(on(command)?.env).toEqual({ NODE_OPTIONS: `${junit}${more}` });
  });

  test.each(['pytest -q', 'python3 -m pytest tests', '. .venv/bin/activate && pytest', 'tox'])('%s', (command) => {
    const env = { PYTEST_ADDOPTS: "--junitxml='/r r/tests.xml'" };
    expect(on(command)).toEqual({ command, env, file: '/r r/tests.xml' });
  });
});

describe('by flags of the runner, where it is called plainly', () => {
  const VITEST = "--reporter=default --reporter=junit --outputFile.junit='/r r/tests.xml'";
  const JEST = "--json --outputFile='/r r/tests.json'";
  const MOCHA = "--reporter json --reporter-option output='/r r/tests.json'";

  test.each([
    ['vitest run', undefined, `vitest run ${VITEST}`],
    ['npx vitest run', undefined, `npx vitest run ${VITEST}`],
    ['npm test', 'vitest run', `npm test -- ${VITEST}`],
    ['yarn test', 'vitest run', `yarn test ${VITEST}`],
    ['npm test', 'cross-env CI=1 jest', `npm test -- ${JEST}`],
    ['CI=1 jest', undefined, `CI=1 jest ${JEST}`],
    ['pnpm test', 'mocha -r tsx', `pnpm test ${MOCHA}`],
    ['go test ./...', undefined, 'go test -json ./...'],
  ])('%s (%s)', (command, script, wanted) => {
    expect(on(command, script)).toMatchObject({ command: wanted, env: {} });
  });
});

test.each([
  ['make check', undefined],
  ['npm test', 'tsc && vitest run'],
  ['npm test', 'node --test unit && node --test e2e'],
  ['pytest unit && pytest e2e', undefined],
  ['node --test-force-exit x.js', undefined],
  ['cat pytest.ini', undefined],
  ['npm run lint', undefined],
  ['npm test', undefined],
  ['vitest run && echo done', undefined],
  ['vitestish', undefined],
  ['cargo test --quiet', undefined],
])('%s (%s) is not known to report', (command, script) => {
  expect(on(command, script)).toBeNull();
});

test('a package.json without scripts says nothing', () => {
  expect(switchOnReport('npm test', '{}', '/r')).toBeNull();
  expect(switchOnReport('npm test', '{', '/r')).toBeNull();
});
