/** Loops notify people: messages are queued, and a separate process sends them, whatever the receivers do. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newNoticeId, queueNotice } from '../../../src/notify/spool.ts';
import { makeNotified } from '../../support/notify/notified.ts';
import { answers, hangs, httpReceiver } from '../../support/notify/receiver.ts';
import { DONE } from '../../support/scene.ts';

test('a loop that is done sends a signed message, and leaves nothing behind', async () => {
  const receiver = await httpReceiver();
  const scene = makeNotified(
    { play: DONE },
    { receivers: { own: { kind: 'webhook', url: receiver.url, secret: 's3cret' } } },
  );
  expect((await scene.run()).code).toBe(0);
  const [message] = await receiver.count(1);
  await scene.senderGone();
  expect(scene.queued()).toEqual([]);
  expect(message?.json).toMatchObject({ event: 'done', title: '✓ work: done', loop: { kind: 'run', place: 'work' } });
  expect(message?.json.text).toContain('Done in 1 iteration');
  const { 'x-ralph-timestamp': time, 'x-ralph-signature': signature } = message?.headers ?? {};
  const expected = createHmac('sha256', 's3cret')
    .update(`${String(time)}.${message?.body}`)
    .digest('hex');
  expect(signature).toBe(`sha256=${expected}`);
  expect(receiver.received).toHaveLength(1);
});

describe('a receiver that hangs', () => {
  test('does not delay a loop, which continues and ends while the request is open', async () => {
    const receiver = await httpReceiver(hangs);
    const play = `case "$prompt" in *SQLite*) ${DONE} ;; *) echo "<response>BLOCKED: which one?</response>" ;; esac`;
    // With real seconds, the request stays open for ten of them.
    const scene = makeNotified({ play }, { receivers: { own: { kind: 'webhook', url: receiver.url } } }, 1000);
    const loop = scene.ralph(['run', 'Make the tests pass.', '--on-blocked', 'wait']);
    await receiver.count(1);
    expect((await scene.shell('ralph answer "Use SQLite."')).code).toBe(0);
    expect((await loop.exited).code).toBe(0);
    expect(receiver.open()).toBe(1);
    expect(receiver.received).toHaveLength(1);
    // Both messages are kept until they are accepted, even if the sender is killed.
    expect(scene.queued()).toHaveLength(2);
    await scene.killSender();
    expect(scene.queued()).toHaveLength(2);
  });
});

describe('a receiver that is down', () => {
  test('is retried until it accepts the message', async () => {
    const receiver = await httpReceiver(answers(500, 503, 200));
    const scene = makeNotified({ play: DONE }, { receivers: { own: { kind: 'slack', url: receiver.url } } });
    await scene.run();
    const messages = await receiver.count(3);
    await scene.senderGone();
    expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
    expect(scene.log()).toBe('');
    expect(scene.queued()).toEqual([]);
  });

  test('is given up after six attempts, which `ralph notify` shows without its address', async () => {
    const receiver = await httpReceiver(answers(500));
    const scene = makeNotified(
      { play: DONE },
      { receivers: { own: { kind: 'slack', url: `${receiver.url}/T0/secret` } } },
      2,
    );
    await scene.run();
    await receiver.count(6);
    await scene.senderGone();
    expect(receiver.received).toHaveLength(6);
    expect(scene.queued()).toEqual([]);
    const { stdout } = await scene.shell('ralph notify');
    expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(
      / \d\d:\d\d {2}"✓ work: done" was not delivered to own: 127\.0\.0\.1:\d+ answered HTTP 500 \(given up after 6 tries\)\n/,
    );
    expect(stdout).not.toContain('secret');
  });

  test('does not delay others; one that refuses a message is not retried', async () => {
    const [refusing, good] = [await httpReceiver(answers(404)), await httpReceiver()];
    const receivers = { bad: { kind: 'slack', url: refusing.url }, good: { kind: 'slack', url: good.url } };
    const scene = makeNotified({ play: DONE }, { receivers });
    await scene.run();
    await good.count(1);
    await scene.senderGone();
    expect(refusing.received).toHaveLength(1);
    expect(scene.log()).toContain('"✓ work: done" was not delivered to bad: 127.0.0.1');
  });
});

test('the next loop sends the messages that a killed sender left', async () => {
  const receiver = await httpReceiver((index, response) => void (index === 0 || response.writeHead(200).end()));
  const scene = makeNotified({ play: DONE }, { receivers: { own: { kind: 'webhook', url: receiver.url } } }, 100);
  await scene.run();
  const [first] = await receiver.count(1);
  await scene.killSender();
  await scene.run();
  await receiver.count(3);
  await scene.senderGone();
  const ids = receiver.received.map(({ headers }) => headers['x-ralph-id']);
  expect(ids.filter((id) => id === first?.headers['x-ralph-id'])).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

test('while the settings are invalid, the sender uses the previous ones', async () => {
  const receiver = await httpReceiver(answers(503, 503, 200));
  const settings = { receivers: { own: { kind: 'webhook', url: `${receiver.url}/s3cret`, secret: 's3cret' } } };
  const scene = makeNotified({ play: DONE }, settings, 100);
  await scene.run();
  await receiver.count(1);
  scene.write('.config/ralph/settings.json', JSON.stringify({ notify: settings }).slice(0, -4));
  await receiver.count(3);
  await scene.senderGone();
  expect(receiver.received).toHaveLength(3);
  expect(scene.queued()).toEqual([]);
  expect(scene.log()).toMatch(/the previous settings are used: .*settings\.json/);
  expect(scene.log()).not.toContain('s3cret');
});

test('a receiver is not retried before the time in its Retry-After header', async () => {
  const at: number[] = [];
  const receiver = await httpReceiver((index, response) => {
    at.push(performance.now());
    if (index > 0) response.writeHead(200).end();
    else response.writeHead(429, { 'retry-after': '2' }).end();
  });
  const scene = makeNotified({ play: DONE }, { receivers: { own: { kind: 'slack', url: receiver.url } } });
  await scene.run();
  await receiver.count(2);
  await scene.senderGone();
  const [first = 0, second = 0] = at;
  expect(second - first).toBeGreaterThan(1900);
});

test('redirects are not followed, because the message and its signature are for one address', async () => {
  const other = await httpReceiver();
  const receiver = await httpReceiver((_index, response) => {
    response.writeHead(307, { location: other.url }).end();
  });
  const scene = makeNotified({ play: DONE }, { receivers: { own: { kind: 'webhook', url: receiver.url } } });
  await scene.run();
  await receiver.count(1);
  await scene.senderGone();
  expect([receiver.received.length, other.received.length]).toEqual([1, 0]);
  expect(scene.log()).toMatch(/"✓ work: done" was not delivered to own: 127\.0\.0\.1:\d+ answered HTTP 307/);
});

test('a message that is older than 36 hours is dropped', async () => {
  const receiver = await httpReceiver();
  const scene = makeNotified({ play: DONE }, { receivers: { own: { kind: 'webhook', url: receiver.url } } }, 1000);
  const HOUR = 3_600_000;
  for (const [hours, title] of [
    [37, 'too old'],
    [35, 'not too old'],
  ] as const) {
    const at = Date.now() - hours * HOUR;
    const notice = { v: 1, id: newNoticeId(at), at, event: 'done', title, text: 'x', loop: null, can: [] } as const;
    queueNotice({ path: join(scene.state, 'ralph') }, notice);
  }
  expect((await scene.shell('ralph notify send')).code).toBe(0);
  expect(receiver.received.map(({ json }) => json.title)).toEqual(['not too old']);
  expect(scene.log()).toContain('"too old" was not delivered to own: too old');
  expect(scene.queued()).toEqual([]);
});
