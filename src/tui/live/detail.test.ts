import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { readableLoop } from '../../../test/support/loops/stored-loop.ts';
import { localStore } from '../../engine/store/local-store.ts';
import { readJournal } from '../../state/journal.ts';
import { journalPath, loopFolder } from '../../state/paths.ts';
import { machineOf } from '../../views/machines.ts';
import type { Detail } from '../data.ts';
import { liveDetail } from './detail.ts';

const JOURNAL = join(import.meta.dirname, '../../../test/fixtures/journals/v4/run-rejected.jsonl');
const RECORDS = readJournal(JOURNAL).records;
const [created] = RECORDS;
const ID = created?.result.kind === 'created' ? created.result.id : '';
const SECRET = 'plain-words-of-a-secret';
const mask = (text: string): string => text.replaceAll(SECRET, '***');

/** A line of Claude Code's output. */
const says = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`;

/** A loop whose first agent is at work and has printed this. `isRead`: the user has scrolled back. */
function opened(printed: string, isRead = false) {
  const root = { path: testFolder() };
  const folder = loopFolder(root, ID);
  mkdirSync(join(folder, 'runs'), { recursive: true });
  const lines = RECORDS.slice(0, 3).map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(journalPath(folder), lines.join(''));
  const output = join(folder, 'runs/1-work-1.out');
  writeFileSync(output, printed);
  const store = localStore(root, machineOf);
  const loop = readableLoop({ id: ID, loopKind: 'run' });
  const detail = liveDetail({ store, loop, mask, width: 98, isRead: () => isRead, onChange: () => undefined });
  onTestFinished(detail.close);
  return { folder, output, detail, print: (text: string) => appendFileSync(output, text) };
}

async function until(detail: ReturnType<typeof liveDetail>, look: (shown: Detail) => boolean): Promise<Detail> {
  for (;;) {
    await detail.look();
    const shown = detail.snapshot();
    if (look(shown)) return shown;
    await sleep(5);
  }
}

const last = ({ stream }: Detail): string => stream.lines.at(-1)?.text ?? '';
const numbered = (from: number, to: number, more = ''): string =>
  Array.from({ length: to - from + 1 }, (_, index) => says(`line ${from + index}${more}`)).join('');

test('what was printed is shown, then what comes, with keys hidden, also in texts that are read for a panel', async () => {
  const { detail, print } = opened(says(`I use ${SECRET}.`));
  expect((await until(detail, (shown) => last(shown).startsWith('I use'))).stream.isCut).toBe(false);
  expect(last(detail.snapshot())).toBe('I use ***.');
  print(says(`Now ${SECRET} again.`));
  await until(detail, (shown) => last(shown) === 'Now *** again.');
  await detail.read('diff all', async () => [{ text: `+${SECRET}` }]);
  expect(detail.snapshot().panels.get('diff all')).toEqual({ lines: [{ text: '+***' }], problem: null });
});

test('of a long output its last 512 KB are read, from a whole line on, and it is said that more came before', async () => {
  const { detail } = opened(numbered(1, 5000, ` ${'x'.repeat(200)}`));
  const { stream } = await until(detail, (shown) => last(shown).startsWith('line 5000 '));
  expect(stream.isCut).toBe(true);
  const lines = stream.lines.filter(({ text }) => text.startsWith('line '));
  const bytes = lines.length * says(`line 5000 ${'x'.repeat(200)}`).length;
  expect(bytes).toBeLessThanOrEqual(512 * 1024);
  expect(bytes).toBeGreaterThan(500 * 1024);
  for (const { text } of lines) expect(text).toMatch(/^line \d+ x{200}$/);
});

test('after 6,000 lines the first ones go', async () => {
  const { detail, print } = opened(numbered(1, 3000));
  await until(detail, (shown) => last(shown) === 'line 3000');
  print(numbered(3001, 6500));
  const { stream } = await until(detail, (shown) => last(shown) === 'line 6500');
  expect(stream.isCut).toBe(true);
  expect(stream.lines.length).toBeGreaterThanOrEqual(4000);
  expect(stream.lines.length).toBeLessThanOrEqual(6000);
  expect(stream.lines[0]?.text).not.toBe('line 1');
});

test('they stay while a person has scrolled back', async () => {
  const { detail, print } = opened(numbered(1, 3000), true);
  await until(detail, (shown) => last(shown) === 'line 3000');
  print(numbered(3001, 6500));
  const { stream } = await until(detail, (shown) => last(shown) === 'line 6500');
  expect(stream.isCut).toBe(false);
  expect(stream.lines.some(({ text }) => text === 'line 1')).toBe(true);
});

test('a loop that is deleted while it is looked at harms nothing', async () => {
  const { detail, folder } = opened(says('a word'));
  await until(detail, (shown) => last(shown) === 'a word');
  rmSync(folder, { recursive: true });
  await detail.look();
  expect(last(detail.snapshot())).toMatch(/^a word$|^cannot read the journal/);
});
