import { expect, test } from 'vitest';
import type { Ending } from '../../core/ending.ts';
import type { Command } from '../../engine/control.ts';
import type { LoopStore, ReadableLoop } from '../../engine/store/loop-store.ts';
import { carryOut } from './carry-out.ts';
import type { ReplyRequest } from './reply-book.ts';

const REQUEST: ReplyRequest = {
  hash: 'h',
  notice: 'n',
  receiver: 'phone',
  loop: { id: 'a', name: 'a' },
  does: { command: 'answer', text: 'SQLite' },
  question: 'Which?',
  at: 0,
  expiresAt: 1,
};

const BLOCKED: Ending = { kind: 'blocked', reason: 'Which?' };
const ASKS: ReadableLoop['phase'] = { at: 'wait', until: 'command', then: 'same-iteration', asks: 'Which?' };

type Fields = Partial<ReadableLoop>;
const loopOf = (fields: Fields): ReadableLoop => {
  const known: Fields = { id: 'a', loopKind: 'run', cwd: '/w', ending: null, phase: ASKS, messages: [], wanted: 'run' };
  return { supervisor: { pid: 1 }, ...known, ...fields } as ReadableLoop;
};

async function carriedOut(fields: Fields, ...others: Fields[]) {
  const sent: Command[] = [];
  const store: Pick<LoopStore, 'list' | 'send'> = {
    list: async () => [fields, ...others].map(loopOf),
    send: async (_id, command) => void sent.push(command),
  };
  return { ...(await carryOut(store as LoopStore, REQUEST, 'SQLite')), sent };
}

const over = (more: Fields): Fields => ({
  ending: BLOCKED,
  phase: { at: 'over', ending: BLOCKED },
  supervisor: null,
  ...more,
});

test.each<[string, Fields, string]>([
  ['waits for it', {}, 'Loop a continues with your answer.'],
  ['ended with its question', over({}), 'Your answer is kept. To continue, run: ralph resume a'],
])('an answer reaches a loop that %s', async (_what, fields, says) => {
  expect(await carriedOut(fields)).toEqual({ is: 'done', says, sent: [{ command: 'answer', text: 'SQLite' }] });
});

test.each<[string, Fields, Fields[]]>([
  ['has gone on', { phase: { at: 'inputs' } }, []],
  ['asks something else', { phase: { ...ASKS, asks: 'And now?' } }, []],
  ['was answered', { messages: [{ as: 'answer', text: 'x', at: 0 }] as unknown as ReadableLoop['messages'] }, []],
  ['is never continued', over({ loopKind: 'job' }), []],
  ['another one has taken the place of', over({ loopKind: 'task' }), [over({ id: 'b', loopKind: 'task' })]],
])('an answer to a loop that %s comes too late', async (_what, fields, others) => {
  expect(await carriedOut(fields, ...others)).toEqual({ is: 'late', sent: [] });
});
