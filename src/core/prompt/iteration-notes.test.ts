import { expect, test } from 'vitest';
import type { IterationNote } from '../progress/notes.ts';
import { notesSection } from './iteration-notes.ts';

const note = (iteration: number, given: Partial<IterationNote> = {}): IterationNote => ({
  iteration,
  failure: null,
  isClaimed: false,
  red: [],
  words: null,
  tree: null,
  snapshot: null,
  head: null,
  ...given,
});

test('without notes there is no section', () => {
  expect(notesSection([])).toEqual([]);
});

test('the newest note comes first, with what failed and the last words', () => {
  const red = [{ command: 'make test', how: 'exit 2', fingerprint: 'd' }];
  const [text] = notesSection([note(1, { failure: 'exit 3' }), note(2, { isClaimed: true, red, words: 'All done.' })]);
  expect(text?.split('\n\n').slice(1)).toEqual([
    "Iteration 2: the agent said that it is done; make test failed (exit 2).\nThe agent's last words: All done.",
    'Iteration 1: the agent failed (exit 3).',
  ]);
});

test('the section has at most 2,000 characters, and the oldest notes are left out', () => {
  const notes = Array.from({ length: 12 }, (_, index) => note(index + 1, { words: 'w'.repeat(500) }));
  const [text = ''] = notesSection(notes);
  expect(text.length).toBeLessThanOrEqual(2000);
  expect(text).toContain('Iteration 12:');
  expect(text).not.toContain('Iteration 8:');
  const [long = ''] = notesSection([
    note(1, { red: [{ command: 'c'.repeat(9000), how: 'exit 1', fingerprint: 'd' }] }),
  ]);
  expect(long.length).toBeLessThanOrEqual(2000);
  expect(long).toContain('Iteration 1:');
});

test('control characters in a failure are not passed on', () => {
  expect(notesSection([note(1, { failure: 'a\u001b[31m' })])[0]).toContain('a\uFFFD[31m');
});
