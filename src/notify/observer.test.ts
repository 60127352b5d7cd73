import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { NO_USAGE } from '../core/budget/usage.ts';
import type { Ending } from '../core/ending.ts';
import type { Result } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import type { LoopEvent } from '../engine/drive.ts';
import { ifThere } from '../process/files.ts';
import { tryLock } from '../state/lock.ts';
import { makeLoop, makeLoopsFolder } from '../state/new-loop.ts';
import { loopObserver } from './observer.ts';
import { writeBook } from './replies/book-file.ts';
import type { ReplyBook } from './replies/reply-book.ts';
import { notifyFolder, queueFolder, readQueueAsIs, senderLock } from './spool.ts';

const ID = '20260101-000000-abcd1234';

/** A book with one button that can be used until `expiresAt`. */
const bookWith = (expiresAt: number): ReplyBook => ({
  requests: [
    {
      hash: 'h',
      notice: 'n',
      receiver: 'phone',
      loop: { id: ID, name: 'abcd' },
      does: { command: 'stop' },
      question: null,
      at: 0,
      expiresAt,
    },
  ],
  read: {},
});

/** Observes a loop with these receivers, and returns what was printed and started. */
function observed({ parent, receivers, book }: { parent?: string; receivers: object; book?: ReplyBook }) {
  const [home, root] = [testFolder(), { path: join(testFolder(), 'ralph') }];
  mkdirSync(join(home, '.config/ralph'), { recursive: true });
  writeFileSync(join(home, '.config/ralph/settings.json'), JSON.stringify({ notify: { receivers } }));
  makeLoopsFolder(root);
  const created = {
    id: ID,
    loopKind: 'job',
    cwd: home,
    release: 'test',
    options: {},
    ...(parent === undefined ? {} : { parent }),
  };
  makeLoop(root, created, 0, (text) => text).journal.close();
  mkdirSync(notifyFolder(root), { recursive: true });
  if (book !== undefined) writeBook(root, book);
  let senders = 0;
  const written: string[] = [];
  const observer = loopObserver({
    environment: { root, variables: { HOME: home }, mask: (text) => text.replaceAll('s3cret', '***') },
    clock: String,
    tell: (line) => void written.push(line),
    startSender: () => {
      senders += 1;
    },
    toTerminal: (text) => void written.push(text),
  });
  return {
    observer,
    root,
    written,
    senders: () => senders,
    ran() {
      const record = { v: 7, seq: 1, at: 0, key: 'x', attempt: 1, result: RAN } as const;
      observer?.see({ ...eventOf({ at: 'inputs' }), type: 'record', record } as LoopEvent);
    },
    end(ending: Ending) {
      observer?.see(eventOf({ at: 'inputs' }));
      observer?.see(eventOf({ at: 'over', ending }, ending));
      return readQueueAsIs(root).map(({ notice }) => notice);
    },
  };

  function eventOf(phase: LoopState<unknown>['phase'], ending?: Ending): LoopEvent {
    const state = {
      id: ID,
      loopKind: 'job',
      cwd: home,
      phase,
      startedIn: 1,
      workedMs: 0,
      waitedMs: 0,
      usage: NO_USAGE,
      unavailable: {},
      faultsInARow: 0,
    } as Partial<LoopState<unknown>>;
    const whole = state as LoopState<unknown>;
    if (ending === undefined)
      return { type: 'action', action: { key: 'x', do: 'wait', until: 'now', consumed: null }, state: whole };
    return {
      type: 'record',
      record: { v: 7, seq: 1, at: 0, key: 'end', attempt: 1, result: { kind: 'ended', ending } },
      state: whole,
    };
  }
}

const RAN: Result = {
  kind: 'ran',
  outcome: { kind: 'worked' },
  said: { tag: null, firstLine: null },
  transcript: { path: 'runs/x.out', bytes: 0 },
};
const DESK = { desk: { kind: 'desktop' } };

test('an ending is queued and the sender started', () => {
  const loop = observed({ receivers: DESK });
  expect(loop.end({ kind: 'done' })).toMatchObject([{ event: 'done', loop: { id: ID, name: 'abcd', kind: 'job' } }]);
  expect(loop.senders()).toBe(1);
});

test('what looks like a key is masked before it is written', () => {
  const [notice] = observed({ receivers: DESK }).end({ kind: 'blocked', reason: 'Is s3cret right?' });
  expect(notice?.question).toBe('Is *** right?');
  expect(JSON.stringify(notice)).not.toContain('s3cret');
});

test('a loop that an agent asked for tells people only what needs them', () => {
  expect(observed({ parent: 'other', receivers: DESK }).end({ kind: 'done' })).toEqual([]);
  expect(observed({ parent: 'other', receivers: DESK }).end({ kind: 'blocked', reason: 'Which?' })).toHaveLength(1);
});

test('a sender that is gone is started again where a button can still be used, also while the loop goes on', () => {
  const loop = observed({ receivers: DESK, book: bookWith(Date.now() + 60_000) });
  expect(loop.senders()).toBe(1);
  loop.ran();
  expect(loop.senders()).toBe(2);
  const lock = tryLock(senderLock(loop.root), 'notifications');
  loop.ran();
  expect([lock.got, loop.senders()]).toEqual([true, 2]);
  const expired = observed({ receivers: DESK, book: bookWith(Date.now() - 1) });
  expired.ran();
  expect(expired.senders()).toBe(0);
});

test('a question of a job, which is run once, is not offered for an answer', () => {
  expect(observed({ receivers: DESK }).end({ kind: 'blocked', reason: 'Which?' })).toMatchObject([
    { question: 'Which?', next: 'ralph status abcd', can: [] },
  ]);
});

test('an event that no receiver is for is not queued', () => {
  const loop = observed({ receivers: { desk: { kind: 'desktop', events: ['failed'] } } });
  expect(loop.end({ kind: 'done' })).toEqual([]);
  expect(loop.senders()).toBe(0);
});

test('a terminal alone needs no sender', () => {
  const loop = observed({ receivers: { here: { kind: 'terminal', style: 'bell' } } });
  expect(loop.end({ kind: 'done' })).toEqual([]);
  expect(loop.written).toEqual(['\u0007']);
  expect(ifThere(() => readdirSync(queueFolder(loop.root)))).toBeNull();
});

test('without receivers there is nothing to observe', () => {
  expect(observed({ receivers: {} }).observer).toBeNull();
});
