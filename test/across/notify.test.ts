/** A loop of every kind notifies its user of how it ended, using only the user's own settings. */
import { expect, test } from 'vitest';
import { senderGone, writeUserSettings } from '../support/notify/notified.ts';
import { httpReceiver } from '../support/notify/receiver.ts';
import { KIND_NAMES, KINDS, type KindName, leftLongAgo, type Play } from './bench.ts';

const QUICK = { env: { RALPH_NOTIFY_SECOND_MS: '10' } };

const SITUATIONS: readonly (readonly [string, Play, number, string])[] = [
  ['is done', (done) => done, 5, 'done'],
  ['reaches its limit', () => 'echo at work', 1, 'failed'],
];

const TAMPERS = `for file in "\${XDG_STATE_HOME:-$HOME/.local/state}"/ralph/loops/*/journal.jsonl; do
    echo "{}" >>"$file"
  done; echo working`;

const CASES = [
  ...KIND_NAMES.flatMap((kind) => SITUATIONS.map((situation) => [kind, ...situation] as const)),
  ...KIND_NAMES.map((kind) => [kind, 'was tampered with', () => TAMPERS, 5, 'tampered'] as const),
];

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

/** How an agent of each kind says that it needs a person, and its question. */
const ASKS: Readonly<Partial<Record<KindName, readonly [play: string, question: string]>>> = {
  stories: ['echo "<promise>DECIDE:Redis or files?</promise>"', 'Redis or files?'],
  tasks: ['ralph bus post --type QUESTION --body "Redis or files?"; exit 42', 'Redis or files?'],
};

test.each(Object.entries(ASKS) as [KindName, readonly [string, string]][])(
  '%s: the message of a loop that needs a person has its question and the command to type',
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

/** What Claude Code prints when a usage limit is reached; this one lasts a second. */
const LIMITED = `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + 1 ));
  printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;

const AT_ONCE = { RALPH_NOTIFY_SECOND_MS: '1' };

/**
 * Starts a loop whose agent reports its cost and when a usage limit ends. For `ralph run`, see
 * `test/e2e/notify/events.test.ts`.
 */
async function begun(kind: 'stories' | 'tasks', play: Play, flags: readonly string[] = []) {
  const receiver = await httpReceiver();
  const bench = KINDS[kind](play, 'claude');
  writeUserSettings(bench.env.HOME ?? '', { receivers: { own: { kind: 'webhook', url: receiver.url } } });
  const program = bench.begin(5, { env: AT_ONCE, flags });
  const told = async () => {
    await program.exited;
    await senderGone(bench.folder);
    return receiver.received.map(({ json }) => json.event);
  };
  return { receiver, bench, program, told };
}

const ONCE_LIMITED: Play = (done) =>
  `[ -e "$HOME/limited" ] || { touch "$HOME/limited"; ${LIMITED}; }; ${done}; claude_says ok; claude_result ok`;

test('stories: messages are sent for a usage limit, when it is lifted, and at the end', async () => {
  const { receiver, told } = await begun('stories', ONCE_LIMITED);
  await receiver.count(3);
  expect(await told()).toEqual(['limited', 'lifted', 'done']);
  expect(receiver.received[0]?.json.text).toMatch(/no more\nThe loop waits until /);
});

test('tasks: the same messages are sent, even if another supervisor continues the loop', async () => {
  const { receiver, bench, program, told } = await begun('tasks', ONCE_LIMITED);
  const [message] = await receiver.count(1);
  expect(message?.json.text).toMatch(/no more\nThe loop waits until /);
  process.kill(program.pid, 'SIGKILL');
  await program.exited;
  // The wait, a minute or more, is over when another supervisor takes over.
  leftLongAgo(bench);
  expect(await bench.resume({ env: AT_ONCE }).exited).toMatchObject({ code: 0 });
  await receiver.count(3);
  expect(await told()).toEqual(['limited', 'lifted', 'done']);
});

test.each(['stories', 'tasks'] as const)('%s: notifies of a budget nearly used up, and used up', async (kind) => {
  const { receiver, told } = await begun(kind, () => 'claude_says more; claude_result more', ['--max-cost', '0.6']);
  await receiver.count(2);
  expect(await told()).toEqual(['budget', 'budget']);
  expect(receiver.received[0]?.json.text).toContain('83 % of a budget is used.');
  expect(receiver.received[1]?.json.title).toContain('used up');
});
