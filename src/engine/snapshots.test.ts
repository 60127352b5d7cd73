/** Which snapshots of a loop's work tree are kept, and when, with performers that only write files. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SnapshotScene, snapshotScene } from '../../test/support/git/snapshot-scene.ts';
import type { RunKey } from '../core/action.ts';
import type { Result } from '../core/record.ts';
import { alwaysReady } from '../process/follow.ts';
import type { Perform } from './performers/perform.ts';
import { type SnapshotPlace, withSnapshots } from './snapshots.ts';

let scene: SnapshotScene;
let loop: string;
let told: string[];

beforeEach(() => {
  scene = snapshotScene();
  loop = join(scene.folder, 'state/ralph/loops/one');
  mkdirSync(loop, { recursive: true });
  told = [];
});

const RAN: Result = {
  kind: 'ran',
  outcome: { kind: 'worked' },
  said: { tag: null, firstLine: null },
  transcript: { path: 'runs/x', bytes: 0 },
};

/** Both actions of a run, done by one supervisor; the agent writes a file. */
function supervisor(given: Partial<SnapshotPlace> = {}) {
  const place = { cwd: scene.work, env: scene.env, tell: (line: string) => void told.push(line), ...given };
  const act = async (what: 'start' | 'await', run: Partial<RunKey>, does: () => Result, signal?: AbortSignal) => {
    const inner: Perform = async () => ({ result: does() });
    perform.inner = inner;
    const agent = { command: 'a', flags: [], mode: 'stream' } as const;
    const key = { loop: 'one', iteration: 1, purpose: 'work', try: 1, ...run };
    const handle = { runner: 'direct', name: 'n' };
    const rest = { handle, listen: { tag: 'x', multiline: false }, limits: { timeMs: null, idleMs: null } };
    const action =
      what === 'start'
        ? ({ do: 'start', key: 'k', run: key, agent, prompt: '' } as const)
        : ({ do: 'await', key: 'k', run: key, agent, ...rest } as const);
    const at = {
      signal: signal ?? new AbortController().signal,
      ready: alwaysReady,
      progress: () => undefined,
    };
    const { result } = await perform.wrapped(action, at);
    return result;
  };
  const perform: { inner: Perform; wrapped: Perform } = {
    inner: async () => ({ result: RAN }),
    wrapped: withSnapshots((action, at) => perform.inner(action, at), loop, place),
  };
  const started = (): Result => ({ kind: 'started', handle: { runner: 'direct', name: 'n' } });
  return {
    start: (run: Partial<RunKey> = {}, does: () => Result = started) => act('start', run, does),
    end: (run: Partial<RunKey> = {}, does: () => Result = () => RAN, signal?: AbortSignal) =>
      act('await', run, does, signal),
  };
}

const treeOf = (result: Result): unknown => ('tree' in result ? result.tree : undefined);
const HASH = expect.stringMatching(/^[0-9a-f]{40}$/);
const COMMIT = { commit: HASH, tree: HASH };

function shown(result: Result, path: string): string {
  const tree = 'tree' in result ? result.tree : undefined;
  if (tree === undefined || tree.commit === null) throw new Error('no tree');
  return scene.gitIn(scene.folder, '--git-dir', join(loop, 'snapshots.git'), 'show', `${tree.commit}:${path}`);
}

describe('a loop in a work tree', () => {
  test('keeps what it begins with, and what each run of the work leaves', async () => {
    const { start, end } = supervisor();
    scene.write('file', 'dirty\n');
    const first = await start();
    scene.write('file', 'one\n');
    const one = await end();
    const second = await start({ iteration: 2 });
    scene.write('file', 'two\n');
    const two = await end({ iteration: 2 });
    expect([first, one, two].map((result) => shown(result, 'file'))).toEqual(['dirty\n', 'one\n', 'two\n']);
    expect(second).toEqual({ kind: 'started', handle: { runner: 'direct', name: 'n' } });
    expect(told).toEqual([]);
  });

  test('keeps nothing of other runs, nor of one that was interrupted or could not be started', async () => {
    const { start, end } = supervisor();
    expect(treeOf(await start({ purpose: 'message' }))).toBeUndefined();
    expect(treeOf(await end({ purpose: 'message' }))).toBeUndefined();
    expect(await end({}, () => ({ kind: 'interrupted', reason: 'r' }))).toEqual({ kind: 'interrupted', reason: 'r' });
    expect(await start({}, () => ({ kind: 'unstartable', reason: 'r' }))).toEqual({ kind: 'unstartable', reason: 'r' });
  });

  test('equal trees have the same id; what a pivot finds and leaves is kept separately', async () => {
    const { start, end } = supervisor();
    const idOf = (result: Parameters<typeof treeOf>[0]) => (treeOf(result) as { tree?: string } | undefined)?.tree;
    await start();
    const one = idOf(await end());
    scene.write('file', 'changed\n');
    const pivot = { purpose: 'pivot' };
    const before = idOf(await start(pivot));
    const after = idOf(await end(pivot));
    expect(before).toEqual(HASH);
    expect(before).not.toBe(one);
    expect(after).toBe(before);
    expect(shown(await end({ iteration: 2 }), 'file')).toBe('changed\n');
  });

  test('the next supervisor keeps what it finds, unless it adopts a run', async () => {
    scene.write('file', 'one\n');
    const first = supervisor();
    await first.start();
    await first.end();
    scene.write('file', 'edited by a person\n');
    expect(shown(await supervisor().start({ iteration: 2 }), 'file')).toBe('edited by a person\n');
    const adopting = supervisor();
    expect(treeOf(await adopting.end({ iteration: 2 }))).toEqual(COMMIT);
    expect(treeOf(await adopting.start({ iteration: 3 }))).toBeUndefined();
  });

  test('a start that was cut off before its record keeps the tree from before the agent', async () => {
    scene.write('file', 'before\n');
    await supervisor().start();
    scene.write('file', 'the agent is at work\n');
    expect(shown(await supervisor().start(), 'file')).toBe('before\n');
  });

  test('a second try at a pivot begins with the tree from before the first, even if nothing had changed until then', async () => {
    scene.write('file', 'before\n');
    const { start, end } = supervisor();
    await start();
    await end();
    const pivot = { purpose: 'pivot' };
    await start(pivot);
    scene.write('file', 'the pivot is at work\n');
    expect(shown(await supervisor().start(pivot), 'file')).toBe('before\n');
  });

  test('keeps the tree from the moment when an agent creates the repository', async () => {
    renameSync(join(scene.work, '.git'), join(scene.folder, 'away'));
    const { start, end } = supervisor();
    expect(treeOf(await start())).toBeUndefined();
    scene.git('init', '-q');
    expect(treeOf(await end())).toEqual(COMMIT);
  });
});

describe('a snapshot that cannot be taken does not stop the loop', () => {
  test('without a repository, nothing is reported', async () => {
    rmSync(join(scene.work, '.git'), { recursive: true });
    const { start, end } = supervisor();
    expect(treeOf(await start())).toBeUndefined();
    expect(treeOf(await end())).toBeUndefined();
    expect(existsSync(join(loop, 'snapshots.git'))).toBe(false);
    expect(told).toEqual([]);
  });

  test('the records say why, and one line reports it once', async () => {
    const { start, end } = supervisor({ env: { PATH: '/nonexistent' } });
    const reason = { commit: null, reason: 'git is not installed' };
    expect(treeOf(await start())).toEqual(reason);
    expect(treeOf(await end())).toEqual(reason);
    expect(told).toEqual(['The work tree is not kept for "ralph diff": git is not installed']);
  });

  test('a work tree that is gone, and a folder of the loop that cannot be written', async () => {
    writeFileSync(join(loop, 'snapshots.git'), 'in the way');
    expect(treeOf(await supervisor().start())).toMatchObject({ commit: null });
    rmSync(join(loop, 'snapshots.git'));
    const { end } = supervisor();
    rmSync(scene.work, { recursive: true });
    expect(treeOf(await end())).toEqual({ commit: null, reason: 'no such file or directory' });
  });

  test('a git that takes too long is ended, and the next snapshot is tried again', async () => {
    scene.write('sub/file');
    execFileSync('mkfifo', [join(scene.work, 'sub/.gitignore')]);
    const { end } = supervisor({ patience: { first: 300, again: 400 } });
    expect(treeOf(await end())).toEqual({ commit: null, reason: 'git took longer than 0.3 seconds' });
    expect(treeOf(await end({ iteration: 2 }))).toEqual({ commit: null, reason: 'git took longer than 0.4 seconds' });
    expect(told).toHaveLength(1);
  });

  test('what blocked git once is forgotten when it is gone', async () => {
    scene.write('sub/file');
    execFileSync('mkfifo', [join(scene.work, 'sub/.gitignore')]);
    const { end } = supervisor({ patience: { first: 300, again: 60_000 } });
    expect(treeOf(await end())).toMatchObject({ commit: null });
    rmSync(join(scene.work, 'sub/.gitignore'));
    expect(treeOf(await end({ iteration: 2 }))).toEqual(COMMIT);
  });

  test('a loop that is stopped meanwhile records its run nevertheless', async () => {
    const result = await supervisor().end({}, () => RAN, AbortSignal.abort());
    expect(result).toMatchObject({ kind: 'ran', tree: { reason: 'the loop was stopped before it was kept' } });
    expect(told).toEqual([]);
  });

  test('no program of the work tree is used as git', async () => {
    const bin = join(scene.work, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch ${scene.folder}/ran\n`, { mode: 0o755 });
    const { end } = supervisor({ env: { ...scene.env, PATH: `${bin}:${scene.env.PATH}` } });
    expect(treeOf(await end())).toEqual(COMMIT);
    expect(existsSync(join(scene.folder, 'ran'))).toBe(false);
  });
});
