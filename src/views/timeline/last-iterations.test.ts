import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineIn, timelineIn } from '../../../test/support/loops/timeline.ts';
import { readJournal } from '../../state/journal.ts';
import { lastIterations } from './last-iterations.ts';

const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/journals');
const names = readdirSync(JOURNALS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));

describe.each([1, 2, 10])('the last %i iterations', (most) => {
  test.each(names)('of %s are those of its whole time line, after every record', (name) => {
    const { records } = readJournal(join(JOURNALS, name));
    const folded = lastIterations(machineIn(records), most);
    for (const [at, record] of records.entries()) {
      folded.take(record);
      const { iterations } = timelineIn(records.slice(0, at + 1));
      const earlier = Math.max(0, iterations.length - most);
      expect(folded.last(), `after record ${at}`).toEqual({ iterations: iterations.slice(earlier), earlier });
    }
  });
});

test('of a journal without records there are none', () => {
  const { records } = readJournal(join(JOURNALS, 'v4/run-rejected.jsonl'));
  expect(lastIterations(machineIn(records), 10).last()).toBeNull();
});
