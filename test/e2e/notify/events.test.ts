/** Which events are sent to which receivers, and when: routing, projects, many messages at once, and quiet hours. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeNotified } from '../../support/notify/notified.ts';
import { httpReceiver } from '../../support/notify/receiver.ts';
import { DONE } from '../../support/scene.ts';

const eventsIn = ({ received }: { received: readonly { json: Readonly<Record<string, unknown>> }[] }) =>
  received.map(({ json }) => json.event);

const webhook = ({ url }: { url: string }, more: object = {}) => ({ kind: 'webhook', url, ...more });

const LIMITED = `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + 1 ));
   printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;

test('messages are sent for a usage limit, when it is lifted, and at the end', async () => {
  const receiver = await httpReceiver();
  const play = `[ "$(grep -c agent "$SCENE/starts.log")" -gt 1 ] || { ${LIMITED}; }; claude_says "<response>DONE</response>"; claude_result done`;
  const scene = makeNotified({ play, agent: 'claude' }, { receivers: { own: webhook(receiver) } }, 1);
  expect((await scene.run()).code).toBe(0);
  await receiver.that(({ json }) => json.event === 'done');
  await scene.senderGone();
  expect(eventsIn(receiver)).toEqual(['limited', 'lifted', 'done']);
  expect(receiver.received[0]?.json.text).toMatch(/no more\nThe loop waits until /);
});

test('messages are sent when a budget is nearly used up, and when it is used up', async () => {
  const receiver = await httpReceiver();
  const play = 'claude_says more; claude_result more';
  const scene = makeNotified({ play, agent: 'claude' }, { receivers: { own: webhook(receiver) } }, 1);
  expect((await scene.run('--max-cost', '0.6')).code).toBe(8);
  await receiver.that(({ json }) => String(json.title).includes('used up'));
  await scene.senderGone();
  expect(eventsIn(receiver)).toEqual(['budget', 'budget']);
  expect(receiver.received[0]?.json.text).toContain('83 % of a budget is used.');
});

test('a message is sent if a loop was tampered with, even if its project is muted', async () => {
  const receiver = await httpReceiver();
  const play = 'for file in "$XDG_STATE_HOME"/ralph/loops/*/journal.jsonl; do echo "{}" >>"$file"; done; echo working';
  const scene = makeNotified({ play, settings: { notify: { mute: true } } }, { receivers: { own: webhook(receiver) } });
  expect((await scene.run()).code).toBe(9);
  await receiver.count(1);
  await scene.senderGone();
  expect(eventsIn(receiver)).toEqual(['tampered']);
});

test('each receiver gets its own events', async () => {
  const [all, failures] = [await httpReceiver(), await httpReceiver()];
  const receivers = { all: webhook(all), failures: webhook(failures, { events: ['failed'] }) };
  const scene = makeNotified({ play: `case "$prompt" in *good*) ${DONE} ;; *) echo bad ;; esac` }, { receivers });
  expect((await scene.ralph(['run', '-p', 'good']).exited).code).toBe(0);
  await all.count(1);
  await scene.senderGone();
  expect((await scene.ralph(['run', '-p', 'x', '-m', '1']).exited).code).toBe(1);
  await failures.count(1);
  await all.count(2);
  await scene.senderGone();
  expect(eventsIn(all)).toEqual(['done', 'failed']);
  expect(eventsIn(failures)).toEqual(['failed']);
});

describe('a project', () => {
  test('can mute its loops, or choose events', async () => {
    const receiver = await httpReceiver();
    const scene = makeNotified(
      { play: DONE, settings: { notify: { events: ['failed'] } } },
      { receivers: { own: webhook(receiver) } },
    );
    expect((await scene.run()).code).toBe(0);
    expect(scene.queued()).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  test('cannot add a receiver: the loop does not begin', async () => {
    const scene = makeNotified(
      { play: DONE, settings: { notify: { receivers: { evil: { kind: 'command', command: ['touch', 'x'] } } } } },
      { receivers: { desk: { kind: 'desktop' } } },
    );
    const { code, stderr } = await scene.run();
    expect(code).toBe(2);
    expect(stderr).toContain('notify.receivers must be in your own settings (~/.config/ralph/settings.json)');
    expect(scene.loops()).toEqual([]);
  });

  test("a mistake in the user's own settings is reported before a loop begins, without the secret", async () => {
    const scene = makeNotified({ play: DONE }, { receivers: { chat: { kind: 'slack', url: 'hooks.example/s3cret' } } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(2);
    expect(stderr).toContain('notify.receivers.chat.url must be a URL');
    expect(stderr).not.toContain('s3cret');
    expect(scene.starts()).toEqual([]);
  });

  test.each([
    ['a syntax error', '{"notify": {"receivers": {"phone": {"kind": "ntfy", "token": tk_s3cret}}}}'],
    ['a wrong value of something else', '{"maximumIterations": "s3cret", "notify": {"receivers": {"desk": "s3cret"}}}'],
  ])("%s in the user's own settings is reported with its position, without any of the text", async (_what, text) => {
    const scene = makeNotified({ play: DONE }, {});
    scene.write('.config/ralph/settings.json', text);
    for (const line of ['ralph run -p x', 'ralph notify', 'ralph notify test']) {
      const { code, stdout, stderr } = await scene.shell(line);
      expect(code).toBe(2);
      expect(stderr).toMatch(/settings\.json:1:\d+: /);
      expect(stdout + stderr).not.toContain('s3cret');
    }
  });
});

test('many messages at once are sent as one summary', async () => {
  const receiver = await httpReceiver();
  // With real seconds, all of them end before the sender sends.
  const scene = makeNotified({ play: DONE }, { receivers: { own: webhook(receiver) } }, 1000);
  const starts = [1, 2, 3, 4].map(
    (n) => `(mkdir -p ../w${n}/.ralph; cp .ralph/settings.json ../w${n}/.ralph; cd ../w${n}; ralph run -q -p x) &`,
  );
  expect((await scene.shell(`${starts.join(' ')} wait`)).code).toBe(0);
  await receiver.count(1);
  await scene.senderGone();
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.json).toMatchObject({ event: 'summary', title: 'ralph: 4 done', loop: null });
  const messages = receiver.received[0]?.json.messages as { event: string; loop: { place: string } }[];
  expect(messages.map(({ event, loop }) => `${event} ${loop.place}`).sort()).toEqual(
    [1, 2, 3, 4].map((n) => `done w${n}`),
  );
  for (const n of [1, 2, 3, 4]) expect(receiver.received[0]?.json.text).toContain(`✓ w${n}: done`);
});

describe('quiet hours', () => {
  /** The time of day in so many hours. */
  const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toTimeString().slice(0, 5);

  test('delay a message, but not a question', async () => {
    const receiver = await httpReceiver();
    const play = `case "$prompt" in *good*) ${DONE} ;; *) echo "<response>BLOCKED: Which one?</response>" ;; esac`;
    const quietHours = `${clock(-1)}-${clock(1)}`;
    const scene = makeNotified({ play }, { quietHours, receivers: { own: webhook(receiver) } });
    expect((await scene.ralph(['run', '-p', 'good']).exited).code).toBe(0);
    expect((await scene.ralph(['run', 'Ask me.']).exited).code).toBe(5);
    await receiver.count(1);
    expect(eventsIn(receiver)).toEqual(['blocked']);
    while (scene.queued().length > 1) await sleep(10);
    expect((await scene.shell('ralph notify')).stdout).toMatch(
      /Quiet hours: .* now until (\w{3} )?\d\d:\d\d; still sent: blocked, tampered/,
    );
    // When quiet hours end, because the settings change, the delayed message is sent.
    scene.notify({ quietHours: `${clock(2)}-${clock(3)}`, receivers: { own: webhook(receiver) } });
    await receiver.that(({ json }) => json.event === 'done');
    await scene.senderGone();
    expect(eventsIn(receiver)).toEqual(['blocked', 'done']);
  });
});

test('ralph report --notify says that the report is ready', async () => {
  const receiver = await httpReceiver();
  const scene = makeNotified({ play: DONE }, { receivers: { own: webhook(receiver, { events: ['report'] }) } });
  await scene.run();
  expect((await scene.shell('ralph report -o night.html --notify')).code).toBe(0);
  const [message] = await receiver.count(1);
  await scene.senderGone();
  expect(message?.json).toMatchObject({ event: 'report', title: '● ralph: report ready', loop: null });
  expect(message?.json.text).toMatch(/✓ work: .*\nReport: night\.html$/s);
});

test('a loop in the background notifies as well', async () => {
  const receiver = await httpReceiver();
  const scene = makeNotified({ play: DONE }, { receivers: { own: webhook(receiver) } });
  expect((await scene.shell('ralph run -p x --detach')).code).toBe(0);
  await receiver.count(1);
  await scene.senderGone();
  expect(eventsIn(receiver)).toEqual(['done']);
});
