/** Text from an agent stays plain text, wherever it is shown. */
import { expect, test } from 'vitest';
import type { Notice } from '../../core/notice.ts';
import { deliver } from './deliver.ts';
import { topicOf } from './ntfy.ts';
import { notifySendFor, osascriptFor } from './program.ts';
import { slackText } from './slack.ts';
import { signatureOf } from './webhook.ts';

const NOTICE: Notice = {
  v: 1,
  id: 'n1',
  at: 0,
  event: 'blocked',
  title: '! shop: needs you',
  text: '<b>Now</b> & "then" <!channel> @everyone `x` $(id)" & do shell script "id',
  loop: null,
  next: 'ralph answer k3x9 "…"',
  can: [],
};

test('Slack: no link, no mention, no markup of its own', () => {
  const text = slackText({ ...NOTICE, title: '! *shop*: <x>' });
  expect(text).toContain('*! ∗shop∗: &lt;x&gt;*\n');
  expect(text).toContain('&lt;b&gt;Now&lt;/b&gt; &amp; "then" &lt;!channel&gt; @\u200beveryone');
  expect(text).toMatch(/`ralph answer k3x9 "…"`$/);
});

test('notify-send: markup is escaped, and nothing is taken for a flag', () => {
  const [program, ...args] = notifySendFor({ ...NOTICE, title: '--help' });
  expect(program).toBe('notify-send');
  expect(args.indexOf('--')).toBe(args.indexOf('--help') - 1);
  expect(args.at(-1)).toContain('&lt;b&gt;Now&lt;/b&gt; &amp;');
  expect(args).toContain('--urgency=critical');
});

test('osascript: what is said is an argument of a fixed script', () => {
  const argv = osascriptFor(NOTICE);
  const script = argv.filter((_, index) => argv[index - 1] === '-e').join('\n');
  expect(script).toBe('on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run');
  expect(argv.slice(-2)).toEqual([NOTICE.title, NOTICE.text]);
});

test.each([
  ['https://ntfy.sh/my-topic', 'https://ntfy.sh/', 'my-topic'],
  ['https://example.com/ntfy/my-topic/', 'https://example.com/ntfy', 'my-topic'],
])('the topic of %s', (url, server, topic) => {
  expect(topicOf(url)).toEqual({ server, topic });
});

test('a message that cannot be put together is refused, and nothing is thrown', async () => {
  const form = { contentType: 'application/x-www-form-urlencoded', body: 'text={text}' };
  const place = { now: 0, env: {}, platform: 'linux', patience: 2000 } as const;
  const receiver = { kind: 'webhook', url: 'http://127.0.0.1:1', ...form } as const;
  const delivered = await deliver(receiver, { ...NOTICE, text: 'half of a character: \ud83d' }, place);
  expect(delivered).toMatchObject({ is: 'refused', why: expect.stringContaining('cannot be put together') });
});

test('a signature covers the time and the body', () => {
  const one = signatureOf('key', '1', 'body');
  expect(one).toMatch(/^sha256=[0-9a-f]{64}$/);
  expect(
    new Set([one, signatureOf('key', '2', 'body'), signatureOf('key', '1', 'bodY'), signatureOf('k', '1', 'body')])
      .size,
  ).toBe(4);
});
