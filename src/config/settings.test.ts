import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { command } from '../checks/command.ts';
import type { CheckForm } from '../core/check.ts';
import { effectiveSettings, LOCAL_FILE, readLayers, SETTINGS_FILE, type Settings } from './settings.ts';

const EVEN: CheckForm = {
  kind: 'even',
  keys: {
    number: { is: 'number', what: 'A number.' },
    name: { is: 'text', what: 'A name.', optional: true },
    files: { is: 'texts', what: 'Files.', optional: true },
    strict: { is: 'flag', what: 'A flag.', optional: true },
  },
};
const KINDS = [command, EVEN];
const AGENT = { agent: { command: 'claude' } };
let cwd: string;

beforeEach(() => {
  cwd = testFolder();
  mkdirSync(join(cwd, '.ralph'));
});

function write(file: string, content: object | string): void {
  writeFileSync(join(cwd, file), typeof content === 'string' ? content : JSON.stringify(content));
}

function settings(): Settings {
  return effectiveSettings(readLayers(cwd), KINDS);
}

/** The error message for these settings. */
function faultOf(settings: object): string {
  return errorOf(() => effectiveSettings({ base: settings, local: null }, KINDS)).message;
}

describe('settings', () => {
  test('have the defaults of seed 001', () => {
    write(SETTINGS_FILE, AGENT);
    expect(settings()).toMatchObject({
      maximumIterations: 10,
      completionResponse: 'DONE',
      outputTruncateChars: 5000,
      streamAgentOutput: true,
      includeIterationCountInPrompt: false,
      agent: { command: 'claude', flags: [] },
      guardrails: [],
    });
    expect(settings().scm).toBeUndefined();
  });

  test("are those of seed 001's example", () => {
    write(SETTINGS_FILE, {
      maximumIterations: 20,
      completionResponse: 'READY',
      outputTruncateChars: 100,
      streamAgentOutput: false,
      includeIterationCountInPrompt: true,
      agent: { command: 'claude', flags: ['--model opus', '--no-auto-compact'] },
      guardrails: [
        { command: 'make lint', failAction: 'APPEND', hint: 'Fix lint errors only.' },
        { command: 'make test', failAction: 'replace' },
      ],
      scm: { command: 'git', tasks: ['commit', 'push'] },
    });
    expect(settings()).toMatchObject({
      maximumIterations: 20,
      completionResponse: 'READY',
      outputTruncateChars: 100,
      streamAgentOutput: false,
      includeIterationCountInPrompt: true,
      agent: { command: 'claude', flags: ['--model', 'opus', '--no-auto-compact'] },
      guardrails: [
        { command: 'make lint', failAction: 'APPEND', hint: 'Fix lint errors only.' },
        { command: 'make test', failAction: 'REPLACE' },
      ],
      scm: { command: 'git', tasks: ['commit', 'push'] },
    });
  });

  test('are overridden by the local file: objects key by key, lists and values as a whole', () => {
    write(SETTINGS_FILE, {
      agent: { command: 'claude', flags: ['--model opus'] },
      guardrails: [{ command: 'a', failAction: 'APPEND' }],
      maximumIterations: 3,
    });
    write(LOCAL_FILE, { agent: { flags: ['--verbose'] }, guardrails: [], maximumIterations: 4 });
    expect(settings()).toMatchObject({
      agent: { command: 'claude', flags: ['--verbose'] },
      guardrails: [],
      maximumIterations: 4,
    });
  });

  test('may stand in the local file alone', () => {
    write(LOCAL_FILE, AGENT);
    expect(settings().agent.command).toBe('claude');
  });
});

describe('what is wrong is named by its path', () => {
  test.each<[object, string]>([
    [{}, 'agent.command must be configured in settings file'],
    [{ agent: {} }, 'agent.command must be configured in settings file'],
    [{ agent: { command: '' } }, 'agent.command must be configured in settings file'],
    [{ ...AGENT, maximumIterations: 0 }, 'maximumIterations must be a positive integer, got 0'],
    [{ ...AGENT, maximumIterations: -3 }, 'maximumIterations must be a positive integer, got -3'],
    [{ ...AGENT, maximumIterations: 1.5 }, 'maximumIterations must be a positive integer, got 1.5'],
    [{ ...AGENT, maximumIterations: '5' }, 'maximumIterations must be a positive integer, got "5"'],
    [{ ...AGENT, outputTruncateChars: 0 }, 'outputTruncateChars must be a positive integer, got 0'],
    [{ ...AGENT, completionResponse: '' }, 'completionResponse must not be empty'],
    [{ ...AGENT, guardrails: [{ command: '', failAction: 'APPEND' }] }, 'guardrails[0].command must not be empty'],
    [
      {
        ...AGENT,
        guardrails: [
          { command: 'a', failAction: 'APPEND' },
          { command: 'b', failAction: 'DROP' },
        ],
      },
      'guardrails[1].failAction must be APPEND, PREPEND, or REPLACE, got "DROP"',
    ],
    [{ ...AGENT, scm: { tasks: ['commit'] } }, 'scm.command must be configured when scm.tasks is non-empty'],
  ])('%j', (settings, fault) => {
    expect(faultOf(settings)).toBe(fault);
  });

  test('an unknown key is refused with the one that was probably meant', () => {
    expect(faultOf({ ...AGENT, maxIterations: 5 })).toBe(
      'unknown key maxIterations (did you mean "maximumIterations"?)',
    );
    expect(faultOf({ agent: { command: 'a', flag: [] } })).toBe('unknown key agent.flag (did you mean "flags"?)');
    expect(faultOf({ ...AGENT, frobnicate: 1 })).toBe('unknown key frobnicate');
  });

  test('several faults are reported at once', () => {
    expect(faultOf({ maximumIterations: 0, completionResponse: '' }).split('\n')).toHaveLength(3);
  });

  test.each<[string, object | null, object | null, string]>([
    ['no file', null, null, `There is no ${SETTINGS_FILE} yet. To create one, run: ralph init`],
    ['no agent, and a local file alone', null, {}, `There is no ${SETTINGS_FILE} yet. To create one, run: ralph init`],
    ['a fault in the local file alone', null, { ...AGENT, maximumIterations: 0 }, `Fix ${LOCAL_FILE}.`],
    ['no agent in the file', {}, null, `Fix ${SETTINGS_FILE}, or run \`ralph init\` to create a new one.`],
  ])('%s: a mistake in the configuration, with what to do', (_what, base, local, hint) => {
    if (base !== null) write(SETTINGS_FILE, base);
    if (local !== null) write(LOCAL_FILE, local);
    expect(errorOf(() => settings())).toMatchObject({ advice: { exitCode: 2, hint } });
  });
});

describe('a guardrail', () => {
  test('is a command unless it names another kind, and has the keys of its kind', () => {
    const even = {
      kind: 'even',
      number: 3,
      name: 'x',
      files: ['a'],
      strict: true,
      failAction: 'append',
      timeout: '5s',
    };
    const guardrails = [{ kind: 'command', command: 'make', failAction: 'APPEND' }, even];
    write(SETTINGS_FILE, { ...AGENT, guardrails });
    expect(settings().guardrails).toEqual([
      { command: 'make', failAction: 'APPEND' },
      { ...even, failAction: 'APPEND' },
    ]);
  });

  test.each<[object | string, string]>([
    ['make', 'must be an object, got "make"'],
    [{ failAction: 'APPEND' }, '.command must be a string, got nothing'],
    [{ kind: 'evn' }, '.kind must be "command" or "even", got "evn" (did you mean "even"?)'],
    [{ kind: 'test-report' }, '.kind must be "command" or "even", got "test-report"'],
    [{ kind: 7 }, '.kind must be "command" or "even", got 7'],
    [{ kind: 'even', failAction: 'APPEND' }, '.number must be a whole number, got nothing'],
    [{ kind: 'even', number: -1, failAction: 'APPEND' }, '.number must be a whole number, got -1'],
    [{ kind: 'even', number: 2, failAction: 'APPEND', name: '' }, '.name must not be empty'],
    [{ kind: 'even', number: 2, failAction: 'APPEND', files: ['a', 1] }, '.files[1] must be a string, got 1'],
    [{ kind: 'even', number: 2, failAction: 'DROP' }, '.failAction must be APPEND, PREPEND, or REPLACE, got "DROP"'],
  ])('%j is refused by the path of what is wrong', (guardrail, fault) => {
    const fine = { command: 'a', failAction: 'APPEND' };
    const where = fault.startsWith('.') ? 'guardrails[1]' : 'guardrails[1] ';
    expect(faultOf({ ...AGENT, guardrails: [fine, guardrail] })).toBe(`${where}${fault}`);
  });

  test('has no key of another kind; what was probably meant is a key of its own', () => {
    const faultIn = (guardrail: object) => faultOf({ ...AGENT, guardrails: [{ ...guardrail, failAction: 'APPEND' }] });
    expect(faultIn({ command: 'a', numbr: 1 })).toBe('unknown key guardrails[0].numbr');
    expect(faultIn({ command: 'a', comand: 'b' })).toBe('unknown key guardrails[0].comand (did you mean "command"?)');
    expect(faultIn({ kind: 'even', number: 1, numbr: 1 })).toBe(
      'unknown key guardrails[0].numbr (did you mean "number"?)',
    );
  });

  test('of an unknown kind in the local file is a mistake in that file', () => {
    write(SETTINGS_FILE, AGENT);
    write(LOCAL_FILE, { guardrails: [{ kind: 'odd', failAction: 'APPEND' }] });
    expect(errorOf(() => settings())).toMatchObject({ advice: { exitCode: 2, hint: `Fix ${LOCAL_FILE}.` } });
  });
});

describe('a fault has its place in the file', () => {
  test('a value, with its line', () => {
    write(SETTINGS_FILE, '{\n  "agent": {"command": "a"},\n  "maximumIterations": 0\n}');
    expect(errorOf(() => settings()).message).toBe(
      [
        '.ralph/settings.json:3:24: maximumIterations must be a positive integer, got 0',
        '  3 |   "maximumIterations": 0',
        '    |                        ^',
      ].join('\n'),
    );
  });

  test('several, each with its own, of the file that it is in', () => {
    write(SETTINGS_FILE, '{"agent": {"command": "a"},\n"guardrails": [{"command": "b", "failaction": "APPEND"}]}');
    write(LOCAL_FILE, '{"maximumIterations": 0}');
    expect(errorOf(() => settings()).message.split('\n')).toEqual([
      expect.stringMatching(/^\.ralph\/settings\.local\.json:1:23: maximumIterations must /),
      expect.stringMatching(/^guardrails\[0\]\.failAction must .*, got nothing$/),
      expect.stringMatching(/^\.ralph\/settings\.json:2:33: unknown key guardrails\[0\]\.failaction /),
    ]);
  });

  test('none, where the setting is missing', () => {
    write(SETTINGS_FILE, '{"agent": {}}');
    expect(errorOf(() => settings()).message).toBe('agent.command must be configured in settings file');
  });
});

describe('a file that is no settings file is named', () => {
  test.each([
    ['{"agent":', ':1:10: expected "}" to close the "{" of line 1'],
    ['', ':1:1: the file is empty; expected {}'],
    ['[1]', 'must contain an object'],
    ['null', 'must contain an object'],
  ])('%j', (content, fault) => {
    write(LOCAL_FILE, content);
    write(SETTINGS_FILE, AGENT);
    const { message } = errorOf(() => settings());
    expect(message).toContain(LOCAL_FILE);
    expect(message).toContain(fault);
  });

  test('a byte order mark is no fault, and null in the local file switches a setting off', () => {
    write(SETTINGS_FILE, `\uFEFF${JSON.stringify({ ...AGENT, guardrails: [{ command: 'a', failAction: 'APPEND' }] })}`);
    write(LOCAL_FILE, `\uFEFF${JSON.stringify({ guardrails: null })}`);
    expect(settings()).toMatchObject({ guardrails: [] });
  });

  test('also one that cannot be read', () => {
    mkdirSync(join(cwd, SETTINGS_FILE));
    expect(errorOf(() => settings()).message).toContain(`cannot read ${SETTINGS_FILE}`);
  });
});
