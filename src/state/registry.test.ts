import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { firstRecord } from '../../test/support/play.ts';
import { createJournal } from './journal.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot } from './paths.ts';
import { listLoops, newestToContinue } from './registry.ts';
import { type LoopStatus, writeStatus } from './status.ts';

let root: StateRoot;

beforeEach(() => {
  root = { path: testFolder() };
});

function leaveLoop(id: string, given: Partial<LoopStatus> = {}): void {
  const folder = loopFolder(root, id);
  mkdirSync(folder, { recursive: true });
  const status = {
    v: 1,
    id,
    door: 'run',
    cwd: '/a',
    createdAt: 1,
    updatedAt: 1,
    iteration: 1,
    phase: 'inputs',
    ending: null,
  } as const;
  writeStatus(folder, { ...status, ...given });
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

  test('are read from the journal where a loop died before its first status', () => {
    const folder = loopFolder(root, 'loop-1');
    mkdirSync(folder, { recursive: true });
    const first = firstRecord('run');
    createJournal(journalPath(folder), first, (text) => text).close();
    expect(listLoops(root)).toEqual([
      {
        v: 1,
        id: 'loop-1',
        door: 'run',
        cwd: '/work',
        createdAt: first.at,
        updatedAt: first.at,
        iteration: 1,
        phase: 'inputs',
        ending: null,
      },
    ]);
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
  test('is the newest unfinished one of this door and this directory', () => {
    leaveLoop('old', { createdAt: 1 });
    leaveLoop('wanted', { createdAt: 2 });
    leaveLoop('over', { createdAt: 3, ending: { kind: 'done' } });
    leaveLoop('elsewhere', { createdAt: 4, cwd: '/a/b' });
    leaveLoop('other-door', { createdAt: 5, door: 'insession' });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('wanted');
  });

  test('is the newest one, too, when it ended for a reason that can be gone', () => {
    leaveLoop('old', { createdAt: 1, ending: { kind: 'auth', reason: 'no' } });
    leaveLoop('unfinished', { createdAt: 2 });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('unfinished');
    leaveLoop('limited', { createdAt: 3, ending: { kind: 'iteration-limit', limit: 1 } });
    expect(newestToContinue(root, 'run', '/a')?.id).toBe('limited');
  });

  test('is none where all are done or were stopped', () => {
    leaveLoop('limited', { createdAt: 1, ending: { kind: 'iteration-limit', limit: 1 } });
    leaveLoop('stopped', { createdAt: 2, ending: { kind: 'stopped' } });
    leaveLoop('done', { createdAt: 3, ending: { kind: 'done' } });
    expect(newestToContinue(root, 'run', '/a')).toBeNull();
  });
});
