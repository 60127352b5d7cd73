/** A loop of every kind notifies its user of how it ended, with no more settings than the user's own. */
import { expect, test } from 'vitest';
import { senderGone, writeUserSettings } from '../support/notify/notified.ts';
import { httpReceiver } from '../support/notify/receiver.ts';
import { KIND_NAMES, KINDS, type KindName, type Play } from './bench.ts';

const QUICK = { env: { RALPH_NOTIFY_SECOND_MS: '10' } };

const SITUATIONS: readonly (readonly [string, Play, number, string])[] = [
  ['is done', (done) => done, 5, 'done'],
  ['reaches its limit', () => 'echo at work', 1, 'failed'],
];

const CASES = KIND_NAMES.flatMap((kind) => SITUATIONS.map((situation) => [kind, ...situation] as const));

test.each(CASES)('%s: a loop that %s', async (kind, _what, play, iterations, event) => {
  const receiver = await httpReceiver();
  const bench = KINDS[kind](play);
  writeUserSettings(bench.env.HOME ?? '', { receivers: { own: { kind: 'webhook', url: receiver.url } } });
  await bench.begin(iterations, QUICK).exited;
  const [message] = await receiver.count(1);
  await senderGone(bench.folder);
  expect(receiver.received.map(({ json }) => json.event)).toEqual([event]);
  expect(message?.json.loop).toMatchObject({ kind: kind === 'tasks' ? 'task' : kind });
  expect(message?.json.text).toMatch(/Loop \w{4,}/);
});

/** How an agent of each kind says that it needs a person, and what is asked then. */
const ASKS: Readonly<Partial<Record<KindName, readonly [play: string, question: string]>>> = {
  stories: ['echo "<promise>DECIDE:Redis or files?</promise>"', 'Redis or files?'],
  tasks: ['ralph bus post --type QUESTION --body "Redis or files?"; exit 42', 'Redis or files?'],
};

test.each(Object.entries(ASKS) as [KindName, readonly [string, string]][])(
  '%s: a loop that needs a person says what it asks, and what to type',
  async (kind, [play, question]) => {
    const receiver = await httpReceiver();
    const bench = KINDS[kind](() => play);
    writeUserSettings(bench.env.HOME ?? '', { receivers: { own: { kind: 'webhook', url: receiver.url } } });
    await bench.begin(5, { env: { ...QUICK.env, PATH: bench.typed.PATH } }).exited;
    const [message] = await receiver.count(1);
    await senderGone(bench.folder);
    expect(receiver.received).toHaveLength(1);
    expect(message?.json).toMatchObject({ event: 'blocked', question: expect.stringContaining(question) });
    expect(message?.json.next).toMatch(/^ralph answer \w+ "…" && ralph resume \w+$/);
    expect(message?.json.loop).toMatchObject({ kind: kind === 'tasks' ? 'task' : kind });
  },
);
