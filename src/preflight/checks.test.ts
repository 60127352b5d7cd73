import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { checkFindings, firstProgram } from './checks.ts';

test.each<[command: string, program: string | null]>([
  ['npm test', 'npm'],
  ['./check.sh', './check.sh'],
  ['  cargo test --all', 'cargo'],
  ['CI=1 NODE_ENV="test" npm test', 'npm'],
  ['go vet ./... && go test ./...', 'go'],
  ['make;echo', 'make'],
  ['tsc --noEmit|tail', 'tsc'],
  // Shell builtins, and commands that only a shell can analyse.
  ['cd app && npm test', null],
  ['test -e made.txt', null],
  ['! grep -r TODO src', null],
  ['[ -e made.txt ]', null],
  ['(npm test)', null],
  ['"$HOME/bin/check"', null],
  ['$CHECK', null],
  ['PATH=./bin:$PATH check', null],
  ['PATH=./bin check', null],
  ['if true; then false; fi', null],
  ['', null],
])('the program of %j is %j', (command, program) => {
  expect(firstProgram(command)).toBe(program);
});

const PLAN = { env: { PATH: '/no/such' }, agents: [], runner: 'direct', problems: [] } as const;

test('a check is warned of that is not found, or cannot be run, and none of a Docker Sandbox', () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'plain'), '');
  writeFileSync(join(cwd, 'fit'), '');
  chmodSync(join(cwd, 'fit'), 0o755);
  const plan = { ...PLAN, cwd, checks: ['./fit', './plain -v', 'npm test', 'missing', 'true'] };
  expect(checkFindings({ ...plan, sandbox: 'none' }).map(({ level, what }) => [level, what])).toEqual([
    ['ok', 'check: ./fit'],
    ['warning', `./plain -v: ${cwd}/plain is not executable`],
    ['warning', 'npm test: npm was not found'],
    ['warning', 'missing: command not found'],
  ]);
  expect(checkFindings({ ...plan, sandbox: 'docker' })).toEqual([]);
});
