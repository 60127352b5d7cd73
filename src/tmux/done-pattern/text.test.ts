import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { terminalText } from './text.ts';

test.each([
  ['\u001b[31mred\u001b[0m text', 'red text'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['10%\r20%\r', '10%\n20%'],
  ['  The\u001b[7Gwhole\u001b[13Gplan', '  The whole plan'],
  ['\u001b[16;3HThe\u001b[16;7Hwhole\u001b[17;1Hplan', 'The whole\nplan'],
  ['日本\u001b[6Gx', '日本 x'],
  ['\u001b]0;a title\u0007shown', 'shown'],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001bPq#0;2\u001b\\after', 'after'],
  ['All\u001b[1Ctasks\u001b[2Ccomplete', 'All tasks  complete'],
  ['one\u001b[5;1Htwo', 'one\ntwo'],
  ['one\u001b[1A\u001b[2K\u001b[Gtwo', 'one\ntwo'],
  ['\u001b(B\u001b7\u001b=text\u001b8', 'text'],
  ['\u001b[?2026h\u001b[?25lx\u001b[?2026l', 'x'],
  ['a\tb\u0007c', 'a bc'],
  ['größe 🙂', 'größe 🙂'],
])('%j reads %j, however it is cut', (written, text) => {
  const bytes = Buffer.from(written);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const plain = terminalText();
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const read = at.map((end, i) => plain.push(bytes.subarray(at[i - 1] ?? 0, end)));
      expect(read.join('')).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('a sequence that never ends does not swallow everything', () => {
  const plain = terminalText();
  plain.push(Buffer.from('\u001b]0;'));
  let read = '';
  for (let i = 0; i < 100; i++) read += plain.push(Buffer.from('x'.repeat(1000)));
  expect(read.length).toBeGreaterThan(60_000);
});
