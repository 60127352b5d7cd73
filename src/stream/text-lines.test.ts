import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textSplitter } from './text-lines.ts';

function split(chunks: readonly Buffer[], limit?: number): string[] {
  const seen: string[] = [];
  const splitter = textSplitter(
    { onLine: (line) => void seen.push(line), onLongLine: (head) => void seen.push(`<${head.length} bytes>`) },
    limit,
  );
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk);
    splitter.push(reused);
    // The memory of a chunk is reused as soon as it was pushed.
    reused.fill('#');
  }
  splitter.end();
  return seen;
}

function cutInto(bytes: Buffer, length: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += length) chunks.push(bytes.subarray(start, start + length));
  return chunks;
}

test.each([
  ['', []],
  ['\n', ['']],
  ['one', ['one']],
  ['one\ntwo', ['one', 'two']],
  ['one\n\ntwo\n', ['one', '', 'two']],
  ['a\u2028b\r\nc', ['a\u2028b\r', 'c']],
])('%j is %j', (text, lines) => {
  expect(split([Buffer.from(text)])).toEqual(lines);
});

test('lines come whole, wherever the chunks are cut', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')));
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 40 }), (given, length) => {
      const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''));
      expect(split(cutInto(bytes, length))).toEqual(given);
    }),
  );
});

describe('of lines that are too many or too long to be decoded together', () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `${i}: größer 🙂 `.repeat(i === 1500 ? 5000 : i % 7));

  test.each([1000, 100_000, 10_000_000])('none is lost in chunks of %i bytes', (length) => {
    expect(split(cutInto(Buffer.from(lines.join('\n')), length))).toEqual(lines);
  });
});

test('bytes that are not UTF-8 spoil only their own line', () => {
  const bytes = Buffer.concat([Buffer.from('größe\n'), Buffer.from([0xff, 0xfe]), Buffer.from('\n日本語\n')]);
  expect(split([bytes])).toEqual(['größe', '\ufffd\ufffd', '日本語']);
});

test('a line beyond the limit is reported once, by its beginning, and the next one is whole', () => {
  const bytes = Buffer.from(`${'x'.repeat(50)}\nnext\n`);
  expect(split(cutInto(bytes, 8), 20)).toEqual(['<24 bytes>', 'next']);
});

test('what is passed over is never decoded, and the lines around it come', () => {
  const seen: string[] = [];
  const looked: string[] = [];
  const splitter = textSplitter({
    onLine: (line) => void seen.push(line),
    skip(lines) {
      looked.push(lines.toString());
      return !lines.includes('!');
    },
  });
  for (const chunk of ['cut', ' here\nquiet\nmore\ncut', ' too!\nloud!\nquiet\n', 'last'])
    splitter.push(Buffer.from(chunk));
  splitter.end();
  expect(looked).toEqual(['cut here', 'quiet\nmore\n', 'cut too!', 'loud!\nquiet\n', 'last']);
  expect(seen).toEqual(['cut too!', 'loud!', 'quiet']);
});
