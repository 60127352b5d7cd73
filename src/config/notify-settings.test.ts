import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { NOTICE_EVENTS } from '../core/notice.ts';
import { parseQuietHours } from './notify-schema.ts';
import { projectEvents, readNotifySettings } from './notify-settings.ts';
import { parseLayers, readTexts } from './settings.ts';

function userWith(notify: unknown): { readonly HOME: string } {
  const home = testFolder();
  mkdirSync(join(home, '.config/ralph'), { recursive: true });
  writeFileSync(join(home, '.config/ralph/settings.json'), JSON.stringify({ notify }, null, 2), { mode: 0o600 });
  return { HOME: home };
}

function projectWith(settings: unknown): string {
  const cwd = testFolder();
  mkdirSync(join(cwd, '.ralph'));
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(settings));
  return cwd;
}

const DESK = { desk: { kind: 'desktop' } };

describe("the user's own settings", () => {
  test('without receivers, no one is notified', () => {
    expect(readNotifySettings({ HOME: testFolder() })).toBeNull();
    expect(readNotifySettings(userWith({}))).toBeNull();
  });

  test('name receivers, quiet hours and events', () => {
    const settings = readNotifySettings(userWith({ receivers: DESK, quietHours: '22:00-07:00', events: ['done'] }));
    expect(settings).toMatchObject({
      receivers: DESK,
      quiet: { from: 1320, to: 420 },
      breakThrough: ['blocked', 'tampered'],
      events: ['done'],
      isOpen: false,
    });
  });

  test('that others can read are said to be open', () => {
    const variables = userWith({ receivers: DESK });
    chmodSync(join(variables.HOME, '.config/ralph/settings.json'), 0o644);
    expect(readNotifySettings(variables)?.isOpen).toBe(true);
  });

  test.each([
    [
      { a: { kind: 'pager' } },
      'notify.receivers.a.kind must be "desktop", "terminal", "command", "webhook", "slack" or "ntfy", got "pager"',
    ],
    [{ a: { kind: 'slack' } }, 'settings.json:4:12: notify.receivers.a.url must be a string, got nothing'],
    [{ a: {} }, 'settings.json:4:12: notify.receivers.a.kind must be '],
    [{ a: { kind: 'ntfi' } }, '(did you mean "ntfy"?)'],
    [{ a: { kind: 'slack', url: 'ftp://s3cret' } }, 'notify.receivers.a.url must be a URL that starts with https://'],
    [{ a: { kind: 'ntfy', url: 'https://ntfy.sh' } }, 'must end with a topic'],
    [{ a: { kind: 'slack', url: 'https://me:s3cret@a.example/x' } }, 'url must be a URL'],
    [{ a: { kind: 'ntfy', url: 'https://ntfy.sh/a', token: 's3cret\nX: y' } }, 'token must be one line'],
    [{ a: { kind: 'webhook', url: 'https://a.example', contentType: 'a\nb' } }, 'contentType must be one line'],
    [
      { a: { kind: 'webhook', url: 'https://a.example', body: { text: '{titel}' } } },
      'must not contain {titel} (did you mean "title"?)',
    ],
    [
      { a: { kind: 'webhook', url: 'https://a.example', headers: { A: 's3cret\r\nB: c' } } },
      'headers.A must be one line',
    ],
    [{ a: { kind: 'desktop', events: ['dome'] } }, '(did you mean "done"?)'],
    [{ a: { kind: 'desktop', events: ['x'] } }, 'lifted, budget, tampered or report, got "x"'],
    [{ a: { kind: 'command', command: [] } }, 'notify.receivers.a.command must not be empty'],
    [{ 'a b': { kind: 'desktop' } }, 'must have keys of up to 40 letters, digits, - and _'],
  ])('are refused by path and without their secrets: %j', (receivers, message) => {
    const error = errorOf(() => readNotifySettings(userWith({ receivers })));
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('s3cret');
  });

  test.each([
    [{ receivers: { a: { kind: 'slack' } } }, 'Fix notify.receivers.a.url in '],
    [{ receivers: { a: {}, b: {} } }, 'Fix notify.receivers.a.kind and notify.receivers.b.kind in '],
    [{ mut: true }, 'Fix notify.mut in '],
  ])('say what to change: %j', (notify, hint) => {
    const variables = userWith(notify);
    const file = join(variables.HOME, '.config/ralph/settings.json');
    expect(errorOf(() => readNotifySettings(variables)).advice.hint).toBe(`${hint}${file}.`);
  });

  test('never reach the settings of a loop', () => {
    const { HOME } = userWith({ receivers: { a: { kind: 'slack', url: 'https://hooks.example/s3cret' } } });
    const file = join(HOME, '.config/ralph/settings.json');
    expect(JSON.stringify(parseLayers(readTexts(testFolder(), file)))).not.toContain('notify');
  });
});

describe("a project's settings", () => {
  test('choose events, or none; but not to keep quiet about tampering', () => {
    expect(projectEvents(testFolder())).toEqual([...NOTICE_EVENTS]);
    expect(projectEvents(projectWith({ notify: { events: ['done'] } }))).toEqual(['done', 'tampered']);
    expect(projectEvents(projectWith({ notify: { mute: true } }))).toEqual(['tampered']);
  });

  test.each([
    ['receivers', { mine: { kind: 'command', command: ['true'] } }],
    ['quietHours', '00:00-23:59'],
    ['breakThrough', []],
  ])('do not say where messages go: %s', (key, value) => {
    const error = errorOf(() => projectEvents(projectWith({ notify: { [key]: value } })));
    expect(error.message).toContain(`notify.${key} must be in your own settings (~/.config/ralph/settings.json)`);
    expect(error.advice.hint).toBe(`Remove notify.${key} from .ralph/settings.json.`);
  });
});

test.each([
  ['22:00-07:00', { from: 1320, to: 420 }],
  ['00:30-06:15', { from: 30, to: 375 }],
  ['7:00-8:00', null],
  ['24:00-07:00', null],
  ['07:00-07:00', null],
  ['night', null],
])('quiet hours %s', (text, expected) => {
  expect(parseQuietHours(text)).toEqual(expected);
});
