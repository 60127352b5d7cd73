import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { leaveLoopIn } from '../../../test/support/loops/left-loop.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { tryLock } from '../../state/lock.ts';
import {
  journalPath,
  locksFolder,
  loopFolder,
  loopsFolder,
  startsFolder,
  statusPath,
  workTreeLock,
} from '../../state/paths.ts';
import { collectLeftovers } from './collect-leftovers.ts';

const DAY_MS = 24 * 60 * 60_000;
let root: { readonly path: string };

beforeEach(() => {
  root = { path: join(testFolder(), 'ralph') };
});

function old(path: string): string {
  const at = new Date(Date.now() - 2 * DAY_MS);
  utimesSync(path, at, at);
  return path;
}

function folder(path: string, files: Readonly<Record<string, string>> = {}): string {
  makePrivateFolder(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const collect = (isDryRun = false): number =>
  collectLeftovers({ root, checkouts: join(root.path, '../cache/proofs') }, Date.now(), isDryRun);

test('locks that no process holds are removed; one that is held, or is new, stays', () => {
  const [free, held, young] = ['/free', '/held', '/young'].map((cwd) => workTreeLock(root, cwd)) as [
    string,
    string,
    string,
  ];
  for (const lock of [free, young]) {
    const attempt = tryLock(lock, 'test');
    if (attempt.got) attempt.lock.release();
  }
  const attempt = tryLock(held, 'test');
  for (const lock of [free, held]) old(lock);
  expect(collect(true)).toBe(1);
  expect(collect()).toBe(1);
  expect([free, held, young].map((lock) => existsSync(lock))).toEqual([false, true, true]);
  expect(readdirSync(locksFolder(root))).toHaveLength(2);
  if (attempt.got) attempt.lock.release();
});

test('a lock can be taken again after its folder was removed', () => {
  const lock = workTreeLock(root, '/again');
  const first = tryLock(lock, 'test');
  if (first.got) first.lock.release();
  old(lock);
  collect();
  expect(tryLock(lock, 'test').got).toBe(true);
});

test('a loop that never began is removed; one that has records, or has lost them, stays', () => {
  old(folder(loopFolder(root, 'no-journal'), { 'request.json': '{}' }));
  old(folder(loopFolder(root, 'empty-journal'), { 'journal.jsonl': '' }));
  folder(loopFolder(root, 'beginning'));
  const emptied = folder(loopFolder(root, 'emptied'), { 'journal.jsonl': '' });
  writeFileSync(statusPath(emptied), '{}');
  const times = { createdAt: 0, updatedAt: 0, ending: null };
  leaveLoopIn(loopFolder(root, 'begun'), { id: 'begun', loopKind: 'run', cwd: '/', ...times });
  writeFileSync(journalPath(folder(loopFolder(root, 'damaged'))), 'x');
  for (const id of ['emptied', 'begun', 'damaged']) old(loopFolder(root, id));
  writeFileSync(join(loopsFolder(root), 'a-file'), '');
  old(join(loopsFolder(root), 'a-file'));
  expect(collect()).toBe(2);
  expect(readdirSync(loopsFolder(root)).sort()).toEqual(['a-file', 'beginning', 'begun', 'damaged', 'emptied']);
});

test('the output of a start that was cut off is removed', () => {
  folder(startsFolder(root), { 'console-1.log': 'x', 'console-2.log': 'x' });
  old(join(startsFolder(root), 'console-1.log'));
  expect(collect()).toBe(1);
  expect(readdirSync(startsFolder(root))).toEqual(['console-2.log']);
});

test('if there is nothing yet, nothing is created', () => {
  expect(collect()).toBe(0);
  expect(existsSync(root.path)).toBe(false);
});

test('clean checkouts are removed if their loop does not run, or is unknown and they are old; those of a running loop stay', () => {
  const place = join(root.path, '../cache/proofs');
  const [still, running] = ['still', 'running'].map((id) => {
    const loop = { id, cwd: `/${id}`, loopKind: 'run', createdAt: 1, updatedAt: 2, ending: null };
    leaveLoopIn(loopFolder(root, id), loop);
    return folder(join(place, `${id}-a1B2c3`), { 'file.txt': '' });
  }) as [string, string];
  const young = folder(join(place, 'unknown-a1B2c3'));
  const unknown = old(folder(join(place, 'unknown-d4E5f6')));
  const attempt = tryLock(workTreeLock(root, '/running'), 'test');
  expect(collect(true)).toBe(2);
  expect(collect()).toBe(2);
  expect([still, running, young, unknown].map((path) => existsSync(path))).toEqual([false, true, true, false]);
  if (attempt.got) attempt.lock.release();
});
