import { expect, test } from 'vitest';
import { AGENTS, profileFor } from './index.ts';

test.each([
  ['claude', 'claude'],
  ['/usr/local/bin/claude', 'claude'],
  ['codex', 'codex'],
  ['copilot', 'copilot'],
  ['/opt/bin/qwen', 'qwen'],
  ['pi', 'pi'],
  ['amp', 'amp'],
  ['pip', 'plain'],
  ['claude-wrapper', 'plain'],
  ['./my-agent.sh', 'plain'],
  ['/x/scripted-agent.cjs', 'scripted'],
])('`%s` is spoken with as %s', (command, name) => {
  expect(profileFor(command).name).toBe(name);
});

test('the agents stand in the order in which they were tried', () => {
  const names = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi', 'amp'];
  expect(AGENTS.map(({ name }) => name)).toEqual(names);
});
