import { expect, test } from 'vitest';
import { fine, warning } from '../../core/finding.ts';
import { painter } from '../../views/paint.ts';
import { findingLines, preflightLines } from './finding-lines.ts';

const plain = { paint: painter(false), mask: (text: string) => text };

test('the fix is below what it is for, and no line is wider than 80 columns', () => {
  const long = 'the agent may create it and it counts as failed until then '.repeat(3).trim();
  const lines = preflightLines([warning(`npm run lint: ${long}`, long), fine('tmux')], plain);
  expect(lines[0]).toBe('Before the first iteration:');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join('\n')).toMatch(
    /\n! npm run lint: the agent .*\n {2}\S.*\n {2}\S.*\n {4}the agent (?:.*\n {4}\S)+.*\n✓ tmux$/,
  );
});

test('what an agent wrote moves no cursor, and a key is not shown, not even in part', () => {
  const mask = (text: string): string => text.replaceAll('sk-secret', '***');
  const [line = ''] = findingLines([warning('\u001b[2Jevil sk-secret', '')], { ...plain, mask });
  expect(line).not.toContain('\u001b');
  expect(line).toContain('evil ***');
});

test('the colour agrees with the mark', () => {
  const [line] = findingLines([warning('no tmux', '')], { ...plain, paint: painter(true) });
  expect(line).toBe('\u001b[33m! no tmux\u001b[39m');
});
