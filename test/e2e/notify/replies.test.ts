/** Replies: buttons in ntfy messages answer, pause and stop a waiting loop. Each works once, and expires. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readControl } from '../../../src/engine/control.ts';
import type { ReplyBook } from '../../../src/notify/replies/reply-book.ts';
import { makeNotified, type Notified } from '../../support/notify/notified.ts';
import { type NtfyServer, ntfyServer } from '../../support/notify/ntfy-server.ts';
import { DONE } from '../../support/scene.ts';

const asks = (question: string): string => `printf '<response>BLOCKED: %s</response>\\n' '${question}'`;
const PLAY = `case "$prompt" in *SQLite*|*Postgres*) ${DONE} ;; *) ${asks('Which database? (SQLite/Postgres)')} ;; esac`;
/** What Claude Code prints when a usage limit is reached. */
const LIMITED = `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + 7200 ));
  printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;
const WAITS = ['run', 'Make the tests pass.', '--on-blocked', 'wait'];

const receiversOf = (server: NtfyServer, expires = '1h', token?: string) => ({
  receivers: {
    phone: {
      kind: 'ntfy',
      url: `${server.url}/loops`,
      ...(token === undefined ? {} : { token }),
      reply: { url: `${server.url}/replies`, expires },
    },
  },
});

async function asking(expires?: string, secondMs = 20) {
  const server = await ntfyServer();
  const scene = makeNotified({ play: PLAY }, receiversOf(server, expires), secondMs);
  const loop = scene.ralph(WAITS);
  const message = await server.message('loops');
  return { server, scene, loop, message };
}

/** Resolves when the log contains the text. */
async function logged(scene: Notified, text: string): Promise<void> {
  while (!scene.log().includes(text)) await sleep(20);
}

test('a button answers the question, and the loop continues', async () => {
  const { server, scene, loop, message } = await asking();
  expect(message).toMatchObject({ title: '! work: needs you', priority: 4 });
  expect(message.message).toContain('Which database? (SQLite/Postgres)');
  expect(message.actions?.map(({ label }) => label)).toEqual(['SQLite', 'Postgres', 'Stop']);
  await server.press(message, 'SQLite');
  expect((await loop.exited).code).toBe(0);
  expect(scene.promptOf('1/work/2')).toContain('SQLite');
  const said = await server.message('loops', ({ title = '' }) => title.includes('got your reply'));
  expect(said.message).toContain('continues with your answer');
  await server.message('loops', ({ title = '' }) => title.includes('done'));
  await scene.senderGone();
  await server.followed('replies', 0);
  expect(scene.log()).toMatch(/reply on phone carried out: answer for \w+/);
});

test("an answer in the user's own words begins with the token of the message", async () => {
  const { server, scene, loop, message } = await asking();
  const [, word = ''] = /publish to replies:\n(\S+) your answer/.exec(message.message) ?? [];
  await server.publish('replies', `${word} Use Postgres, version 17.`);
  expect((await loop.exited).code).toBe(0);
  expect(scene.promptOf('1/work/2')).toContain('Use Postgres, version 17.');
  await scene.senderGone();
});

test('messages without a valid token and repeated ones are ignored, and logged', async () => {
  const { server, scene, loop, message } = await asking();
  await server.publish('replies', 'SQLite');
  await server.publish('replies', 'rm -rf / SQLite');
  await logged(scene, 'ignored: it contains no known token');
  expect(scene.starts()).toEqual(['agent 1/work/1']);
  await server.press(message, 'Postgres');
  // A different answer comes too late, and the same one is repeated.
  await server.press(message, 'SQLite');
  await server.press(message, 'Postgres');
  expect((await loop.exited).code).toBe(0);
  await scene.senderGone();
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
  expect(readControl(join(scene.state, 'ralph/loops', scene.loops()[0] ?? ''))).toMatchObject([
    { command: 'answer', text: 'Postgres' },
  ]);
  expect(scene.log().match(/ignored: its token was used before, or another answer came first/g)).toHaveLength(2);
  // No file on disk contains a token.
  const [button] = message.actions ?? [];
  expect(scene.read('state/ralph/notify/replies.json')).not.toContain(button?.body ?? 'x');
  expect(scene.log()).not.toContain(button?.body ?? 'x');
});

test('an expired button does nothing, even while the sender listens for another one', async () => {
  const { server, scene, loop, message } = await asking('2s');
  scene.notify(receiversOf(server, '1h'));
  await scene.shell('mkdir -p ../other/.ralph; cp .ralph/settings.json ../other/.ralph');
  const other = scene.ralph(WAITS, join(scene.folder, 'other'));
  const second = await server.message('loops', ({ title }) => title === '! other: needs you');
  const { requests } = JSON.parse(scene.read('state/ralph/notify/replies.json')) as ReplyBook;
  const expiresAt = Math.min(...requests.map((request) => request.expiresAt));
  while (Date.now() <= expiresAt) await sleep(20);
  await server.press(message, 'SQLite');
  await logged(scene, 'ignored: its token has expired (answer for ');
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/1']);
  await server.press(second, 'SQLite');
  expect((await other.exited).code).toBe(0);
  await scene.shell('ralph answer "Use Postgres."');
  expect((await loop.exited).code).toBe(0);
  await scene.senderGone();
});

test('a button does nothing if the question was answered with ralph answer meanwhile', async () => {
  // The sender checks the loop only after twelve seconds, so it still accepts the button when it is pressed.
  const { server, scene, loop, message } = await asking('1h', 200);
  await server.followed('replies', 1);
  await scene.shell('ralph answer "Use Postgres."');
  expect((await loop.exited).code).toBe(0);
  await server.press(message, 'SQLite');
  await logged(scene, 'reply on phone ignored: the loop has moved on: answer for ');
  const sent = readControl(join(scene.state, 'ralph/loops', scene.loops()[0] ?? ''));
  expect(sent).toMatchObject([{ command: 'answer', text: 'Use Postgres.' }]);
  await scene.killSender();
});

test('the Stop button stops a waiting loop', async () => {
  const { server, scene, loop, message } = await asking();
  await server.press(message, 'Stop');
  expect((await loop.exited).code).toBe(130);
  await scene.senderGone();
  expect(scene.starts()).toEqual(['agent 1/work/1']);
});

test('buttons pause and stop a loop that waits for a usage limit', async () => {
  const server = await ntfyServer();
  const scene = makeNotified({ play: LIMITED, agent: 'claude' }, receiversOf(server), 20);
  const loop = scene.ralph(['run', '-p', 'x']);
  const message = await server.message('loops');
  expect(message.actions?.map(({ label }) => label)).toEqual(['Pause', 'Stop']);
  await server.press(message, 'Pause');
  await scene.journalSays('"command":"pause"');
  await server.press(message, 'Stop');
  expect((await loop.exited).code).toBe(130);
  await scene.senderGone();
  const said = server.messages.filter(({ title = '' }) => title.includes('got your reply')).map((one) => one.message);
  expect(said.map((text) => text.replace(/Loop \w+/, 'Loop'))).toEqual(['Loop pauses now.', 'Loop stops now.']);
});

test('a button that was pressed while no sender ran takes effect when the next one starts', async () => {
  const { server, scene, loop, message } = await asking();
  await server.followed('replies', 1);
  await scene.killSender();
  await server.followed('replies', 0);
  await server.press(message, 'SQLite');
  // Another loop starts the sender again, even though it sends nothing itself.
  const other = await scene.shell(
    'mkdir -p ../other/.ralph && echo \'{"agent": {"command": "agent"}, "notify": {"mute": true}}\' >../other/.ralph/settings.json && cd ../other && ralph run -p "Use SQLite"',
  );
  expect(other.code).toBe(0);
  expect((await loop.exited).code).toBe(0);
  await scene.senderGone();
});

test('a button whose reply failed can be pressed again, until it has taken effect once', async () => {
  const server = await ntfyServer();
  const scene = makeNotified({ play: PLAY }, receiversOf(server), 20);
  await scene.ralph(['run', 'Make the tests pass.']).exited;
  const message = await server.message('loops');
  const loop = join(scene.state, 'ralph/loops', scene.loops()[0] ?? '');
  // Makes it impossible to write to the loop's queue.
  rmSync(join(loop, 'control'), { recursive: true, force: true });
  writeFileSync(join(loop, 'control'), '');
  await server.press(message, 'SQLite');
  const failed = await server.message('loops', ({ title = '' }) => title.includes('your reply failed'));
  expect(failed.message).toBe('Nothing was done. You can send it again. Why: ralph notify');
  expect(scene.log()).toMatch(/reply on phone not carried out: answer for \w+: .*control/);
  expect((await scene.shell('ralph notify')).stdout).toContain('not carried out: answer for');
  rmSync(join(loop, 'control'));
  await server.press(message, 'SQLite');
  await server.message('loops', ({ title = '' }) => title.includes('got your reply'));
  await scene.senderGone();
  expect(readControl(loop)).toMatchObject([{ command: 'answer', text: 'SQLite' }]);
});

test('a reply takes effect once, even if the sender dies before it has recorded that', async () => {
  const server = await ntfyServer();
  const scene = makeNotified({ play: LIMITED, agent: 'claude' }, receiversOf(server), 20);
  const loop = scene.ralph(['run', '-p', 'x']);
  const message = await server.message('loops');
  const folder = join(scene.state, 'ralph/loops', scene.loops()[0] ?? '');
  await server.followed('replies', 1);
  const before = scene.read('state/ralph/notify/replies.json');
  await server.press(message, 'Pause');
  await logged(scene, 'carried out: pause');
  await scene.killSender();
  scene.write('state/ralph/notify/replies.json', before);
  await scene.shell(
    'mkdir -p ../other/.ralph && echo \'{"agent": {"command": "true"}, "notify": {"mute": true}}\' >../other/.ralph/settings.json && cd ../other && ralph run -p x -m 1',
  );
  while ((scene.log().match(/carried out: pause/g) ?? []).length < 2) await sleep(20);
  expect(readControl(folder).map(({ command }) => command)).toEqual(['pause']);
  await server.press(message, 'Stop');
  expect((await loop.exited).code).toBe(130);
  await scene.senderGone();
});

test('the sender reconnects after a broken connection', async () => {
  const { server, scene, loop, message } = await asking();
  await server.followed('replies', 1);
  server.hangUp('replies');
  await server.followed('replies', 0);
  await server.followed('replies', 1);
  await server.press(message, 'SQLite');
  expect((await loop.exited).code).toBe(0);
  await scene.senderGone();
});

describe('a loop that ended with its question', () => {
  test('keeps the answer until it is resumed', async () => {
    const server = await ntfyServer('tk_s3cret');
    const scene = makeNotified({ play: PLAY }, receiversOf(server, '1h', 'tk_s3cret'), 20);
    expect((await scene.ralph(['run', 'Make the tests pass.']).exited).code).toBe(5);
    const message = await server.message('loops');
    expect(message.actions?.map(({ label }) => label)).toEqual(['SQLite', 'Postgres']);
    await server.press(message, 'SQLite');
    const said = await server.message('loops', ({ title = '' }) => title.includes('got your reply'));
    expect(said.message).toMatch(/Your answer is kept\. To continue, run: ralph resume \w+/);
    expect((await scene.shell('ralph resume')).code).toBe(0);
    await scene.senderGone();
    expect(scene.promptOf('1/work/2')).toContain('SQLite');
    expect(scene.log()).not.toContain('tk_s3cret');
  });

  test('has no open buttons after ralph answer, and the sender exits', async () => {
    const server = await ntfyServer();
    const scene = makeNotified({ play: PLAY }, receiversOf(server), 20);
    await scene.ralph(['run', 'Make the tests pass.']).exited;
    await server.followed('replies', 1);
    await scene.shell('ralph answer "Use SQLite."');
    await scene.senderGone();
    await server.followed('replies', 0);
    const { stdout } = await scene.shell('ralph notify --json');
    expect(JSON.parse(stdout)).toMatchObject({ openReplies: 0, sender: null, queued: [] });
  });
});

test('a question keeps its buttons when many loops end at the same time', async () => {
  const server = await ntfyServer();
  // With real seconds, all of them end before the sender sends.
  const scene = makeNotified({ play: PLAY }, receiversOf(server), 1000);
  const copies = ['a', 'b', 'c', 'd'].map(
    (name) =>
      `(mkdir -p ../${name}/.ralph; cp .ralph/settings.json ../${name}/.ralph; cd ../${name}; ralph run -q -p SQLite) &`,
  );
  await scene.shell(`${copies.join(' ')} ralph run -q "Make the tests pass."; wait`);
  const asked = await server.message('loops', ({ title }) => title === '! work: needs you');
  expect(asked.actions?.map(({ label }) => label)).toEqual(['SQLite', 'Postgres']);
  expect(asked.message).toContain('To answer in your own words');
  await server.message('loops', ({ title }) => title === 'ralph: 4 done');
  expect(server.messages).toHaveLength(2);
  await scene.killSender();
});
