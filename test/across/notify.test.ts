/** A loop of every kind notifies its user of how it ended, with no more settings than the user's own. */
import { expect, test } from 'vitest';
import { senderGone, writeUserSettings } from '../support/notify/notified.ts';
import { httpReceiver } from '../support/notify/receiver.ts';
import { KIND_NAMES, KINDS, type Play } from './bench.ts';

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
