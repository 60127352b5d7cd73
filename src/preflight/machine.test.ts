import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { containmentFinding, nodeFinding, stateFinding, toolFindings } from './machine.ts';

test.each([
  ['20.18.3', 'error'],
  ['20.19.0', 'ok'],
  ['9.11.2', 'error'],
  ['100.0.0', 'ok'],
])('Node.js %s is %s', (node, level) => {
  expect(nodeFinding(node).level).toBe(level);
});

test('a program that is not there is named with what it is needed for', async () => {
  const found = await toolFindings({ PATH: '/no/such' }, '/');
  expect(found.map(({ level, what }) => [level, what])).toEqual([
    ['warning', 'git is not installed'],
    ['warning', 'tmux is not installed'],
  ]);
});

test('the weakest containment is a warning', () => {
  expect(containmentFinding('group')).toMatchObject({ level: 'warning' });
});

test('a state directory is tried where it will be made, and nothing is left there', () => {
  const folder = testFolder();
  expect(stateFinding(join(folder, 'a/b'))).toMatchObject({ level: 'ok' });
  expect(stateFinding('/dev/null/a')).toMatchObject({ level: 'error' });
});
