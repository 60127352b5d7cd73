import { describe, expect, test } from 'vitest';
import type { Notice, NoticeAction } from '../../core/notice.ts';
import {
  bookFrom,
  EMPTY_BOOK,
  judgeReply,
  LONGEST_ANSWER,
  offerReplies,
  openRequests,
  pruned,
  type ReplyBook,
  withUsed,
} from './reply-book.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;

const noticeWith = (question: string | undefined, can: readonly NoticeAction[]): Notice => ({
  v: 1,
  id: 'n1',
  at: NOW,
  event: 'blocked',
  title: 't',
  text: 'x',
  loop: { id: 'loop-1', name: 'k3x9', kind: 'run', place: 'shop' },
  ...(question === undefined ? {} : { question }),
  can,
});

function offered(question: string | undefined, can: readonly NoticeAction[]) {
  let count = 0;
  const tokens = { long: () => `long-token-${++count}`, short: () => `short-${++count}` };
  const offer = offerReplies(
    noticeWith(question, can),
    { receiver: 'phone', topic: 'replies', expires: HOUR, now: NOW },
    tokens,
  );
  const book: ReplyBook = { ...EMPTY_BOOK, requests: offer?.requests ?? [] };
  return { offer, book, buttons: offer?.extras.buttons ?? [] };
}

const BLOCKED: readonly NoticeAction[] = ['answer', 'stop'];

describe('what is offered', () => {
  test('a button for each answer that the question lists, one to stop, and a word for another answer', () => {
    const { buttons, offer } = offered('Drop it? (yes/no)', BLOCKED);
    expect(buttons.map(({ label }) => label)).toEqual(['yes', 'no', 'Stop']);
    expect(offer?.extras.note).toBe('To answer in your own words, publish to replies:\nshort-4 your answer');
    expect(new Set(buttons.map(({ body }) => body)).size).toBe(3);
  });

  test('never more than three buttons', () => {
    expect(offered('Which?\n- a\n- b\n- c', BLOCKED).buttons.map(({ label }) => label)).toEqual(['a', 'b', 'c']);
  });

  test('pause and stop for a loop that runs; nothing for one that is over', () => {
    expect(offered(undefined, ['pause', 'stop']).buttons.map(({ label }) => label)).toEqual(['Pause', 'Stop']);
    expect(offered(undefined, []).offer).toBeNull();
  });

  test('what is kept holds no token', () => {
    const { book, buttons } = offered('Drop it? (yes/no)', BLOCKED);
    for (const { body } of buttons) expect(JSON.stringify(book)).not.toContain(body);
  });
});

describe('a reply', () => {
  const { book, buttons } = offered('Drop it? (yes/no)', BLOCKED);
  const [yes = '', no = '', stop = ''] = buttons.map(({ body }) => body);
  const judge = (message: string, now = NOW, known = book) => judgeReply(known, 'phone', message, now);

  test('does what its button says, and nothing that is added to it', () => {
    expect(judge(yes)).toMatchObject({ is: 'good', text: 'yes', request: { loop: { id: 'loop-1' } } });
    expect(judge(`${no} drop everything`)).toMatchObject({ is: 'good', text: 'no' });
    expect(judge(stop)).toMatchObject({ is: 'good', request: { does: { command: 'stop' } } });
  });

  test('in own words is an answer, without control characters and of a length', () => {
    expect(judge('short-4  Only the\u001b[31m index.\n')).toMatchObject({ is: 'good', text: 'Only the index.' });
    const { text } = judge(`short-4 ${'a'.repeat(9000)}`) as { text: string };
    expect(text).toHaveLength(LONGEST_ANSWER);
    expect(judge('short-4')).toEqual({ is: 'empty' });
  });

  test.each(['', '   ', 'yes', 'hello there', 'long-token-9', `x${'a'.repeat(100_000)}`])(
    'without a token does nothing: %.20s',
    (message) => {
      expect(judge(message)).toEqual({ is: 'unknown' });
    },
  );

  test('on the topic of another receiver does nothing', () => {
    expect(judgeReply(book, 'other', yes, NOW)).toEqual({ is: 'unknown' });
  });

  test('comes too late after its time', () => {
    expect(judge(yes, NOW + HOUR - 1)).toMatchObject({ is: 'good' });
    expect(judge(yes, NOW + HOUR)).toMatchObject({ is: 'expired' });
  });

  test('counts once; an answer makes the other answers void, not the button that stops', () => {
    const [request] = book.requests;
    if (request === undefined) throw new Error('nothing was offered');
    const after = withUsed(book, request, NOW);
    for (const message of [yes, no, 'short-4 x']) expect(judge(message, NOW, after)).toMatchObject({ is: 'used' });
    expect(judge(stop, NOW, after)).toMatchObject({ is: 'good' });
    expect(openRequests(after, NOW)).toHaveLength(1);
  });
});

test('what is over is known for a day, and not for ever', () => {
  const { book } = offered('x', BLOCKED);
  expect(pruned(book, NOW + 2 * HOUR).requests).toHaveLength(2);
  expect(pruned(book, NOW + 26 * HOUR).requests).toHaveLength(0);
  const many = { ...book, requests: Array.from({ length: 1000 }, () => book.requests).flat() };
  expect(pruned(many, NOW).requests).toHaveLength(300);
});

test('a damaged book is none', () => {
  expect(bookFrom(null)).toBeNull();
  expect(bookFrom({ requests: [7, {}], read: {} })).toEqual({ requests: [], read: {} });
});
