import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { leaveLoopIn } from '../../test/support/loops/left-loop.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { tryLock } from '../state/lock.ts';
import { loopFolder, loopLock, workTreeLock } from '../state/paths.ts';
import type { ListedLoop } from '../state/registry.ts';
import { collectLoops, type LoopGarbageRules } from './collect-loops.ts';

const OLD = 1000;
const NOW = 2000;
let root: { readonly path: string };
let cwd: string;
let made: number;

beforeEach(() => {
  root = { path: join(testFolder(), 'ralph') };
  cwd = testFolder();
  made = 0;
});

function loop(id: string, status: Partial<ListedLoop> = {}): string {
  const folder = loopFolder(root, id);
  makePrivateFolder(folder);
  const times = { createdAt: made++, updatedAt: OLD };
  leaveLoopIn(folder, { id, loopKind: 'run', cwd, ending: { kind: 'done' }, ...times, ...status });
  writeFileSync(join(folder, 'transcript'), 'x'.repeat(100));
  return folder;
}

async function collected(rules: Partial<LoopGarbageRules> = {}): Promise<string[]> {
  const said: string[] = [];
  const { loops } = await collectLoops({
    root,
    before: NOW,
    isDryRun: false,
    keepFailed: false,
    isPointedAt: () => false,
    say: async (line) => void said.push(line),
    warn: (line) => said.push(line),
    ...rules,
  });
  const ids = said.map((line) => /loop (\S+) /.exec(line)?.[1] ?? line);
  expect(ids).toHaveLength(loops);
  return ids;
}

test('of a directory all but the newest go that ended long ago', async () => {
  const first = loop('first');
  loop('recent', { updatedAt: NOW });
  loop('second');
  const newest = loop('newest');
  expect(await collected({ isDryRun: true })).toEqual(['first', 'second']);
  expect(existsSync(first)).toBe(true);
  expect(await collected()).toEqual(['first', 'second']);
  expect(existsSync(first)).toBe(false);
  expect(existsSync(newest)).toBe(true);
  expect(await collected()).toEqual([]);
});

test('one that was cut off stays as long as it can be resumed', async () => {
  loop('cut-off', { ending: null });
  expect(await collected()).toEqual([]);
  loop('later');
  expect(await collected()).toEqual(['cut-off']);
});

test('swarms and sessions share a directory: one that was cut off stays there', async () => {
  for (const loopKind of ['ralph', 'session']) loop(`${loopKind}-cut-off`, { loopKind, ending: null });
  for (const loopKind of ['ralph', 'session']) loop(`${loopKind}-later`, { loopKind });
  expect(await collected()).toEqual([]);
});

test('of a directory that is gone nothing stays', async () => {
  loop('cut-off', { ending: null });
  loop('newest');
  rmSync(cwd, { recursive: true });
  expect(await collected()).toEqual(['cut-off', 'newest']);
});

test('jobs are never resumed', async () => {
  loop('job', { loopKind: 'job' });
  loop('task', { loopKind: 'task' });
  expect(await collected()).toEqual(['job']);
});

test('what is being turned stays, by whichever lock it is held', async () => {
  const other = join(cwd, 'other');
  mkdirSync(other);
  loop('a1');
  loop('a2');
  const job = loop('b1', { loopKind: 'job', cwd: other });
  const held = [workTreeLock(root, cwd), loopLock(job)].map((lock) => tryLock(lock, 'test'));
  expect(await collected()).toEqual([]);
  for (const attempt of held) if (attempt.got) attempt.lock.release();
  expect(await collected()).toEqual(['a1', 'b1']);
});

test('what something else points at, or was not meant, or failed and is kept, stays', async () => {
  loop('pointed-at');
  loop('failed', { ending: { kind: 'iteration-limit', limit: 3 } });
  loop('meant');
  loop('newest');
  const isPointedAt = ({ id }: ListedLoop): boolean => id === 'pointed-at';
  expect(await collected({ isPointedAt, keepFailed: true, isMeant: ({ id }) => id !== 'meant' })).toEqual([]);
  expect(await collected({ isPointedAt, keepFailed: true })).toEqual(['meant']);
  expect(await collected({ isPointedAt })).toEqual(['failed']);
});

test('the loops of a session go together: their numbers are not given again', async () => {
  loop('session-x', { loopKind: 'session' });
  loop('session-x.2', { loopKind: 'session', updatedAt: NOW });
  loop('session-y', { loopKind: 'session' });
  expect(await collected()).toEqual([]);
  loop('session-x.2', { loopKind: 'session' });
  loop('session-z', { loopKind: 'session' });
  expect(await collected()).toEqual(['session-x', 'session-y', 'session-x.2']);
});
