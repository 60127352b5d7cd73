/** A loop inside a session notifies, too: its hook queues the message, and another process sends it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { senderGone, writeUserSettings } from '../../support/notify/notified.ts';
import { httpReceiver } from '../../support/notify/receiver.ts';
import { DONE, hookedSession } from '../../support/session/session-loop.ts';

const QUICK = { RALPH_NOTIFY_SECOND_MS: '10' };

test('a loop inside a session notifies of its end, done or at its limit, but not of each turn', async () => {
  const receiver = await httpReceiver();
  const session = hookedSession({ env: QUICK });
  writeUserSettings(session.state, { receivers: { own: { kind: 'webhook', url: receiver.url } } });
  await session.type('ralph-loop', '"fix it"');
  await session.stop('not yet', { toolCalls: 1 });
  expect(existsSync(join(session.state, 'ralph/notify'))).toBe(false);
  await session.stop(DONE, { toolCalls: 1 });
  expect(session.isActive()).toBe(false);
  const [message] = await receiver.count(1);
  await senderGone(session.state);
  expect(message?.json).toMatchObject({ event: 'done', loop: { kind: 'session' } });
  expect(receiver.received).toHaveLength(1);

  await session.type('ralph-loop', '"fix it" --max-iterations 1');
  for (const words of ['not yet', 'still not']) await session.stop(words, { toolCalls: 1 });
  expect(session.isActive()).toBe(false);
  const [, failed] = await receiver.count(2);
  await senderGone(session.state);
  expect(failed?.json).toMatchObject({ event: 'failed', loop: { kind: 'session' } });
  expect(failed?.json.title).toMatch(/: stopped at its limit of iterations$/);
});

test('a loop inside a session queues nothing if its project is muted, or if there are no receivers', async () => {
  const receiver = await httpReceiver();
  const own = { kind: 'webhook', url: receiver.url };
  for (const [receivers, mute] of [
    [{}, false],
    [{ own }, true],
  ] as const) {
    const session = hookedSession({ env: QUICK });
    writeUserSettings(session.state, { receivers });
    mkdirSync(join(session.work, '.ralph'));
    writeFileSync(join(session.work, '.ralph/settings.json'), JSON.stringify({ notify: { mute } }));
    await session.type('ralph-loop', '"fix it"');
    await session.stop(DONE, { toolCalls: 1 });
    expect(session.isActive()).toBe(false);
    expect(existsSync(join(session.state, 'ralph/notify'))).toBe(false);
  }
  expect(receiver.received).toEqual([]);
});

test('the user is notified if the agent stops before the loop is done, and how to continue it', async () => {
  const receiver = await httpReceiver();
  const session = hookedSession({ env: { ...QUICK, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' } });
  writeUserSettings(session.state, { receivers: { own: { kind: 'webhook', url: receiver.url } } });
  await session.type('ralph-loop', '"x" --max-iterations 9');
  await session.stop('a');
  expect((await session.stop('b', { input: { stop_hook_active: true } })).systemMessage).toContain('CAP_REACHED');
  const [message] = await receiver.count(1);
  await senderGone(session.state);
  expect(message?.json).toMatchObject({ event: 'blocked', next: '/ralph-loop --resume', loop: { kind: 'session' } });
  expect(message?.json.title).toMatch(/: needs you$/);
  expect(message?.json.text).toMatch(/^Its agent stopped\.\nLoop \w+$/);
});
