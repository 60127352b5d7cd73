import { describe, expect, test } from 'vitest';
import { guardContext, PROJECT, verdictOf } from '../../test/support/guard-table.ts';
import { judgeCommand, readAllowed } from './judge.ts';

const LIST = `
# What this project's people allow.
git push --force origin gh-pages
rm -rf ~/.cache/tool
docker run --privileged *
sudo apt-get *
`;

function verdict(command: string): string {
  const { home, project } = guardContext();
  return verdictOf(judgeCommand(command, PROJECT, guardContext(), { allowed: readAllowed(LIST, home, project) }));
}

describe('a command that people have allowed', () => {
  test.each([
    'git push --force origin gh-pages',
    "git  push '--force' origin gh-pages",
    'npm run docs && git push --force origin gh-pages',
    'rm -rf ~/.cache/tool',
    'docker run --privileged -it alpine sh',
    'sudo apt-get remove jq',
  ])('is neither blocked nor warned of: %s', (command) => {
    expect(verdict(command)).toBe('ok');
  });

  test.each([
    ['git push --force origin main', 'block 10'],
    ['git push --force', 'block 10'],
    ['git push --force origin gh-pages main', 'block 10'],
    ['rm -rf ~/.cache/tool ~', 'block 1'],
    ['rm -rf ~/.cache/tool; rm -rf ~', 'block 1'],
    ['docker run -v /:/host alpine', 'block 8'],
    ['sudo rm -rf /', 'block 1'],
    ['sudo apt-get install $(rm -rf /)', 'block 1'],
    ['sudo apt-get update > /etc/x', 'block 18'],
  ])('lifts nothing else: %s', (command, expected) => {
    expect(verdict(command)).toBe(expected);
  });
});

test('an empty list, a comment and nonsense allow nothing', () => {
  const { home, project } = guardContext();
  expect(readAllowed('\n# rm -rf /\n   \n)(\n', home, project)).toEqual([]);
});
