import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type Key, keyDecoder } from './keys.ts';

function decoded(...chunks: readonly string[]): Key[] {
  const keys: Key[] = [];
  const decoder = keyDecoder((key) => void keys.push(key));
  for (const chunk of chunks) decoder.push(Buffer.from(chunk, 'latin1'));
  decoder.close();
  return keys;
}
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

test.each<[what: string, bytes: string, key: Key]>([
  ['a letter', 'j', { is: 'char', char: 'j' }],
  ['a letter of two bytes', utf8('é'), { is: 'char', char: 'é' }],
  ['an emoji', utf8('🚀'), { is: 'char', char: '🚀' }],
  ['an arrow', '\u001b[A', { is: 'up' }],
  ['an arrow of the other mode', '\u001bOB', { is: 'down' }],
  ['an arrow with Ctrl', '\u001b[1;5C', { is: 'right' }],
  ['page down', '\u001b[6~', { is: 'page-down' }],
  ['shift-tab', '\u001b[Z', { is: 'back-tab' }],
  ['enter', '\r', { is: 'enter' }],
  ['backspace', '\u007f', { is: 'backspace' }],
  ['Ctrl-C', '\u0003', { is: 'ctrl-c' }],
  ['Ctrl-Z', '\u001a', { is: 'ctrl-z' }],
  ['the wheel', '\u001b[<64;10;5M', { is: 'wheel', by: -1, row: 4 }],
  ['the wheel down', '\u001b[<65;10;5M', { is: 'wheel', by: 1, row: 4 }],
  ['a click', '\u001b[<0;10;5M', { is: 'click', row: 4 }],
  ['a paste', '\u001b[200~two\nlines\u001b[201~', { is: 'paste', text: 'two\nlines' }],
])('%s', (_what, bytes, key) => {
  expect(decoded(bytes)).toEqual([key]);
  // Also if every byte arrives on its own.
  expect(decoded(...bytes)).toEqual([key]);
});

test('keys that come together are told apart', () => {
  expect(decoded('jj\u001b[Bq').map(({ is }) => is)).toEqual(['char', 'char', 'down', 'char']);
});

test('the release of a button, and sequences that are not known, are no keys', () => {
  expect(decoded('\u001b[<0;10;5m\u001b[99z\u001b[I')).toEqual([]);
});

test('letters in a paste are not commands', () => {
  expect(decoded('\u001b[200~', 'sy', '\u001b[201~')).toEqual([{ is: 'paste', text: 'sy' }]);
});

test('a paste whose end was lost ends with Ctrl-C', () => {
  const keys = decoded('\u001b[200~lost', 'q', '\u0003', 'q');
  expect(keys).toEqual([{ is: 'ctrl-c' }, { is: 'char', char: 'q' }]);
});

test('of a paste that is too long the beginning is kept, however its end is cut into pieces', () => {
  const chunks = Array.from({ length: 30 }, () => 'x'.repeat(10_000));
  const [paste, ...more] = decoded('\u001b[200~', ...chunks, ...'\u001b[201~', 'q');
  expect(paste).toEqual({ is: 'paste', text: 'x'.repeat(100_000) });
  expect(more).toEqual([{ is: 'char', char: 'q' }]);
});

test('a paste without an end does not grow without bound', () => {
  const decoder = keyDecoder(() => undefined);
  decoder.push(Buffer.from('\u001b[200~'));
  const before = heapUsed();
  for (let sent = 0; sent < 40; sent += 1) decoder.push(Buffer.alloc(1_000_000, 'x'));
  expect(heapUsed() - before).toBeLessThan(10_000_000);
  decoder.push(Buffer.from('\u0003'));
  decoder.close();
});

/** Bytes of objects that are still reachable. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
}

test('Esc alone is a key once nothing follows it', async () => {
  const keys: Key[] = [];
  const decoder = keyDecoder((key) => void keys.push(key));
  decoder.push(Buffer.from('\u001b'));
  expect(keys).toEqual([]);
  while (keys.length === 0) await sleep(5);
  expect(keys).toEqual([{ is: 'escape' }]);
});

test('Alt with a letter is no key, with backspace it deletes a word', () => {
  expect(decoded('\u001bq', '\u001bd', `\u001b${utf8('é')}`)).toEqual([]);
  expect(decoded('\u001b\u007f')).toEqual([{ is: 'ctrl-w' }]);
  expect(decoded('\u001b\u001b\u001b[A')).toEqual([{ is: 'escape' }, { is: 'escape' }, { is: 'up' }]);
});
