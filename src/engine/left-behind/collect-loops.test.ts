import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { leaveLoopIn } from '../../../test/support/loops/left-loop.ts';
import type { Ending } from '../../core/ending.ts';
import { makePrivateFolder, sizeOfFolder } from '../../state/folders.ts';
import { tryLock } from '../../state/lock.ts';
import { loopFolder, loopLock, workTreeLock } from '../../state/paths.ts';
import type { ListedLoop } from '../../state/registry.ts';
import { collectLoops, type Retention } from './collect-loops.ts';

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

async function collected(rules: Partial<Retention> = {}): Promise<string[]> {
  const ids: string[] = [];
  const { loops } = await collectLoops({
    root,
    before: NOW,
    room: null,
    isDryRun: false,
    isPointedAt: () => false,
    removed: ({ id }) => void ids.push(id),
    warn: (line) => ids.push(line),
    ...rules,
  });
  expect(ids).toHaveLength(loops);
  return ids;
}

test('what ended long ago is removed, and nothing in a dry run', async () => {
  const first = loop('first');
  loop('recent', { updatedAt: NOW });
  loop('second');
  expect(await collected({ isDryRun: true })).toEqual(['first', 'second']);
  expect(existsSync(first)).toBe(true);
  expect(await collected()).toEqual(['first', 'second']);
  expect(existsSync(first)).toBe(false);
  expect(await collected()).toEqual([]);
});

const LIMIT: Ending = { kind: 'iteration-limit', limit: 3 };

test.each(['run', 'swarm'])('a loop of %s that could be continued stays, even behind newer ones', async (loopKind) => {
  loop('cut-off', { loopKind, ending: null });
  loop('at-its-limit', { loopKind, ending: LIMIT });
  loop('stopped-for-good', { loopKind, ending: { kind: 'stopped', reason: 'given up' } });
  loop('later', { loopKind });
  expect(await collected()).toEqual(['stopped-for-good', 'later']);
});

test.each(['stories', 'task', 'ralph-loop'])(
  'of the loops of %s in a directory, only the newest can be continued',
  async (loopKind) => {
    loop('cut-off', { loopKind, ending: null });
    loop('done', { loopKind });
    expect(await collected()).toEqual(['cut-off']);
  },
);

test('a running session keeps its loop', async () => {
  loop('session-a', { loopKind: 'session', ending: null });
  loop('session-b', { loopKind: 'session', ending: LIMIT });
  expect(await collected()).toEqual(['session-b']);
});

describe('if all loops take too much room', () => {
  const HOUR = 60 * 60_000;
  const now = 10 * HOUR;
  const sizes = () => ['a', 'b', 'c', 'd'].map((id) => sizeOfFolder(loopFolder(root, id)));

  beforeEach(() => {
    loop('a', { updatedAt: HOUR, ending: null });
    loop('b', { updatedAt: 3 * HOUR });
    loop('c', { updatedAt: 2 * HOUR });
    loop('d', { updatedAt: now });
  });

  test('the oldest removable ones are removed, until there is room', async () => {
    const all = sizes().reduce((sum, bytes) => sum + bytes, 0);
    const keep = (bytes: number) => ({ before: 0, room: { bytes, now }, isDryRun: true });
    expect(await collected(keep(all))).toEqual([]);
    expect(await collected(keep(all - 1))).toEqual(['c']);
    expect(await collected(keep(0))).toEqual(['c', 'b']);
  });

  test('what was removed for its age makes room for the rest', async () => {
    const [a = 0, b = 0, , d = 0] = sizes();
    expect(await collected({ before: 2.5 * HOUR, room: { bytes: a + b + d, now } })).toEqual(['c']);
  });

  test('the sizes are those on the disk', async () => {
    const [a = 0, b = 0, c = 0, d = 0] = sizes();
    const rules = { root, isDryRun: false, isPointedAt: () => false, removed: () => undefined, warn: () => undefined };
    const room = { bytes: a + b + c + d - 1, now };
    expect(await collectLoops({ ...rules, before: 0, room })).toEqual({ loops: 1, bytes: c, left: a + b + d });
  });
});

test('without time left, nothing is begun', async () => {
  loop('old');
  expect(await collected({ hasTime: () => false })).toEqual([]);
});

test('of a directory that is gone, nothing stays', async () => {
  loop('cut-off', { ending: null });
  loop('newest');
  rmSync(cwd, { recursive: true });
  expect(await collected()).toEqual(['cut-off', 'newest']);
});

test('jobs are never resumed', async () => {
  loop('job', { loopKind: 'job', ending: null });
  loop('task', { loopKind: 'task' });
  expect(await collected()).toEqual(['job']);
});

test('a loop that is running stays, whichever lock holds it', async () => {
  const other = join(cwd, 'other');
  mkdirSync(other);
  loop('a1');
  loop('a2');
  const job = loop('b1', { loopKind: 'job', cwd: other });
  const held = [workTreeLock(root, cwd), loopLock(job)].map((lock) => tryLock(lock, 'test'));
  expect(await collected()).toEqual([]);
  for (const attempt of held) if (attempt.got) attempt.lock.release();
  expect(await collected()).toEqual(['a1', 'a2', 'b1']);
});

test('a loop that something refers to, that was not selected, or that failed and is kept, stays', async () => {
  loop('pointed-at');
  loop('failed', { ending: { kind: 'stopped', reason: 'given up' } });
  loop('meant');
  const isPointedAt = ({ id }: ListedLoop): boolean => id === 'pointed-at';
  expect(await collected({ isPointedAt, keepFailed: true, isMeant: ({ id }) => id !== 'meant' })).toEqual([]);
  expect(await collected({ isPointedAt, keepFailed: true })).toEqual(['meant']);
  expect(await collected({ isPointedAt })).toEqual(['failed']);
});

test('the loops of a session are removed together, because their numbers are not given again', async () => {
  loop('session-x', { loopKind: 'session' });
  loop('session-x.2', { loopKind: 'session', updatedAt: NOW });
  loop('session-y', { loopKind: 'session' });
  expect(await collected()).toEqual(['session-y']);
  loop('session-x.2', { loopKind: 'session' });
  expect(await collected()).toEqual(['session-x', 'session-x.2']);
});
