import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { commandOf, shellCall } from './said.ts';

function shell(command: string | undefined, cwd: string): string {
  return execFileSync('sh', ['-c', command ?? 'exit 1'], { cwd, encoding: 'utf8' });
}

test('a turn without actions has no command, and a single command stays as it is', () => {
  expect(commandOf({})).toBeUndefined();
  expect(commandOf({ run: 'ls # all' })).toBe('ls # all');
});

test('a written file has exactly its content, in folders that are made', () => {
  const folder = testFolder();
  const content = '\t\'one\' "two" `three` $HOME \\n %s !\n# no newline at the end é 日本';
  shell(commandOf({ write: { path: "a b/it's/-c.txt", content } }), folder);
  expect(readFileSync(join(folder, "a b/it's/-c.txt"), 'utf8')).toBe(content);
});

test('any text is written exactly', () => {
  const folder = testFolder();
  const content = fc
    .string({ unit: 'binary' })
    .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text);
  fc.assert(
    fc.property(content, (text) => {
      shell(commandOf({ write: { path: 'x', content: text } }), folder);
      expect(readFileSync(join(folder, 'x'), 'utf8')).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('files are written before commands run, in order, even if one ends in a comment or a here-document', () => {
  const folder = testFolder();
  const command = commandOf({
    write: [
      { path: 'one', content: '1' },
      { path: 'two', content: '2' },
    ],
    run: ['cat one # first', 'cat <<END\nhere\nEND', 'cat two'],
  });
  expect(shell(command, folder)).toBe('1here\n2');
});

test('behind a command that fails nothing runs', () => {
  const folder = testFolder();
  expect(() => shell(commandOf({ run: ['exit 3', 'touch never'] }), folder)).toThrow(
    expect.objectContaining({ status: 3 }),
  );
  expect(shell('ls', folder)).toBe('');
});

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

test('Codex in code mode is asked in JavaScript', () => {
  const input =
    'const done = await tools.exec_command({"cmd":"echo \\"a\\"","yield_time_ms":30000});\ntext(done.output ?? done);';
  expect(shellCall('echo "a"', ['exec', 'wait'])).toEqual({ name: 'exec', input });
});

test('no shell is made up', () => {
  expect(shellCall('ls', ['Read', 'Write'])).toBeUndefined();
});
