import { expect, test } from 'vitest';
import { withPreamble } from './preamble.ts';

const FACTS = {
  variables: { JRUN_ID: 'r', JRUN_TASK_ID: 't' },
  runFolder: '/t/runs/r',
  taskFolder: '/t',
  agent: 'codex',
  hasTools: true,
};

test('stands before the prompt: the names, where things are, how to talk, to split work and to finish', () => {
  const whole = withPreamble(FACTS, '\n  Do it.\n\n');
  expect(whole).toMatch(/^JRUN_ID=r\nJRUN_TASK_ID=t\nWrite output\.md to \/t\/runs\/r\/output\.md\n\n## Message Bus\n/);
  expect(whole).toContain('\n## Sub-Agent Spawning (RLM Pattern)\n');
  expect(whole).toContain('--agent codex ');
  expect(whole).toContain('\n## Completion\nWhen done, create: /t/DONE\n');
  expect(whole.endsWith('\n\n---\n\nDo it.\n')).toBe(true);
});

test('a prompt that holds a line of three dashes is whole behind the first one', () => {
  const prompt = 'a\n---\nb';
  const whole = withPreamble(FACTS, prompt);
  expect(whole.slice(whole.indexOf('\n---\n') + '\n---\n\n'.length)).toBe(`${prompt}\n`);
});

test('where `ralph` cannot be called, nothing is said of it', () => {
  const whole = withPreamble({ ...FACTS, hasTools: false }, 'Do it.');
  expect(whole).toMatch(/output\.md\n\n## Completion\nWhen done, create: \/t\/DONE\n/);
  expect(whole).not.toContain('ralph ');
});
