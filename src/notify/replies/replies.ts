/** The two-way part of the sender: offers buttons, listens while any can be used, and carries out each reply once. */
import { randomBytes } from 'node:crypto';
import type { ReceiverOf } from '../../config/notify-schema.ts';
import type { NotifySettings } from '../../config/notify-settings.ts';
import { type Notice, titleOf } from '../../core/notice.ts';
import { faultMessage } from '../../core/system-fault.ts';
import { parseDuration } from '../../core/text/duration.ts';
import type { Duration } from '../../core/time.ts';
import type { LoopStore } from '../../engine/store/loop-store.ts';
import type { StateRoot } from '../../state/paths.ts';
import type { Delivered } from '../deliver/delivered.ts';
import { type NtfyExtras, toNtfy, topicOf } from '../deliver/ntfy.ts';
import { patienceWith } from '../plan.ts';
import { noteInLog } from '../spool.ts';
import { readBook, writeBook } from './book-file.ts';
import { carryOut, openLoops } from './carry-out.ts';
import { listenForReplies, type Reply } from './listen.ts';
import {
  describeRequest,
  judgeReply,
  offerReplies,
  openRequests,
  pruned,
  type ReplyBook,
  type ReplyRequest,
  type Tokens,
  withUsed,
} from './reply-book.ts';

const DEFAULT_EXPIRY: Duration = 12 * 3_600_000;

interface Answer {
  readonly request: ReplyRequest;
  readonly title: string;
  readonly text: string;
}

export function replies(root: StateRoot, store: LoopStore, second: Duration, changed: () => void) {
  let book = readBook(root);
  /** How many replies are being carried out. */
  let underWay = 0;
  const listeners = new Map<string, { readonly key: string; readonly over: AbortController }>();
  const save = (next: ReplyBook): void => {
    const kept = pruned(next, Date.now());
    writeBook(root, kept);
    book = kept;
  };
  const note = (line: string): void => noteInLog(root, line);

  let turn: Promise<unknown> = Promise.resolve();
  /** One at a time: an answer from one receiver makes those from others void. */
  const inTurn = <Gives>(act: () => Promise<Gives>): Promise<Gives> => {
    const mine = turn.then(act);
    turn = mine.catch(() => undefined);
    return mine;
  };
  /** Returns the confirmation for the person; null for none. */
  const met = async (name: string, { id, message }: Reply): Promise<Answer | null> => {
    if (book.read[name] === id) return null;
    const judged = judgeReply(book, name, message, Date.now());
    const read = (): ReplyBook => ({ ...book, read: { ...book.read, [name]: id } });
    if (judged.is !== 'good') {
      save(read());
      const what = 'request' in judged ? ` (${describeRequest(judged.request)})` : '';
      note(`reply on ${name} ignored: ${IGNORED[judged.is]}${what}`);
      return null;
    }
    const { request, text } = judged;
    const done = await carryOut(store, request, text).catch((error: unknown) => ({ is: 'failed', error }) as const);
    // Marked as used only after it was done. If the sender died before this, the next one reads the message again, and
    // the loop's queue accepts its command only once.
    save(done.is === 'failed' ? read() : withUsed(read(), request, Date.now()));
    const what = describeRequest(request);
    switch (done.is) {
      case 'late':
        note(`reply on ${name} ignored: the loop has moved on: ${what}`);
        return null;
      case 'done':
        note(`reply on ${name} carried out: ${what}`);
        return { request, title: 'got your reply', text: done.says };
      case 'failed':
        note(`reply on ${name} not carried out: ${what}: ${faultMessage(done.error)}`);
        return {
          request,
          title: 'your reply failed',
          text: 'Nothing was done. You can send it again. Why: ralph notify',
        };
    }
  };
  const take = async (name: string, receiver: ReceiverOf<'ntfy'>, reply: Reply): Promise<void> => {
    underWay += 1;
    try {
      const answer = await inTurn(() => met(name, reply));
      if (answer !== null) await tell(receiver, answer);
    } finally {
      underWay -= 1;
      changed();
    }
  };
  /** Confirms the reply: the person is not at the machine and would not know otherwise. */
  const tell = (receiver: ReceiverOf<'ntfy'>, { request: { loop }, title, text }: Answer): Promise<Delivered> => {
    const notice = { event: 'report', title: titleOf('report', loop.name, title), text } as const;
    return toNtfy(receiver, notice, { priority: 2, patience: patienceWith(second) });
  };

  const listen = (name: string, receiver: ReceiverOf<'ntfy'>, key: string): void => {
    const over = new AbortController();
    listeners.set(name, { key, over });
    const since = (): string => {
      const first = Math.min(...openRequests(book, Date.now()).map(({ at }) => at), Date.now());
      return book.read[name] ?? String(Math.floor(first / 1000) - 1);
    };
    const onReply = (reply: Reply): Promise<void> => take(name, receiver, reply);
    const onTrouble = (why: string): void => note(`cannot listen for replies on ${name}: ${why}`);
    void listenForReplies({ receiver, since, onReply, onTrouble, signal: over.signal, second });
  };

  return {
    /** Whether a button can still be used, or a reply is being carried out. */
    isWaiting: (): boolean => underWay > 0 || openRequests(book, Date.now()).length > 0,
    /** Buttons for a message, saved before it is sent; null if it has none. */
    offer(name: string, receiver: ReceiverOf<'ntfy'>, notice: Notice): NtfyExtras | null {
      if (receiver.reply === undefined) return null;
      const expires = parseDuration(receiver.reply.expires ?? '') ?? DEFAULT_EXPIRY;
      const { topic } = topicOf(receiver.reply.url);
      const offer = offerReplies(notice, { receiver: name, topic, expires, now: Date.now() }, TOKENS);
      if (offer === null) return null;
      save({ ...book, requests: [...book.requests, ...offer.requests] });
      return offer.extras;
    },
    /** The message was not sent; the next try gets new buttons. */
    withdraw(name: string, { id }: Notice): void {
      const isOfIt = (request: ReplyRequest): boolean => request.notice === id && request.receiver === name;
      if (book.requests.some(isOfIt)) save({ ...book, requests: book.requests.filter((one) => !isOfIt(one)) });
    },
    /** Voids the requests that no loop waits for any more. */
    async drop(): Promise<void> {
      const asked = openRequests(book, Date.now());
      const open = new Set(await openLoops(store, asked));
      const isVoid = new Set(asked.filter((request) => !open.has(request)).map(({ hash }) => hash));
      if (isVoid.size === 0) return;
      const now = Date.now();
      const requests = book.requests.map((one) => (isVoid.has(one.hash) ? { ...one, usedAt: now } : one));
      save({ ...book, requests });
    },
    /** Listens only on receivers that have a usable button. */
    follow(settings: NotifySettings | null): void {
      const wanted = new Set(openRequests(book, Date.now()).map(({ receiver }) => receiver));
      for (const [name, { key, over }] of listeners) {
        if (wanted.has(name) && key === JSON.stringify(settings?.receivers[name])) continue;
        over.abort();
        listeners.delete(name);
      }
      for (const name of wanted) {
        const receiver = settings?.receivers[name];
        if (receiver?.kind !== 'ntfy' || receiver.reply === undefined || listeners.has(name)) continue;
        listen(name, receiver, JSON.stringify(receiver));
      }
    },
    close(): void {
      for (const { over } of listeners.values()) over.abort();
      listeners.clear();
    },
  };
}

const IGNORED = {
  unknown: 'it contains no known token',
  empty: 'it contains no answer',
  expired: 'its token has expired',
  used: 'its token was used before, or another answer came first',
} as const;

/** Without characters that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

const TOKENS: Tokens = {
  long: () => randomBytes(18).toString('base64url'),
  short: () => {
    const letters = Array.from(randomBytes(64))
      // Drop the last values, which would make some letters more likely.
      .filter((byte) => byte < 256 - (256 % LETTERS.length))
      .map((byte) => LETTERS[byte % LETTERS.length]);
    return `${letters.slice(0, 5).join('')}-${letters.slice(5, 10).join('')}`;
  },
};
