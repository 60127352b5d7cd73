import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineSplitter } from './lines.ts';

function split(chunks: readonly Buffer[], limit?: number): { lines: string[]; long: string[] } {
  const lines: string[] = [];
  const long: string[] = [];
  const splitter = lineSplitter(
    { onLine: (line) => lines.push(line.toString()), onLongLine: (head) => long.push(head.toString()) },
    limit,
  );
  for (const chunk of chunks) {
    // Reuse the memory of the chunk, as the follower does.
    const reused = Buffer.from(chunk);
    splitter.push(reused);
    reused.fill('?');
  }
  splitter.end();
  return { lines, long };
}

function linesOf(text: string): string[] {
  return split([Buffer.from(text)]).lines;
}

describe('a line', () => {
  test('ends with a line feed, and with nothing else', () => {
    expect(linesOf('a\u2028b\u2029c\u0085d\re\vf\n{"x":"\u2028"}\n')).toEqual([
      'a\u2028b\u2029c\u0085d\re\vf',
      '{"x":"\u2028"}',
    ]);
  });

  test('may be empty', () => {
    expect(linesOf('\n\na\n\n')).toEqual(['', '', 'a', '']);
  });

  test('that the stream ends with needs no line feed, and there is none after the last one', () => {
    expect(linesOf('a\nb')).toEqual(['a', 'b']);
    expect(linesOf('a\nb\n')).toEqual(['a', 'b']);
    expect(linesOf('')).toEqual([]);
  });

  test('is handed out as soon as its end has come', () => {
    const lines: string[] = [];
    const splitter = lineSplitter({ onLine: (line) => lines.push(line.toString()) });
    splitter.push(Buffer.from('one\ntw'));
    expect(lines).toEqual(['one']);
    splitter.push(Buffer.from('o\n'));
    expect(lines).toEqual(['one', 'two']);
  });
});

test('any bytes in any chunks give the lines that the whole gives', () => {
  const piece = fc.oneof(fc.constant('\n'), fc.string(), fc.constantFrom('€', '😀', '\u2028', 'ä\n'));
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, cuts) => {
      const text = pieces.join('');
      const bytes = Buffer.from(text);
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const whole = text.split('\n');
      if (whole.at(-1) === '') whole.pop();
      expect(split(chunks).lines).toEqual(whole);
    }),
    { numRuns: 1000 },
  );
});

describe('a line beyond the limit', () => {
  test('of 40 MB is reported once, by its first part, and passed over; the lines around it come', () => {
    const block = Buffer.alloc(256 * 1024, 'x');
    const chunks = [Buffer.from('before\n'), ...Array.from({ length: 160 }, () => block), Buffer.from('\nafter\n')];
    const { lines, long } = split(chunks);
    expect(lines).toEqual(['before', 'after']);
    expect(long.map(({ length }) => length)).toEqual([32 * 1024 * 1024 + 256 * 1024]);
  });

  test('may be the last, and may be followed by another', () => {
    const chunks = ['xxxx', 'xxxx', '\nyyyy', 'yyyy', 'z\nok\n', 'zzzz', 'zz'].map((text) => Buffer.from(text));
    expect(split(chunks, 6)).toEqual({ lines: ['ok', 'zzzzzz'], long: ['xxxxxxxx', 'yyyyyyyy'] });
    expect(split([Buffer.from('xxxx'), Buffer.from('xxxx')], 6)).toEqual({ lines: [], long: ['xxxxxxxx'] });
  });

  test('needs no listener', () => {
    const lines: string[] = [];
    const splitter = lineSplitter({ onLine: (line) => lines.push(line.toString()) }, 2);
    for (const chunk of ['xxx', 'xxx\nok\n']) splitter.push(Buffer.from(chunk));
    splitter.end();
    expect(lines).toEqual(['ok']);
  });
});
