import { expect, test } from 'vitest';
import { withPreamble } from './preamble.ts';

const OWNER = { project: 'p', task: 't', folder: '/t', bus: '/t/bus', agent: 'codex', parentRunId: null };

test('stands before the prompt: the names, where things are, how to talk, to split work and to finish', () => {
  const whole = withPreamble(OWNER, 'r', true, '\n  Do it.\n\n');
  expect(whole).toMatch(
    /^JRUN_TASK_FOLDER=\/t\n[^ ]*\nJRUN_ID=r\n[^ ]*\nWrite output\.md to \/t\/runs\/r\/output\.md\n\n## Message Bus\n/,
  );
  expect(whole).toContain('\n## Sub-Agent Spawning (RLM Pattern)\n');
  expect(whole).toContain('--agent codex ');
  expect(whole).toContain('\n## Completion\nWhen done, create: /t/DONE\n');
  expect(whole.endsWith('\n\n---\n\nDo it.\n')).toBe(true);
});

test('a prompt that holds a line of three dashes is whole behind the first one', () => {
  const prompt = 'a\n---\nb';
  const whole = withPreamble(OWNER, 'r', true, prompt);
  expect(whole.slice(whole.indexOf('\n---\n') + '\n---\n\n'.length)).toBe(`${prompt}\n`);
});

test('where `ralph` cannot be called, nothing is said of it', () => {
  const whole = withPreamble(OWNER, 'r', false, 'Do it.');
  expect(whole).toMatch(/output\.md\n\n## Completion\nWhen done, create: \/t\/DONE\n/);
  expect(whole).not.toContain('ralph ');
});
