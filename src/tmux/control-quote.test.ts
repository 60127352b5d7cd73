import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/panes.ts';
import { commandLine } from './control-quote.ts';

test('tmux reads back every argument as it was meant', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const control = server.control();
  const file = join(server.folder, 'saved');
  const awkward = [
    '"',
    '\\',
    '$HOME',
    '~',
    '#{pane_id}',
    ';',
    ' ; ',
    '{',
    '}',
    '%if',
    "'",
    '`x`',
    '\n',
    '\r',
    '\u001b',
  ];
  const piece = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'grapheme' }));
  const text = fc
    .array(piece, { minLength: 1 })
    .map((pieces) => pieces.join('').replaceAll('\0', ''))
    .filter((joined) => joined !== '');
  await fc.assert(
    fc.asyncProperty(text, async (wanted) => {
      await control.sendAll([
        ['set-buffer', '-b', 'quoted', '--', wanted],
        ['save-buffer', '-b', 'quoted', file],
      ]);
      expect(readFileSync(file, 'utf8')).toBe(wanted);
    }),
    { numRuns: 200 },
  );
});

test('a NUL is refused: tmux would cut the argument there', () => {
  expect(() => commandLine(['set-buffer', 'a\0b'])).toThrow('NUL');
});
