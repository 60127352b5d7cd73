/**
 * Receivers of every kind, and `ralph notify test`. There is no desktop in tests, so fakes of notify-send and osascript
 * record how they were called.
 */
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toDesktop } from '../../../src/notify/deliver/program.ts';
import { makeNotified } from '../../support/notify/notified.ts';
import { ntfyServer } from '../../support/notify/ntfy-server.ts';
import { answers, hangs, httpReceiver } from '../../support/notify/receiver.ts';
import { DONE, ROOT, type Scene } from '../../support/scene.ts';

/** Records its arguments, stdin and some variables in JSON. */
const WRITES_DOWN = `#!/usr/bin/env node
const { writeFileSync, readFileSync } = require('node:fs');
const stdin = process.argv[1].endsWith('own') ? readFileSync(0, 'utf8') : '';
const { RALPH_NOTIFY_TITLE, RALPH_NOTIFY_QUESTION } = process.env;
writeFileSync(process.env.SCENE + '/called.json', JSON.stringify({ args: process.argv.slice(2), stdin, RALPH_NOTIFY_TITLE, RALPH_NOTIFY_QUESTION }));
`;

interface Called {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly RALPH_NOTIFY_TITLE?: string;
  readonly RALPH_NOTIFY_QUESTION?: string;
}

function standIn(scene: Scene, name: string): void {
  scene.write(`bin/${name}`, WRITES_DOWN);
  chmodSync(join(scene.folder, 'bin', name), 0o755);
}

const called = (scene: Scene): Called => JSON.parse(scene.read('called.json')) as Called;

/** A port on which no program listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const ASKS = `printf '%s\\n' '<response>BLOCKED: <b>Now</b> & "then"? $(touch /tmp/x)</response>'`;

test('desktop: notify-send gets the text with markup escaped', async () => {
  const scene = makeNotified({ play: ASKS }, { receivers: { desk: { kind: 'desktop' } } });
  standIn(scene, 'notify-send');
  expect((await scene.ralph(['run', 'Ask me.']).exited).code).toBe(5);
  await scene.senderGone();
  const { args } = called(scene);
  expect(args.slice(0, 4)).toEqual(['--app-name=ralph', '--urgency=critical', '--', '! work: needs you']);
  expect(args[4]).toMatch(/^&lt;b&gt;Now&lt;\/b&gt; &amp; "then"\? \$\(touch \/tmp\/x\)\n/);
  expect(scene.queued()).toEqual([]);
});

test('desktop of a Mac: osascript gets the text as arguments', async () => {
  const scene = makeNotified({ play: DONE }, {});
  standIn(scene, 'osascript');
  const notice = {
    v: 1,
    id: 'x',
    at: 0,
    event: 'done',
    title: '✓ "shop"',
    text: '" & (do shell script "id") & "',
    loop: null,
    can: [],
  } as const;
  const delivered = await toDesktop(notice, { env: scene.env, platform: 'darwin', patience: 20_000 });
  expect(delivered).toEqual({ is: 'sent', says: 'osascript: exit 0' });
  const { args } = called(scene);
  expect(args.slice(-2)).toEqual([notice.title, notice.text]);
  expect(args.slice(0, -2).join(' ')).not.toContain('shell script');
});

test('command: the message is passed on stdin and in variables, never in the arguments', async () => {
  const scene = makeNotified(
    { play: ASKS },
    { receivers: { own: { kind: 'command', command: ['own', 'a b', '{title}'] } } },
  );
  standIn(scene, 'own');
  await scene.ralph(['run', 'Ask me.']).exited;
  await scene.senderGone();
  const { args, stdin, RALPH_NOTIFY_TITLE, RALPH_NOTIFY_QUESTION } = called(scene);
  expect(args).toEqual(['a b', '{title}']);
  const message = JSON.parse(stdin) as Record<string, unknown>;
  expect(message).toMatchObject({ event: 'blocked', title: '! work: needs you', loop: { place: 'work' } });
  // The same keys as in a webhook.
  expect(Object.keys(message)).toEqual(['id', 'time', 'event', 'title', 'text', 'loop', 'question', 'next']);
  expect(message.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(RALPH_NOTIFY_TITLE).toBe('! work: needs you');
  expect(RALPH_NOTIFY_QUESTION).toBe('<b>Now</b> & "then"? $(touch /tmp/x)');
});

test('webhook: the body can be a template, for Discord or a form', async () => {
  const [discord, form] = [await httpReceiver(), await httpReceiver()];
  const receivers = {
    discord: {
      kind: 'webhook',
      url: discord.url,
      body: { content: '**{title}**\n{text}', allowed_mentions: { parse: [] } },
    },
    form: {
      kind: 'webhook',
      url: form.url,
      // `contentType` overrides this header. Sent together, they would be joined into a list.
      headers: { Authorization: 'Basic abc', 'Content-Type': 'text/plain' },
      contentType: 'application/x-www-form-urlencoded',
      body: 'subject={title}&text={question}',
    },
  };
  const scene = makeNotified({ play: ASKS }, { receivers });
  await scene.ralph(['run', 'Ask me.']).exited;
  const [[first], [second]] = [await discord.count(1), await form.count(1)];
  await scene.senderGone();
  expect(first?.json.content).toMatch(/^\*\*! work: needs you\*\*\n<b>Now<\/b> & "then"/);
  expect(second?.headers).toMatchObject({
    authorization: 'Basic abc',
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(new URLSearchParams(second?.body).get('text')).toBe('<b>Now</b> & "then"? $(touch /tmp/x)');
});

/** The JSON blocks of the recipes in the docs, by heading. */
function recipes(): Map<string, readonly Readonly<Record<string, unknown>>[]> {
  const [, text = ''] = readFileSync(join(ROOT, 'docs/notifications.md'), 'utf8').split('## Recipes\n');
  const sections = text.split(/^##+ /m).map((section): readonly [string, readonly Record<string, unknown>[]] => {
    const [name = ''] = section.trimStart().split('\n', 1);
    const blocks = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)];
    return [name, blocks.map(([, json = '']) => JSON.parse(json) as Record<string, unknown>)];
  });
  return new Map(sections.filter(([, found]) => found.length > 0));
}

const TAKEN: [name: string, expected: object, headers?: object][] = [
  ['Slack, Mattermost, Rocket.Chat', { text: expect.stringMatching(/^\*! work: needs you\*\n/) }],
  ['Discord', { content: expect.stringMatching(/^\*\*! work: needs you\*\*\n/), allowed_mentions: { parse: [] } }],
  [
    'Telegram',
    { chat_id: '123456789', text: expect.stringMatching(/^! work: needs you\n[\s\S]*\nralph answer \w+ "…"/) },
  ],
  [
    'E-mail',
    { To: 'me@example.com', Subject: '! work: needs you', TextBody: expect.stringContaining('ralph answer') },
    { 'x-postmark-server-token': 'XXXX' },
  ],
];

test.each<(typeof TAKEN)[number]>(TAKEN)(
  'the recipe for %s in the docs sends what that service accepts',
  async (name, expected, headers) => {
    const receiver = await httpReceiver();
    const recipe = recipes()
      .get(name)
      ?.find(({ url }) => url !== undefined);
    const { pathname } = new URL(String(recipe?.url));
    const scene = makeNotified(
      { play: ASKS },
      { receivers: { own: { ...recipe, url: `${receiver.url}${pathname}` } } },
    );
    await scene.ralph(['run', 'Ask me.']).exited;
    const [message] = await receiver.count(1);
    await scene.senderGone();
    expect(message?.path).toBe(pathname);
    expect(message?.headers).toMatchObject({ 'content-type': 'application/json', ...headers });
    expect(message?.json).toMatchObject(expected);
  },
);

/** Like some mail programs, executes a line that begins with `~!`. */
const OBEYS = `#!/bin/sh
printf '%s\\n' "$@" >"$SCENE/mailed"
while IFS= read -r line; do
  case $line in '~!'*) sh -c "\${line#??}" ;; *) printf '%s\\n' "$line" >>"$SCENE/mailed" ;; esac
done
`;

test('the recipe for the mail program of the machine passes it no line that it would execute', async () => {
  const [recipe] =
    recipes()
      .get('E-mail')
      ?.filter(({ kind }) => kind === 'command') ?? [];
  const play = `printf '%s\\n' '<response>BLOCKED: ~!touch "$SCENE/obeyed"</response>'`;
  const scene = makeNotified({ play }, { receivers: { own: { ...recipe } } });
  scene.write('bin/mail', OBEYS);
  chmodSync(join(scene.folder, 'bin/mail'), 0o755);
  await scene.ralph(['run', 'Ask me.']).exited;
  await scene.senderGone();
  const [, title, to, first] = scene.read('mailed').split('\n');
  expect([title, to, first]).toEqual(['! work: needs you', 'me@example.com', '  ~!touch "$SCENE/obeyed"']);
  expect(existsSync(join(scene.folder, 'obeyed'))).toBe(false);
});

test('every recipe in the docs is tested above', () => {
  const found = [...recipes()].flatMap(([name, all]) => all.map(({ url = 'mail' }) => [name, url !== 'mail']));
  expect(found).toEqual([...TAKEN.map(([name]) => [name, true]), ['E-mail', false]]);
});

test.each([
  ['osc9', '\u001b]9;✓ work: done\u0007'],
  ['bell', '\u0007'],
])('terminal of the loop: style %s', async (style, written) => {
  const scene = makeNotified({ play: DONE }, { receivers: { here: { kind: 'terminal', style } } });
  const file = join(scene.folder, 'typescript');
  await scene.shell(`script -qec "ralph run -q -p x" ${file} </dev/null >/dev/null`);
  // Other output contains escape sequences, too, but nothing else rings the bell.
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(written);
  expect(text.split('\u0007')).toHaveLength(2);
  expect(text.includes('\u001b]9;')).toBe(style === 'osc9');
});

test('terminal of the loop: gets a notification and a bell by default, and nothing without a terminal', async () => {
  const scene = makeNotified({ play: DONE }, { receivers: { here: { kind: 'terminal' } } });
  const { exited } = scene.ralph(['run', '-p', 'x']);
  expect((await exited).stderr).not.toContain('\u0007');
  expect(existsSync(join(scene.state, 'ralph/notify'))).toBe(false);
  const file = join(scene.folder, 'typescript');
  const { code } = await scene.shell(`script -qec "ralph run -q -p x" ${file} </dev/null >/dev/null`);
  expect(code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('\u001b]9;✓ work: done\u0007\u0007');
});

describe('ralph notify test', () => {
  test('says whether each receiver accepted the message, and what to do', async () => {
    const [good, broken, gone, silent] = [
      await httpReceiver(),
      await httpReceiver(answers(500)),
      await httpReceiver(answers(404)),
      await httpReceiver(hangs),
    ];
    const port = await closedPort();
    const receivers = {
      good: { kind: 'ntfy', url: `${good.url}/topic` },
      broken: { kind: 'slack', url: broken.url },
      gone: { kind: 'webhook', url: `${gone.url}/s3cret-path` },
      silent: { kind: 'webhook', url: silent.url },
      down: { kind: 'webhook', url: `http://127.0.0.1:${port}` },
      desk: { kind: 'command', command: ['no-such-program'] },
    };
    const scene = makeNotified({ play: DONE }, { receivers }, 100);
    const { code, stdout } = await scene.shell('ralph notify test --event blocked');
    expect(code).toBe(1);
    expect(stdout).toContain('✓ good: accepted (HTTP 200)');
    expect(stdout).toMatch(/✗ broken: 127\.0\.0\.1:\d+ answered HTTP 500/);
    expect(stdout).toMatch(/✗ gone: 127\.0\.0\.1:\d+ answered HTTP 404\n +Check its address\./);
    expect(stdout).toMatch(/✗ silent: 127\.0\.0\.1:\d+ did not answer within 2 s/);
    expect(stdout).toContain(`✗ down: 127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);
    expect(stdout).toContain('✗ desk: no-such-program cannot be started: ');
    expect(stdout).not.toContain('s3cret');
    expect(good.received[0]?.json).toMatchObject({
      topic: 'topic',
      title: '! test: blocked',
      message: 'This is a test from "ralph notify test"; no loop is involved.',
    });
    const one = await scene.shell('ralph notify test good');
    expect(one).toMatchObject({ code: 0, stdout: '✓ good: accepted (HTTP 200)\n' });
  });

  test('--reply: sends a button that does nothing, and says whether its press arrived', async () => {
    const server = await ntfyServer('tk_s3cret');
    const phone = {
      kind: 'ntfy',
      url: `${server.url}/loops`,
      token: 'tk_s3cret',
      reply: { url: `${server.url}/replies` },
    };
    const scene = makeNotified(
      { play: DONE },
      { receivers: { phone, desk: { kind: 'command', command: ['cat'] } } },
      1000,
    );
    const plain = await scene.shell('ralph notify test phone');
    expect(plain.stdout).toContain('To try its buttons as well: ralph notify test phone --reply');
    const trial = scene.shell('ralph notify test --reply');
    const asked = await server.message('loops', ({ actions }) => actions !== undefined);
    expect(asked.actions?.map(({ label }) => label)).toEqual(['It works']);
    await server.publish('replies', 'something else');
    await server.press(asked, 'It works');
    const { code, stdout } = await trial;
    expect(stdout).toContain('✓ phone: your reply arrived');
    expect([code, stdout.includes('s3cret')]).toEqual([0, false]);
    const { code: none, stderr } = await scene.shell('ralph notify test desk --reply');
    expect([none, stderr]).toEqual([2, expect.stringContaining('desk takes no replies')]);
  });

  test('--reply: gives up if no press arrives within a minute', async () => {
    const server = await ntfyServer();
    const phone = { kind: 'ntfy', url: `${server.url}/loops`, reply: { url: `${server.url}/replies` } };
    const scene = makeNotified({ play: DONE }, { receivers: { phone } }, 10);
    const { code, stdout } = await scene.shell('ralph notify test --reply');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ phone: no reply arrived within 60 s\n    Check the url of "reply"');
  });

  test('fails without receivers, and for an unknown name', async () => {
    const scene = makeNotified({ play: DONE }, {});
    const none = await scene.shell('ralph notify test');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no one is notified');
    scene.notify({ receivers: { phone: { kind: 'desktop' } } });
    const other = await scene.shell('ralph notify test fone');
    expect(other.stderr).toContain('there is no receiver "fone"; did you mean "phone"?');
  });
});

describe('ralph notify in a project', () => {
  const DESK = { receivers: { desk: { kind: 'desktop' } } };

  test.each([
    [{ mute: true }, 'mute everything except tampered'],
    [{ events: ['done', 'failed', 'blocked', 'budget'] }, 'mute limited, lifted, report'],
  ])('says what %j mutes', async (notify, said) => {
    const scene = makeNotified({ play: DONE, settings: { notify } }, DESK);
    expect((await scene.shell('ralph notify')).stdout).toContain(`This project's settings ${said}\n`);
    expect((await scene.shell('cd .. && ralph notify')).stdout).not.toContain('mute');
    expect(JSON.parse((await scene.shell('ralph notify --json')).stdout)).toMatchObject({
      project: { muted: expect.arrayContaining(['limited', 'lifted', 'report']), refused: null },
    });
  });

  test('names the receivers that the project may not add', async () => {
    const evil = { evil: { kind: 'command', command: ['touch', 'x'] } };
    const scene = makeNotified({ play: DONE, settings: { notify: { receivers: evil } } }, DESK);
    const { code, stdout } = await scene.shell('ralph notify');
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(
      /warning: \.ralph\/settings\.json:\d+:\d+: notify\.receivers must be in your own settings .* \(refused: evil\)\n/,
    );
  });
});

test.each(['ralph notify', 'ralph notify test'])('the help of %s names exit code 2', async (command) => {
  const scene = makeNotified({ play: DONE }, {});
  expect((await scene.shell(`${command} --help`)).stdout).toMatch(
    /Exits with (?:.|\n)*\b2 if (?:.|\n)*settings are wrong\./,
  );
});

test('ralph notify with wrong settings says where, and what to change', async () => {
  const scene = makeNotified({ play: DONE }, { receivers: { hook: { kind: 'webhook' } } });
  const { code, stderr } = await scene.shell('ralph notify');
  expect(code).toBe(2);
  const said = stderr.replaceAll(/\n +/g, ' ');
  expect(said).toMatch(/settings\.json:1:\d+: notify\.receivers\.hook\.url must be a string, got nothing/);
  expect(said).toMatch(/Fix notify\.receivers\.hook\.url in \S+settings\.json\./);
});

test('ralph notify without receivers shows how to name one', async () => {
  const scene = makeNotified({ play: DONE }, {});
  const { code, stdout } = await scene.shell('ralph notify');
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
    'names no receivers\nFor example: {"notify": {"receivers": {"desk": {"kind": "desktop"}}}}\n',
  );
});

test("ralph notify says what the user's own settings mute", async () => {
  const scene = makeNotified({ play: DONE }, { receivers: { desk: { kind: 'desktop' } }, events: ['blocked'] });
  expect((await scene.shell('ralph notify')).stdout).toContain('Your own settings mute everything except blocked\n');
});

test('ralph notify shows the receivers without their secrets', async () => {
  const receivers = {
    phone: {
      kind: 'ntfy',
      url: 'https://ntfy.example/t0pic',
      token: 'tk_s3cret',
      reply: { url: 'https://ntfy.example/r3plies' },
    },
    chat: { kind: 'slack', url: 'https://hooks.example/services/T0/s3cret', events: ['failed'] },
    own: { kind: 'webhook', url: 'https://own.example/?key=s3cret', secret: 's3cret', headers: { 'X-Key': 's3cret' } },
    open: { kind: 'webhook', url: 'https://open.example/?key=s3cret' },
  };
  const scene = makeNotified({ play: DONE }, { receivers });
  for (const line of ['ralph notify', 'ralph notify --json']) {
    const { code, stdout } = await scene.shell(line);
    expect(code).toBe(0);
    for (const secret of ['s3cret', 't0pic', 'r3plies']) expect(stdout).not.toContain(secret);
    expect(stdout).toContain('https://ntfy.example/***');
  }
  expect((await scene.shell('ralph notify')).stdout).toContain(
    'chat   slack · url https://hooks.example/*** · events failed',
  );
  const { stdout: shown } = await scene.shell('ralph notify');
  expect(shown).toContain('own    webhook · url https://own.example/*** · signed · events all');
  expect(shown).toContain('open   webhook · url https://open.example/*** · events all');
  expect((await scene.shell('ralph run -p x --dry-run')).stdout).not.toContain('s3cret');
});
