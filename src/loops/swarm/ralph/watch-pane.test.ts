import { expect, test } from 'vitest';
import { commandWith, promptVia } from './watch-pane.ts';

test.each([
  [['claude'], 'paste'],
  [['claude', '--dangerously-skip-permissions'], 'paste'],
  [['claude', '-p'], 'stdin'],
  [['/opt/bin/claude', '--print', '--verbose'], 'stdin'],
  [['codex'], 'paste'],
  [['codex', 'exec', '-'], 'stdin'],
  [['codex', '--disable', 'plugins', 'exec'], 'paste'],
  [['opencode', 'run'], 'stdin'],
  [['opencode'], 'paste'],
  [['sh', '-c', 'cat'], 'paste'],
  [['./agent.sh', '-p'], 'paste'],
] as const)('%j gets its prompt by %s', (argv, via) => {
  expect(promptVia({ command: [...argv], promptVia: null })).toBe(via);
});

test('the choice of the user wins', () => {
  expect(promptVia({ command: ['claude'], promptVia: 'arg' })).toBe('arg');
});

test('no shell reads the prompt or its file', () => {
  const prompt = { text: '$(rm -rf /)', file: "/a 'b'/prompt" };
  expect(commandWith(['agent', '-q'], 'arg', prompt)).toEqual(['agent', '-q', '$(rm -rf /)']);
  expect(commandWith(['agent', '-q'], 'stdin', prompt)).toEqual([
    'sh',
    '-c',
    'exec "$@" <"$0"',
    "/a 'b'/prompt",
    'agent',
    '-q',
  ]);
  expect(commandWith(['agent', '-q'], 'paste', prompt)).toEqual(['agent', '-q']);
});
