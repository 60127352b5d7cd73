/** The file through which ralph talks to an agent while it works, as claude's hook reads it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { profileFor } from '../../agents/index.ts';
import { NO_ASIDES, openAsides, wrapUpOf } from './asides.ts';

const CLAUDE = profileFor('claude');
const OTHER = profileFor('my-agent');
let run: { readonly folder: string; readonly name: string };
let file: string;

beforeEach(() => {
  run = { folder: testFolder(), name: '1-work-1' };
  file = join(run.folder, '1-work-1.aside');
});

describe('a run that is about to be started', () => {
  test('gets an empty file, and a hook that reads it', () => {
    const { flags, writes } = openAsides(CLAUDE, [], run);
    expect(flags[0]).toBe('--settings');
    expect(flags[1]).toContain(file);
    expect(writes).toEqual([file]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('gets none if the user has given that option, or if the agent has none', () => {
    expect(openAsides(CLAUDE, ['--settings', 'own.json'], run)).toEqual(NO_ASIDES);
    expect(openAsides(OTHER, [], run)).toEqual(NO_ASIDES);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a running agent', () => {
  test('is asked to wrap up once, in the words of its hook', () => {
    openAsides(CLAUDE, [], run);
    const wrapUp = wrapUpOf(CLAUDE, run);
    expect(readFileSync(file, 'utf8')).toBe('');
    wrapUp?.();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: expect.stringContaining('Wrap up now'),
      },
    });
    // As its hook does.
    writeFileSync(file, '');
    wrapUp?.();
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('cannot be asked without a file, or without a hook', () => {
    expect(wrapUpOf(CLAUDE, run)).toBeUndefined();
    writeFileSync(file, '');
    expect(wrapUpOf(OTHER, run)).toBeUndefined();
  });

  test('continues unasked if the file cannot be written', () => {
    openAsides(CLAUDE, [], run);
    const wrapUp = wrapUpOf(CLAUDE, run);
    rmSync(file);
    mkdirSync(file);
    expect(wrapUp).not.toThrow();
  });
});
