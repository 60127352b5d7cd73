import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';

import { effectiveSettings, readLayers, SETTINGS_FILE } from './settings.ts';
import { writeSettings } from './write-settings.ts';

const SETTINGS = { agent: { command: 'claude', flags: ['--model opus'] }, maximumIterations: 3 };
const SCHEMA = { type: 'object' };
let cwd: string;

beforeEach(() => {
  cwd = testFolder();
});

function parsed(file: string): unknown {
  return JSON.parse(readFileSync(join(cwd, file), 'utf8'));
}

describe('written settings', () => {
  test('are those that are read', () => {
    writeSettings(cwd, SETTINGS, SCHEMA);
    expect(effectiveSettings(readLayers(cwd), [])).toMatchObject({
      agent: { command: 'claude', flags: ['--model', 'opus'] },
      maximumIterations: 3,
    });
  });

  test('name the schema that lies beside them first, for editors', () => {
    writeSettings(cwd, SETTINGS, SCHEMA);
    expect(parsed(SETTINGS_FILE)).toEqual({ $schema: './settings.schema.json', ...SETTINGS });
    expect(Object.keys(parsed(SETTINGS_FILE) as object)[0]).toBe('$schema');
    expect(parsed('.ralph/settings.schema.json')).toEqual(SCHEMA);
  });

  test('are laid out for people: an entry a line, with an end of line', () => {
    writeSettings(cwd, { agent: { command: 'a' } }, SCHEMA);
    expect(readFileSync(join(cwd, SETTINGS_FILE), 'utf8')).toBe(
      '{\n  "$schema": "./settings.schema.json",\n  "agent": {\n    "command": "a"\n  }\n}\n',
    );
  });

  test('replace what was there, and nothing else is left or lost', () => {
    mkdirSync(join(cwd, '.ralph'));
    writeFileSync(join(cwd, SETTINGS_FILE), 'no settings, and much longer than those that come now'.repeat(100));
    writeFileSync(join(cwd, '.ralph/settings.local.json'), '{}');
    writeSettings(cwd, SETTINGS, SCHEMA);
    expect(parsed(SETTINGS_FILE)).toMatchObject(SETTINGS);
    expect(readdirSync(join(cwd, '.ralph')).sort()).toEqual([
      'settings.json',
      'settings.local.json',
      'settings.schema.json',
    ]);
  });
});

test('settings that cannot be written are an error that names the file and the reason', () => {
  writeFileSync(join(cwd, '.ralph'), 'a file where the folder should be');
  expect(errorOf(() => writeSettings(cwd, SETTINGS, SCHEMA))).toMatchObject({
    code: 'SETTINGS_WRITE',
    message: expect.stringMatching(/^cannot write \.ralph\/settings\.json: \w/),
    advice: { exitCode: 2 },
  });
  expect(readFileSync(join(cwd, '.ralph'), 'utf8')).toBe('a file where the folder should be');
});
