import { expect, test } from 'vitest';
import { shellCall } from './shell-tool.ts';

const description = expect.any(String);

test.each([
  ['Claude Code', ['Agent', 'Bash', 'Read'], { name: 'Bash', input: { command: 'ls', description } }],
  ['Codex', ['shell', 'exec_command'], { name: 'exec_command', input: { cmd: 'ls', yield_time_ms: 30_000 } }],
  ['an older Codex', ['shell'], { name: 'shell', input: { command: ['bash', '-lc', 'ls'] } }],
  ['another older Codex', ['shell_command'], { name: 'shell_command', input: { command: 'ls' } }],
  ['opencode, Copilot and pi', ['read', 'bash'], { name: 'bash', input: { command: 'ls', description } }],
  ['Gemini and Qwen', ['run_shell_command'], { name: 'run_shell_command', input: { command: 'ls', description } }],
])('the shell of %s is known', (_, offered, call) => {
  expect(shellCall('ls', offered)).toEqual(call);
});

test('Codex in code mode is told in JavaScript', () => {
  const input =
    'const done = await tools.exec_command({"cmd":"echo \\"a\\"","yield_time_ms":30000});\ntext(done.output ?? done);';
  expect(shellCall('echo "a"', ['exec', 'wait'])).toEqual({ name: 'exec', input });
});

test('no shell is made up', () => {
  expect(shellCall('ls', ['Read', 'Write'])).toBeUndefined();
});
