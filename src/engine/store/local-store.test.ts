import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { firstRecord, play, record, recordOf } from '../../../test/support/loops/play.ts';
import { STARTED, worked } from '../../../test/support/loops/results.ts';
import { INPUTS, tiny } from '../../../test/support/loops/tiny-machine.ts';
import type { Recorded, Result } from '../../core/record.ts';
import { createJournal, type Journal } from '../../state/journal.ts';
import { tryLock } from '../../state/lock.ts';
import {
  journalPath,
  loopFolder,
  loopLock,
  loopsFolder,
  type StateRoot,
  statusPath,
  workTreeLock,
} from '../../state/paths.ts';
import { statusOf, writeStatus } from '../../state/registry.ts';
import { pendingControl } from '../control.ts';
import { localStore } from './local-store.ts';
import { isReadable, type LoopStore } from './loop-store.ts';

let root: StateRoot;
let folded: string[];
let store: LoopStore;

beforeEach(() => {
  root = { path: testFolder() };
  folded = [];
  store = localStore(root, async (kind) => {
    folded.push(kind);
    return kind === 'tiny' ? tiny : null;
  });
});

const NO_MASK = (text: string): string => text;

/** A loop whose agent is at work. */
function leave(id: string, given: { readonly loopKind?: string; readonly status?: boolean } = {}): Journal {
  const { loopKind = 'tiny', status = true } = given;
  const created = createdAs(id, loopKind);
  mkdirSync(loopFolder(root, id), { recursive: true });
  const journal = createJournal(journalPath(loopFolder(root, id)), created, NO_MASK);
  let state = tiny.begin(created);
  for (const result of [INPUTS, STARTED]) {
    const record = recordOf(tiny, state, result);
    journal.append(record);
    state = play(tiny, state, result);
  }
  if (status) writeStatus(loopFolder(root, id), statusOf(tiny, state, { createdAt: 0, bytes: journal.bytes() }));
  return journal;
}

function createdAs(id: string, loopKind = 'tiny'): Recorded {
  const first = firstRecord(loopKind);
  return { ...first, result: { ...first.result, id } as Recorded['result'] };
}

describe('the list', () => {
  test('is empty before there was a loop', async () => {
    expect(await store.list()).toEqual([]);
  });

  test('uses the status of a loop if its journal has not grown since', async () => {
    leave('a');
    expect(await store.list()).toMatchObject([{ id: 'a', iterations: 1, phase: { at: 'await' }, supervisor: null }]);
    expect(folded).toEqual([]);
  });

  test.each<[string, (folder: string) => void]>([
    ['is gone', (folder) => rmSync(statusPath(folder))],
    ['is empty', (folder) => writeFileSync(statusPath(folder), '')],
    ['is of another form', (folder) => writeFileSync(statusPath(folder), '{"v":2,"id":"a","journalBytes":1}')],
    [
      'is of another loop',
      (folder) =>
        writeFileSync(statusPath(folder), readFileSync(statusPath(folder), 'utf8').replace('"id":"a"', '"id":"b"')),
    ],
    [
      'lacks a field that came later',
      (folder) =>
        writeFileSync(statusPath(folder), readFileSync(statusPath(folder), 'utf8').replace('"lastCommit":null,', '')),
    ],
    ['is behind', (folder) => appendFileSync(journalPath(folder), lineAfter(folder))],
  ])('reads the journal if the status %s', async (_what, spoil) => {
    leave('a');
    spoil(loopFolder(root, 'a'));
    const [loop] = await store.list();
    expect(loop).toMatchObject({ id: 'a', iterations: 1 });
    expect(folded).toEqual(['tiny']);
  });

  test.each<[string, object]>([
    ['an ending of no kind', { ending: { kind: 'zzz' } }],
    ['an agent that is a number', { about: { limit: 1, agent: 7 } }],
    ['a folder that is a number', { about: { limit: 1, agent: null, cwd: 9 } }],
    ['no limit at all', { about: {} }],
    ['a time that no calendar has', { createdAt: 1e300 }],
    ['a wait until then', { phase: { at: 'wait', until: 1e18, then: 'next-iteration' } }],
    ['a purpose that is a number', { phase: { at: 'await', purpose: 3 } }],
    ['the output of another file', { transcript: '/etc/passwd' }],
    ['the output of a file above', { transcript: 'runs/../../../x' }],
  ])('does not believe a status with %s', async (_what, forged) => {
    leave('a');
    const path = statusPath(loopFolder(root, 'a'));
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...forged }));
    await store.list();
    expect(folded).toEqual(['tiny']);
  });

  test('does not mistake a copy of a loop for the loop', async () => {
    leave('a');
    cpSync(loopFolder(root, 'a'), loopFolder(root, 'b'), { recursive: true });
    const list = await store.list();
    expect(list.filter(isReadable).map(({ id }) => id)).toEqual(['a']);
    expect(list.filter((loop) => 'problem' in loop)).toEqual([
      { id: 'b', problem: expect.stringContaining('belongs to another loop: a') },
    ]);
  });

  test('shows what is damaged, foreign or newer beside the others, and hides none because of it', async () => {
    leave('good');
    leave('foreign', { loopKind: 'from-the-future', status: false });
    leave('damaged', { status: false });
    const journal = journalPath(loopFolder(root, 'damaged'));
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"seq":1', '"seq":"x"'));
    leave('newer', { status: false });
    writeFileSync(
      journalPath(loopFolder(root, 'newer')),
      '{"v":99,"seq":0,"at":0,"key":"created","attempt":1,"result":{"kind":"created"}}\n',
    );
    writeFileSync(join(loopsFolder(root), 'a-file'), '');
    symlinkSync('/nowhere', join(loopsFolder(root), 'a-link'));
    mkdirSync(join(loopsFolder(root), 'never-began'));
    const list = await store.list();
    expect(list.filter(isReadable).map(({ id }) => id)).toEqual(['good']);
    const problems = Object.fromEntries(list.flatMap((loop) => ('problem' in loop ? [[loop.id, loop.problem]] : [])));
    expect(problems).toEqual({
      foreign: expect.stringContaining('from-the-future'),
      damaged: expect.stringContaining('is damaged at line 2'),
      newer: expect.stringContaining('a newer release of ralph wrote it'),
    });
  });

  test('names the supervisor by the lock of the loop, or by that of its directory under its name', async () => {
    leave('a');
    leave('b');
    const own = tryLock(loopLock(loopFolder(root, 'a')), 'loop a');
    const pids = async () => (await store.list()).filter(isReadable).map(({ supervisor }) => supervisor?.pid ?? null);
    expect(await pids()).toEqual([process.pid, null]);
    if (own.got) own.lock.release();
    const cwd = (await store.list()).find(isReadable)?.cwd ?? '';
    const directory = tryLock(workTreeLock(root, cwd), 'loop b');
    expect(await pids()).toEqual([null, process.pid]);
    if (directory.got) directory.lock.release();
  });
});

const lineAfter = (folder: string): string => {
  const records = readFileSync(journalPath(folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  const state = records.slice(1).reduce(tiny.apply, tiny.begin(records[0] as Recorded));
  return `${JSON.stringify(recordOf(tiny, state, worked()))}\n`;
};

test('one loop is read by its name alone; a name that leads elsewhere is none', async () => {
  leave('a');
  leave('b', { status: false });
  expect(await store.read('a')).toMatchObject({ id: 'a', iterations: 1 });
  expect(folded).toEqual([]);
  expect(await store.read('b')).toMatchObject({ id: 'b', iterations: 1 });
  expect(await store.ids()).toEqual(['a', 'b']);
  cpSync(loopFolder(root, 'a'), join(root.path, 'elsewhere'), { recursive: true });
  for (const id of ['c', '../elsewhere', '..', '', 'a/../a']) expect(await store.read(id)).toBeNull();
});

test('records are read from a given number on', async () => {
  leave('a');
  expect((await store.records('a')).map(({ seq }) => seq)).toEqual([0, 1, 2]);
  expect((await store.records('a', 2)).map(({ seq }) => seq)).toEqual([2]);
});

test('each call of a reader returns what is new since the last one, and only whole records', async () => {
  leave('a').close();
  const read = store.reader('a');
  const numbers = async () => (await read()).map(({ seq }) => seq);
  expect(await numbers()).toEqual([0, 1, 2]);
  expect(await numbers()).toEqual([]);
  const line = lineAfter(loopFolder(root, 'a'));
  appendFileSync(journalPath(loopFolder(root, 'a')), line.slice(0, 20));
  expect(await numbers()).toEqual([]);
  appendFileSync(journalPath(loopFolder(root, 'a')), line.slice(20));
  expect(await numbers()).toEqual([3]);
});

test('a follower gets what exists, then what is added, each record once and whole', async () => {
  const journal = leave('a');
  const seen: number[] = [];
  const over = new AbortController();
  const line = lineAfter(loopFolder(root, 'a'));
  const [head, tail] = [line.slice(0, 20), line.slice(20)];
  for await (const { seq } of store.follow('a', 1, over.signal)) {
    seen.push(seq);
    if (seq === 2) {
      appendFileSync(journalPath(loopFolder(root, 'a')), head);
      // The other half comes when the follower has looked at the first.
      setTimeout(() => appendFileSync(journalPath(loopFolder(root, 'a')), tail), 50);
    }
    if (seq === 3) over.abort();
  }
  expect(seen).toEqual([1, 2, 3]);
  journal.close();
});

describe('a transcript', () => {
  test('can be read from a given byte on, or only its end', async () => {
    leave('a');
    mkdirSync(join(loopFolder(root, 'a'), 'runs'));
    writeFileSync(join(loopFolder(root, 'a'), 'runs/r.out'), 'one two three');
    const text = async (part: Parameters<LoopStore['transcript']>[2]) => {
      const found = await store.transcript('a', 'runs/r.out', part);
      return found === null ? null : [Buffer.from(found.bytes).toString(), found.next];
    };
    expect(await text({ from: 4 })).toEqual(['two three', 13]);
    expect(await text({ from: 99 })).toEqual(['', 13]);
    expect(await text({ last: 5 })).toEqual(['three', 13]);
    expect(await store.transcript('a', 'runs/none.out', { from: 0 })).toBeNull();
    execFileSync('mkfifo', [join(loopFolder(root, 'a'), 'runs/pipe.out')]);
    mkdirSync(join(loopFolder(root, 'a'), 'runs/folder.out'));
    for (const name of ['pipe', 'folder']) {
      expect(await store.transcript('a', `runs/${name}.out`, { from: 0 })).toBeNull();
    }
  });
});

test('a command goes to the loop of that name, and to no other folder', async () => {
  leave('a');
  await store.send('a', { command: 'tell', text: 'hello' });
  expect(readFileSync(join(loopFolder(root, 'a'), 'control/commands.jsonl'), 'utf8')).toContain('"text":"hello"');
  cpSync(loopFolder(root, 'a'), join(root.path, 'elsewhere'), { recursive: true });
  for (const id of ['../elsewhere', '..', '.', 'b', 'a/../a']) {
    await expect(store.send(id, { command: 'resume' })).rejects.toThrow('there is no loop');
  }
});

describe('a message to a loop', () => {
  const listed = async () => (await store.list()).filter(isReadable)[0];

  test('is pending until a record has consumed it', async () => {
    const journal = leave('a');
    await store.send('a', { command: 'tell', text: 'Use tabs.' });
    await store.send('a', { command: 'pause' });
    const messages = [{ as: 'tell', text: 'Use tabs.' }];
    expect(await listed()).toMatchObject({ wanted: 'pause', messages });
    const consumed = pendingControl(loopFolder(root, 'a'), null)?.consumed ?? '';
    const heard: Result[] = [
      { kind: 'interrupted', reason: 'x' },
      { kind: 'waited', command: 'pause', consumed, told: [{ as: 'tell', text: 'Use tabs.' }] },
    ];
    let state = play(tiny, tiny.begin(createdAs('a')), INPUTS, STARTED);
    for (const result of heard) {
      journal.append(recordOf(tiny, state, result));
      state = play(tiny, state, result);
    }
    // It is paused, and its next prompt still has the message.
    expect(await listed()).toMatchObject({ wanted: 'run', messages, phase: { at: 'wait', until: 'command' } });
    journal.append(recordOf(tiny, state, { kind: 'waited', command: 'resume' }));
    state = play(tiny, state, { kind: 'waited', command: 'resume' }, INPUTS);
    journal.append(record(6, '1/inputs/2', INPUTS));
    journal.append(record(7, '1/work/2/start', STARTED));
    // An agent has it.
    expect(await listed()).toMatchObject({ messages: [], phase: { at: 'await' } });
    journal.close();
  });

  test('is not due any more in a loop that is over', async () => {
    const journal = leave('a');
    const ending = { kind: 'stopped', reason: 'archived' } as const;
    await store.send('a', { command: 'tell', text: 'Use tabs.' });
    journal.append(record(3, 'end', { kind: 'ended', ending }));
    expect(await listed()).toMatchObject({ wanted: 'run' });
    journal.close();
  });
});

test('how a supervisor left is known from its last record, but not in an earlier release', async () => {
  const journal = leave('a');
  journal.append(record(3, 'left/3', { kind: 'left', by: 'SIGINT' }));
  journal.close();
  const file = journalPath(loopFolder(root, 'a'));
  expect((await store.list())[0]).toMatchObject({ leaving: { is: 'left', by: 'SIGINT' } });
  const [created = '', inputs = ''] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${created}\n${inputs}\n`.replaceAll(/"v":\d+/g, '"v":4'));
  expect((await store.list())[0]).toMatchObject({ leaving: { is: 'unknown' } });
});

describe('one loop', () => {
  test('is read the same as in the list', async () => {
    leave('one');
    const [listed] = await store.list();
    expect(await store.read('one')).toEqual(listed);
  });

  test('that is gone, or whose name would lead elsewhere, is none', async () => {
    leave('one');
    expect(await store.read('two')).toBeNull();
    expect(await store.read('../loops/one')).toBeNull();
  });

  test('is watched for changes, until the watcher stops', async () => {
    const journal = leave('one');
    const told = vi.fn<() => void>();
    const stop = store.watch('one', told);
    appendFileSync(statusPath(loopFolder(root, 'one')), '\n');
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    stop();
    journal.close();
  });

  test('that appears is reported, even if there was none before', async () => {
    const come = new Promise<void>((resolve) => {
      const stop = store.watch(null, () => {
        stop();
        resolve();
      });
    });
    leave('one');
    await come;
    expect(await store.list()).toHaveLength(1);
  });
});
