import { expect, test } from 'vitest';
import { taskFlags } from './agent-flags.ts';

test('known agents work without asking anybody', () => {
  const claude = ['--input-format', 'text', '--tools', 'default', '--permission-mode', 'bypassPermissions'];
  expect(taskFlags('/opt/claude', [])).toEqual(claude);
  expect(taskFlags('codex', [])).toEqual(['--dangerously-bypass-approvals-and-sandbox']);
  expect(taskFlags('gemini', ['-m', 'x'])).toEqual(['--screen-reader', 'true', '-m', 'x']);
  expect(taskFlags('other', ['--x'])).toEqual(['--x']);
});

test.each([
  ['claude', ['--permission-mode', 'plan']],
  ['claude', ['--permission-mode=plan']],
  ['claude', ['--dangerously-skip-permissions']],
  ['codex', ['--sandbox', 'read-only']],
  ['codex', ['-a', 'never']],
])('what the user says of %s wins: %s', (agent, given) => {
  const flags = taskFlags(agent, given);
  expect(flags.slice(-given.length)).toEqual(given);
  expect(flags.join(' ')).not.toMatch(/bypass/);
});
