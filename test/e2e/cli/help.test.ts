/** `--help` is answered without loading the CLI, but with the same text; every command shows an example. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const BIN = resolve(import.meta.dirname, '../../../bin');

function say(program: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH };
  return execFileSync(process.execPath, [join(BIN, program), ...args], { encoding: 'utf8', env });
}

test.each(['--help', '-h'])('`ralph %s` prints the same text as `ralph help`', (flag) => {
  expect(say('ralph.cjs', flag)).toBe(say('ralph.cjs', 'help'));
  expect(say('ralph.cjs', flag)).toContain('Examples:');
});

test('`swarm` answers --help and --version', () => {
  expect(say('swarm.cjs', '--help')).toContain('Usage: swarm');
  expect(say('swarm.cjs', '--version')).toBe(say('ralph.cjs', '-v'));
});

test.each(['run', 'init', 'resume', 'session', 'install-hooks', 'rehearse', 'agents', 'completion'])(
  '`ralph %s --help` shows an example',
  (command) => {
    expect(say('ralph.cjs', command, '--help')).toMatch(new RegExp(`Examples?:\\n.*ralph ${command}`));
  },
);

test.each([
  ...['list', 'status', 'watch', 'output', 'delete', 'gc'].map((command) => ['task', command]),
  ...['post', 'read', 'discover'].map((command) => ['bus', command]),
])('`ralph %s %s --help` shows an example', (group, command) => {
  expect(say('ralph.cjs', group, command, '--help')).toMatch(new RegExp(`Example:\\n.*ralph ${group} ${command}`));
  expect(say('ralph.cjs', group, '--help')).toMatch(/Example:\n.*ralph/);
});
