import { expect, test } from 'vitest';
import { screen } from './screen.ts';

const frame = (...lines: string[]) => ({ lines, cursor: null });

test('only the lines that differ are written', () => {
  const drawn = screen();
  expect(drawn.changes(frame('one', 'two', 'three'))).toContain('one');
  const changes = drawn.changes(frame('one', '2', 'three'));
  expect(changes).toContain('\u001b[2;1H\u001b[K2');
  expect(changes).not.toContain('one');
  expect(changes).not.toContain('three');
});

test('nothing is written where nothing has changed', () => {
  const drawn = screen();
  drawn.changes(frame('one'));
  expect(drawn.changes(frame('one'))).toBe('');
});

test('what is forgotten is drawn again, also an empty line', () => {
  const drawn = screen();
  drawn.changes(frame('one', ''));
  drawn.forget();
  expect(drawn.changes(frame('one', ''))).toContain('\u001b[1;1H\u001b[Kone\u001b[2;1H\u001b[K');
});

test('a shorter screen is cleared below', () => {
  const drawn = screen();
  drawn.changes(frame('one', 'two'));
  expect(drawn.changes(frame('one'))).toContain('\u001b[2;1H\u001b[K');
});

test('the cursor is seen where something is typed, and nowhere else', () => {
  const drawn = screen();
  expect(drawn.changes(frame('one'))).not.toContain('\u001b[?25h');
  expect(drawn.changes({ lines: ['one'], cursor: { row: 0, column: 3 } })).toContain('\u001b[1;4H\u001b[?25h');
  expect(drawn.changes(frame('one'))).toContain('\u001b[?25l');
});
