/** Every command says what it is for, with an example. */
import { expect, test } from 'vitest';
import { makeScene } from './scene.ts';

const COMMANDS = 'spawn respawn ls status logs peek attach wait send interrupt eof kill clean heartbeat init'.split(
  ' ',
);

test.each(COMMANDS)('`swarm %s --help` shows an example', async (command) => {
  const { code, stdout } = await makeScene().swarm(command, '--help');
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`Examples?:\\n.*swarm ${command}`));
});

test('`swarm --help` names every command', async () => {
  const { stdout } = await makeScene().swarm('--help');
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
});

test('`swarm` alone is a usage error', async () => {
  const { code, stderr } = await makeScene().swarm();
  expect(code).toBe(2);
  expect(stderr).toContain('Usage: swarm');
});
