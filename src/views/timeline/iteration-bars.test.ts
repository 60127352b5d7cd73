import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { timelineIn } from '../../../test/support/loops/timeline.ts';
import { readJournal } from '../../state/journal.ts';
import { machineOf } from '../machines.ts';
import { iterationBars } from './iteration-bars.ts';

const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/journals');
const NAMES = ['v2', 'v4'].flatMap((version) =>
  readdirSync(join(JOURNALS, version))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => `${version}/${name}`),
);

test.each(NAMES)('record by record they are what the whole time line says: %s', async (name) => {
  const { records } = readJournal(join(JOURNALS, name));
  const created = records[0]?.result;
  const machine = await machineOf(created?.kind === 'created' ? created.loopKind : '');
  if (machine === null) throw new Error('the journal names no loop kind');
  const fold = iterationBars(machine);
  for (const [index, record] of records.entries()) {
    fold.take(record);
    const { iterations } = timelineIn(records.slice(0, index + 1));
    const whole = iterations.map(({ workedMs, waitedMs, outcome }) => [workedMs - waitedMs, outcome.mark]);
    expect(fold.bars().map(({ ms, mark }) => [ms, mark])).toEqual(whole);
  }
});

test('they are the same as long as no record comes', async () => {
  const machine = await machineOf('run');
  if (machine === null) throw new Error('there is such a kind');
  const fold = iterationBars(machine);
  for (const record of readJournal(join(JOURNALS, 'v4/run-rejected.jsonl')).records) fold.take(record);
  expect(fold.bars()).toBe(fold.bars());
});
