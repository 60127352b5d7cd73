import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import {
  agentIn,
  effectiveSettings,
  hasProjectSettings,
  readLayers,
  SETTINGS_FILE,
  type Settings,
  sandboxSettings,
  userSettingsFile,
} from './settings.ts';

let cwd: string;
let userFile: string;

beforeEach(() => {
  cwd = testFolder();
  mkdirSync(join(cwd, '.ralph'));
  userFile = join(cwd, '.config/ralph/settings.json');
  mkdirSync(join(userFile, '..'), { recursive: true });
});

function write(user: object | string, base?: object): void {
  writeFileSync(userFile, typeof user === 'string' ? user : JSON.stringify(user));
  if (base !== undefined) writeFileSync(join(cwd, SETTINGS_FILE), JSON.stringify(base));
}

const layers = () => readLayers(cwd, userFile);
const settings = (): Settings => effectiveSettings(layers(), []);

test.each<[Record<string, string>, string | null]>([
  [{ HOME: '/home/me' }, '/home/me/.config/ralph/settings.json'],
  [{ HOME: '/home/me', XDG_CONFIG_HOME: '/etc/mine' }, '/etc/mine/ralph/settings.json'],
  [{ HOME: '/home/me', XDG_CONFIG_HOME: '' }, '/home/me/.config/ralph/settings.json'],
  [{ HOME: '/home/me', XDG_CONFIG_HOME: 'relative' }, '/home/me/.config/ralph/settings.json'],
  [{}, null],
])('with %j they are in %s', (env, file) => {
  expect(userSettingsFile(env)).toBe(file);
});

describe('the settings of the user', () => {
  test("lie below the project's, key by key", () => {
    write({ agent: { command: 'claude', timeout: '5m' }, maximumIterations: 3, completionResponse: 'OK' }, {});
    expect(settings()).toMatchObject({ agent: { command: 'claude', timeout: '5m' }, maximumIterations: 3 });
    write({ agent: { command: 'claude' }, maximumIterations: 3, completionResponse: 'OK' }, { maximumIterations: 4 });
    expect(settings()).toMatchObject({ maximumIterations: 4, completionResponse: 'OK' });
  });

  test('are enough by themselves, and make no settings of the project', () => {
    write({ agent: { command: 'claude' } });
    expect(settings().agent.command).toBe('claude');
    expect(agentIn(layers())).toBe('claude');
    expect(hasProjectSettings(layers())).toBe(false);
  });

  test('a key that a project sets to null is not there', () => {
    write({ agent: { command: 'claude' }, sandbox: { kind: 'os' } }, { sandbox: null });
    expect(settings().sandbox).toBeUndefined();
  });

  test('keep their flags for their own agent', () => {
    const user = { agent: { command: 'claude', flags: ['--model opus'] } };
    write(user, { agent: { command: 'codex' } });
    expect(settings().agent).toEqual({ command: 'codex', flags: [] });
    write(user, { agent: { timeout: '1m' } });
    expect(settings().agent).toMatchObject({ command: 'claude', flags: ['--model', 'opus'] });
  });

  test('say for every loop kind what its sandbox is', () => {
    write({ sandbox: { kind: 'os' } });
    expect(sandboxSettings(cwd, [], { HOME: cwd })).toEqual({ kind: 'os' });
    expect(sandboxSettings(cwd, [], {})).toBeUndefined();
  });
});

describe('a mistake', () => {
  test.each<[string, object | string, object | undefined]>([
    ['a wrong value', { maximumIterations: 0 }, { agent: { command: 'x' } }],
    ['a wrong value in a project without settings', { agent: { command: 'x' }, maxIterations: 1 }, undefined],
    ['no JSON', '{', { agent: { command: 'x' } }],
    ['no object', '[]', { agent: { command: 'x' } }],
  ])('of the user is named by its file: %s', (_what, user, base) => {
    write(user, base);
    expect(errorOf(settings)).toMatchObject({ advice: { hint: `Fix ${userFile}.` } });
  });

  test('of the project is not put down to the user', () => {
    write({ maximumIterations: 3 }, { agent: { command: 'x' }, completionResponse: '' });
    expect(errorOf(settings).advice.hint).toContain(`Fix ${SETTINGS_FILE},`);
    write({ maximumIterations: 3 }, {});
    expect(errorOf(settings)).toMatchObject({ message: 'agent.command must be configured in settings file' });
  });
});
