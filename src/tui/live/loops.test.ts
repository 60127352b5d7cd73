import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { localStore } from '../../engine/store/local-store.ts';
import type { LoopStore } from '../../engine/store/loop-store.ts';
import { readJournal } from '../../state/journal.ts';
import { tryLock } from '../../state/lock.ts';
import { journalPath, loopFolder, loopLock, type StateRoot } from '../../state/paths.ts';
import { machineOf } from '../../views/machines.ts';
import { liveLoops } from './loops.ts';

const JOURNAL = join(import.meta.dirname, '../../../test/fixtures/journals/v4/run-rejected.jsonl');
const RECORDS = readJournal(JOURNAL).records;
const SECRET = 'plain-words-of-a-secret';

/** Writes the first `count` records of the fixture as another loop. */
function leave(root: StateRoot, id: string, count = RECORDS.length): string {
  const folder = loopFolder(root, id);
  mkdirSync(join(folder, 'runs'), { recursive: true });
  const lines = RECORDS.slice(0, count).map((record) => {
    const { result } = record;
    return `${JSON.stringify(result.kind === 'created' ? { ...record, result: { ...result, id } } : record)}\n`;
  });
  writeFileSync(journalPath(folder), lines.join(''));
  return folder;
}

function watching(root: StateRoot, wrapped: (store: LoopStore) => LoopStore = (store) => store) {
  const store = wrapped(localStore(root, machineOf));
  const mask = (text: string): string => text.replaceAll(SECRET, '***');
  const loops = liveLoops({ store, all: true, now: Date.now, mask, onChange: () => undefined });
  onTestFinished(loops.close);
  return loops;
}

async function until(loops: ReturnType<typeof liveLoops>, look: () => boolean): Promise<void> {
  for (; !look(); await sleep(5)) await loops.tick();
}

test('a loop that cannot be read is counted, and hides no other', async () => {
  const root = { path: testFolder() };
  leave(root, '20261117-070000-aaaaaaaa');
  cpSync(JOURNAL, journalPath(leave(root, '20261117-070000-bbbbbbbb')));
  const loops = watching(root);
  await loops.tick();
  expect(loops.snapshot().items.map(({ loop }) => loop.id)).toEqual(['20261117-070000-aaaaaaaa']);
  expect(loops.snapshot().unreadable).toEqual([expect.stringMatching(/^20261117-070000-bbbbbbbb: .*another loop/)]);
});

test('a loop that is deleted goes, one that begins comes', async () => {
  const root = { path: testFolder() };
  const folder = leave(root, '20261117-070000-aaaaaaaa');
  const loops = watching(root);
  await loops.tick();
  expect(loops.snapshot().items).toHaveLength(1);
  rmSync(folder, { recursive: true });
  await until(loops, () => loops.snapshot().items.length === 0);
  leave(root, '20261117-080000-bbbbbbbb');
  await until(loops, () => loops.snapshot().items.length === 1);
});

test('a loop that changes all the time is read about once a second, and nothing of it is missed', async () => {
  const root = { path: testFolder() };
  const id = '20261117-070000-aaaaaaaa';
  const path = journalPath(leave(root, id, 2));
  const readAt: number[] = [];
  const loops = watching(root, (store) => ({
    ...store,
    read: (one) => {
      readAt.push(performance.now());
      return store.read(one);
    },
  }));
  await loops.tick();
  loops.look([id]);
  for (const record of RECORDS.slice(2)) {
    appendFileSync(path, `${JSON.stringify(record)}\n`);
    // Each append is one event of its own.
    await sleep(20);
  }
  await until(loops, () => loops.snapshot().items[0]?.bars.length === 2);
  await until(loops, () => loops.snapshot().items[0]?.condition.is === 'done');
  const marks = loops.snapshot().items[0]?.bars.map(({ mark }) => mark);
  expect(marks).toEqual(['failed', 'done']);
  const pauses = readAt.slice(1).map((at, index) => at - (readAt[index] ?? 0));
  for (const pause of pauses) expect(pause).toBeGreaterThan(900);
});

test('keys are hidden in what an agent does', async () => {
  const root = { path: testFolder() };
  const id = '20261117-070000-aaaaaaaa';
  const folder = leave(root, id, 3);
  mkdirSync(join(loopLock(folder), '..'), { recursive: true });
  const lock = tryLock(loopLock(folder), `loop ${id}`);
  if (!lock.got) throw new Error('the lock of a new loop is free');
  onTestFinished(() => lock.lock.release());
  const content = [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: `login ${SECRET}` } }];
  writeFileSync(join(folder, 'runs/1-work-1.out'), `${JSON.stringify({ type: 'assistant', message: { content } })}\n`);
  const loops = watching(root);
  await loops.tick();
  loops.look([id]);
  await until(loops, () => loops.snapshot().items[0]?.activity != null);
  expect(loops.snapshot().items[0]?.activity?.text).toBe('Bash login ***');
});
