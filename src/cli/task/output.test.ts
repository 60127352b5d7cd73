import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { offsetOfLastLines } from './output.ts';

const LINES = fc.array(fc.constantFrom('', 'a', 'some words', 'x'.repeat(40_000)), { maxLength: 12 });

test('the last lines are the same as in a reading of the whole file', () => {
  const path = join(testFolder(), 'file');
  fc.assert(
    fc.property(LINES, fc.boolean(), fc.integer({ min: 0, max: 14 }), (lines, isEnded, count) => {
      const text = lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : '');
      writeFileSync(path, text);
      const whole = text.split(/(?<=\n)/);
      const offset = offsetOfLastLines(path, count);
      expect(text.slice(offset) === (count === 0 ? text : whole.slice(-count).join(''))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
