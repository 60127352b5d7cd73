import { expect, test } from 'vitest';
import type { Key } from './keys.ts';
import { aroundCursor, NOTHING_TYPED, type Typed, typedBy } from './typing.ts';

/** Returns the text with a bar at the cursor; a key of one letter types that letter. */
function typed(...keys: readonly string[]): string {
  let now: Typed = NOTHING_TYPED;
  for (const key of keys)
    now = typedBy([...key].length === 1 ? { is: 'char', char: key } : ({ is: key } as Key), now) ?? now;
  return aroundCursor(now).join('|');
}

test.each([
  [['left', 'x'], 'one twx|o'],
  [['left', 'left', 'right'], 'one tw|o'],
  [['home', 'x'], 'x|one two'],
  [['ctrl-a', 'left', 'delete'], '|ne two'],
  [['home', 'end', 'x'], 'one twox|'],
  [['ctrl-a', 'ctrl-e', 'right', 'x'], 'one twox|'],
  [['left', 'backspace'], 'one t|o'],
  [['left', 'ctrl-w'], 'one |o'],
  [['left', 'ctrl-u'], '|o'],
  [['delete'], 'one two|'],
  [['home', 'backspace'], '|one two'],
])('%j behind "one two": %s', (keys, shown) => {
  expect(typed(...'one two', ...keys)).toBe(shown);
});

test('a character of two halves is one', () => {
  expect(typed('a', '😀', 'b', 'left', 'left')).toBe('a|😀b');
  expect(typed('a', '😀', 'b', 'left', 'backspace')).toBe('a|b');
});

test('other keys are not for the line', () => {
  for (const is of ['enter', 'escape', 'up', 'tab'] as const) expect(typedBy({ is }, NOTHING_TYPED)).toBeNull();
});
