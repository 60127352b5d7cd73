import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { leaveLoopIn } from '../../test/support/loops/left-loop.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot, statusPath } from './paths.ts';
import { type ListedLoop, listLoops, newestToContinue } from './registry.ts';

let root: StateRoot;

beforeEach(() => {
  root = { path: testFolder() };
});

function leaveLoop(id: string, given: Partial<ListedLoop> = {}): void {
  const loop = { id, loopKind: 'run', cwd: '/a', createdAt: 1, updatedAt: 1, ending: null, ...given };
  leaveLoopIn(loopFolder(root, id), loop);
}

function ids(): string[] {
  return listLoops(root).map(({ id }) => id);
}

describe('the loops of a machine', () => {
  test('are none before there was one', () => {
    expect(listLoops(root)).toEqual([]);
  });

  test('are listed oldest first, whatever their names', () => {
    leaveLoop('a', { createdAt: 30 });
    leaveLoop('c', { createdAt: 10 });
    leaveLoop('b', { createdAt: 20 });
    expect(ids()).toEqual(['c', 'b', 'a']);
  });

  test('are what their journals say, whatever stands in the status that people read', () => {
    leaveLoop('loop-1', { createdAt: 3, updatedAt: 4, ending: { kind: 'auth', reason: 'no' } });
    writeFileSync(
      statusPath(loopFolder(root, 'loop-1')),
      '{"id":"other","loopKind":"run","cwd":"/","createdAt":0,"ending":null}',
    );
    const ending = { kind: 'auth', reason: 'no' };
    expect(listLoops(root)).toEqual([{ id: 'loop-1', loopKind: 'run', cwd: '/a', createdAt: 3, updatedAt: 4, ending }]);
  });

  test('name the loop that asked for them', () => {
    leaveLoop('task');
    leaveLoop('job', { parent: 'task', createdAt: 2 });
    expect(listLoops(root).map(({ parent }) => parent)).toEqual([undefined, 'task']);
  });

  test('are known by the first and the last record of a journal of whatever length', () => {
    const folder = loopFolder(root, 'loop-1');
    leaveLoop('loop-1');
    const long = 'x'.repeat(50_000);
    const record = (seq: number, result: object): string =>
      `${JSON.stringify({ v: 1, seq, at: 10 + seq, key: 'k', attempt: 1, result })}\n`;
    const inputs = [2, 3, 4].map((seq) => record(seq, { kind: 'inputs', digest: 'd', inputs: long })).join('');
    appendFileSync(journalPath(folder), inputs);
    expect(listLoops(root)).toMatchObject([{ id: 'loop-1', ending: null, updatedAt: 14 }]);
    appendFileSync(journalPath(folder), record(5, { kind: 'ended', ending: { kind: 'done' } }));
    expect(listLoops(root)).toMatchObject([{ ending: { kind: 'done' }, updatedAt: 15 }]);
    // Torn by a power cut: the whole records before it count.
    appendFileSync(journalPath(folder), record(6, { kind: 'continued', long }).slice(0, -100));
    expect(listLoops(root)).toMatchObject([{ ending: { kind: 'done' }, updatedAt: 15 }]);
  });

  test('do not count a folder in which nothing was ever recorded, nor what is no folder at all', () => {
    leaveLoop('real');
    mkdirSync(loopFolder(root, 'claimed-only'));
    mkdirSync(loopFolder(root, 'torn-at-birth'));
    writeFileSync(journalPath(loopFolder(root, 'torn-at-birth')), '{"v":1,"seq":0,');
    writeFileSync(join(loopsFolder(root), 'note.txt'), 'hello');
    expect(ids()).toEqual(['real']);
  });

  test('are forgotten with their folder', () => {
    leaveLoop('gone');
    rmSync(loopFolder(root, 'gone'), { recursive: true });
    expect(ids()).toEqual([]);
  });
});

describe('the loop to resume', () => {
  test('is the newest unfinished one of this kind and this directory', () => {
    leaveLoop('old', { createdAt: 1 });
    leaveLoop('wanted', { createdAt: 2 });
    leaveLoop('over', { createdAt: 3, ending: { kind: 'done' } });
    leaveLoop('elsewhere', { createdAt: 4, cwd: '/a/b' });
    leaveLoop('other-kind', { createdAt: 5, loopKind: 'session' });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('wanted');
  });

  test('is one whose reason to end can be gone, also when a later one is done', () => {
    leaveLoop('limited', { createdAt: 1, ending: { kind: 'iteration-limit', limit: 1 } });
    leaveLoop('done', { createdAt: 2, ending: { kind: 'done' } });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('limited');
  });

  test('is the newest one, too, when it ended for a reason that can be gone', () => {
    leaveLoop('old', { createdAt: 1, ending: { kind: 'auth', reason: 'no' } });
    leaveLoop('unfinished', { createdAt: 2 });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('unfinished');
    leaveLoop('limited', { createdAt: 3, ending: { kind: 'iteration-limit', limit: 1 } });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('limited');
  });

  test('may be one that a person has stopped', () => {
    leaveLoop('stopped', { createdAt: 2, ending: { kind: 'stopped' } });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('stopped');
  });

  test('is none where all are done or were given up', () => {
    leaveLoop('given-up', { createdAt: 2, ending: { kind: 'stopped', reason: 'archived' } });
    leaveLoop('done', { createdAt: 3, ending: { kind: 'done' } });
    expect(newestToContinue(root, 'run', '/a')).toBeNull();
  });
});
