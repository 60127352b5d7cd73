import { expect, test } from 'vitest';
import { inputSummary, runAccount } from './stream-events.ts';

test.each([
  ['Read', { file_path: '/a/b.ts', limit: 5 }, '/a/b.ts'],
  ['Write', { content: 'x', file_path: '/a/b.ts' }, '/a/b.ts'],
  ['Edit', { file_path: '/a/b.ts' }, '/a/b.ts'],
  ['Bash', { command: 'make test', description: 'Run the tests' }, 'make test'],
  ['Bash', { command: '', description: 'Run the tests' }, 'Run the tests'],
  ['Glob', { pattern: '**/*.ts' }, '**/*.ts'],
  ['Grep', { pattern: 'TODO', path: '/a' }, 'TODO'],
  ['Task', { description: 'Look around', prompt: 'long' }, 'Look around'],
  ['WebFetch', { url: 'https://x.example' }, 'https://x.example'],
  ['WebSearch', { query: 'how' }, 'how'],
  ['run_shell_command', { command: 'make', description: 'Build' }, 'make'],
  ['Bash', { cmd: 'make', cwd: '/a' }, 'make'],
  ['view', { path: '/a/b.ts' }, '/a/b.ts'],
  ['read', { filePath: '/a/b.ts' }, '/a/b.ts'],
  ['read_file', { absolute_path: '/a/b.ts' }, '/a/b.ts'],
  ['grep_search', { pattern: 'TODO' }, 'TODO'],
  ['agent', { description: 'Look around', prompt: 'long' }, 'Look around'],
  ['web_search', { objective: 'how' }, 'how'],
])('%s is summed up by what matters: %o', (tool, input, summary) => {
  expect(inputSummary(tool, input)).toBe(summary);
});

test.each([
  ['Read', 'file_path', 80],
  ['Bash', 'command', 60],
  ['Bash', 'description', 60],
  ['Grep', 'pattern', 40],
  ['WebSearch', 'query', 50],
])('%s cuts its %s at %i characters', (tool, field, chars) => {
  expect(inputSummary(tool, { [field]: 'x'.repeat(chars) })).toBe('x'.repeat(chars));
  expect(inputSummary(tool, { [field]: 'x'.repeat(chars + 1) })).toBe(`${'x'.repeat(chars - 3)}...`);
});

test('what is unknown, missing or no text is not summed up', () => {
  for (const tool of ['mcp__x__y', 'constructor', '']) expect(inputSummary(tool, { file_path: '/a' })).toBe('');
  for (const input of [null, undefined, 'text', 7, {}, [], { file_path: 7 }, { file_path: null }]) {
    expect(inputSummary('Read', input)).toBe('');
  }
});

test('figures are added up; one that is never told stays unknown', () => {
  const usage = runAccount();
  expect(usage.sum()).toEqual({});
  usage.used('a', { inputTokens: 1, outputTokens: 2 });
  usage.used('b', { inputTokens: 10, cacheReadTokens: 0 });
  expect(usage.sum()).toEqual({ inputTokens: 11, outputTokens: 2, cacheReadTokens: 0 });
});
