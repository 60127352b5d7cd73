import { expect, test } from 'vitest';
import { quickCommand } from './quick.ts';

const isQuick = (line: string): boolean => quickCommand(line.split(' ').filter(Boolean)) !== null;

test.each(['ls', 'ls -a', 'ls --all --json', 'status', 'status k3x9', 'status --json 20260101-000000-9e3779b1'])(
  'ralph %s is answered without the parser of all commands',
  (line) => {
    expect(isQuick(line)).toBe(true);
  },
);

test.each([
  'ls --help',
  'ls -h',
  'ls k3x9',
  'ls --al',
  'ls -aj',
  'ls --',
  'status --help',
  'status k3x9 --jsn',
  'status k3x9 k3x8',
  'status -x',
  'status ../x',
  'show k3x9',
  'run',
  '',
])('any other command line is left to that parser: ralph %s', (line) => {
  expect(isQuick(line)).toBe(false);
});
