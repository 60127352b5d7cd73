import { expect, test } from 'vitest';
import { shellCall } from './shell-tool.ts';

const description = expect.any(String);

test.each([
  ['Claude Code', ['Agent', 'Bash', 'Read'], { name: 'Bash', input: { command: 'ls', description } }],
  ['Codex', ['shell', 'exec_command'], { name: 'exec_command', input: { cmd: 'ls' } }],
  ['an older Codex', ['shell'], { name: 'shell', input: { command: ['bash', '-lc', 'ls'] } }],
  ['another older Codex', ['shell_command'], { name: 'shell_command', input: { command: 'ls' } }],
  ['opencode, Copilot and pi', ['read', 'bash'], { name: 'bash', input: { command: 'ls', description } }],
  ['Gemini and Qwen', ['run_shell_command'], { name: 'run_shell_command', input: { command: 'ls', description } }],
])('the shell of %s is known', (_, offered, call) => {
  expect(shellCall('ls', offered)).toEqual(call);
});

test('no shell is made up', () => {
  expect(shellCall('ls', ['Read', 'Write'])).toBeUndefined();
});
