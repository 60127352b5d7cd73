import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { inputsReader } from './inputs.ts';
import { type RunRequest, runRequest } from './request.ts';
import type { RunInputs } from './state.ts';

let cwd: string;

beforeEach(() => {
  cwd = testFolder();
  mkdirSync(join(cwd, '.ralph'));
  write('.ralph/settings.json', JSON.stringify({ agent: { command: 'claude' }, maximumIterations: 7 }));
});

function write(file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
}

const at = () => ({ cwd, userFile: join(cwd, 'user.json') });

function read(request: Partial<RunRequest>): { digest: string; inputs: RunInputs } {
  const { digest, inputs } = inputsReader(runRequest(request), at())(null);
  return { digest, inputs: inputs as RunInputs };
}

describe('the inputs of an iteration', () => {
  test('are the settings and the prompt', () => {
    expect(read({ prompt: 'Do it.' }).inputs).toMatchObject({
      prompt: 'Do it.',
      agent: { command: 'claude' },
      maximumIterations: 7,
    });
  });

  test('are overridden by what the loop was started with, even after an edit', () => {
    const request = { prompt: 'x', maximumIterations: 2, completionResponse: 'READY' };
    expect(read(request).inputs).toMatchObject({ maximumIterations: 2, completionResponse: 'READY' });
    write('.ralph/settings.json', JSON.stringify({ agent: { command: 'other' }, maximumIterations: 99 }));
    expect(read(request).inputs).toMatchObject({ maximumIterations: 2, agent: { command: 'other' } });
  });

  test('have the agent and the checks that were chosen for the loop, and the model that was asked for', () => {
    const check = { command: 'make', failAction: 'APPEND', hint: null, timeoutMs: null } as const;
    const origins = { agent: 'installed', checks: 'Makefile' };
    const chosen = { agent: { command: 'codex', flags: ['-x'] }, version: null, checks: [check], origins };
    write('.ralph/settings.json', JSON.stringify({ agent: { command: 'claude', flags: ['--evil'] }, guardrails: [] }));
    expect(read({ prompt: 'x', chosen }).inputs).toMatchObject({ agent: chosen.agent, guardrails: [check] });
    expect(read({ prompt: 'x', chosen, model: 'm' }).inputs.agent.flags).toEqual(['-m', 'm', '-x']);
    const own = { ...chosen, agent: null, checks: null };
    expect(read({ prompt: 'x', chosen: own, model: 'm' }).inputs.agent.flags).toEqual(['--model', 'm', '--evil']);
    rmSync(join(cwd, '.ralph'), { recursive: true });
    expect(read({ prompt: 'x', chosen }).inputs.agent.command).toBe('codex');
  });

  test('override the settings of the user, whose changes are reported, too', () => {
    write('user.json', JSON.stringify({ agent: { command: 'codex', flags: ['-x'] }, maximumIterations: 3, scm: {} }));
    const reader = inputsReader(runRequest({ prompt: 'x' }), at());
    const { digest, inputs } = reader(null);
    expect(inputs).toMatchObject({ agent: { command: 'claude', flags: [] }, maximumIterations: 7 });
    write('user.json', '{}');
    expect(reader(digest)).toEqual({ kind: 'inputs', digest, ignored: [join(cwd, 'user.json')] });
  });

  test('contain the files as they are now, byte for byte, however often they are read', () => {
    const reader = inputsReader(runRequest({ promptFile: 'task.md', liveSettings: true }), at());
    write('task.md', 'eins\n');
    const first = reader(null);
    expect(first.inputs).toMatchObject({ prompt: 'eins\n', maximumIterations: 7 });
    write('task.md', 'zwei ü😀\n\n');
    const second = reader(first.digest);
    expect(second.inputs).toMatchObject({ prompt: 'zwei ü😀\n\n' });
    write('.ralph/settings.local.json', JSON.stringify({ maximumIterations: 8 }));
    expect(reader(second.digest).inputs).toMatchObject({ maximumIterations: 8 });
    rmSync(join(cwd, '.ralph/settings.local.json'));
    expect(reader(null)).toEqual(second);
  });

  test('keep the settings of the first reading; a change is reported once, and again when it changes', () => {
    write('task.md', 'eins\n');
    const reader = inputsReader(runRequest({ promptFile: 'task.md' }), at());
    const first = reader(null);
    const settings = JSON.stringify({ agent: { command: 'other' } });
    write('.ralph/settings.json', settings);
    expect(reader(first.digest)).toEqual({ kind: 'inputs', digest: first.digest, ignored: ['.ralph/settings.json'] });
    expect(reader(first.digest)).toEqual({ kind: 'inputs', digest: first.digest });
    write('.ralph/settings.local.json', '{ broken');
    rmSync(join(cwd, '.ralph/settings.json'));
    mkdirSync(join(cwd, '.ralph/settings.json'));
    const both = ['.ralph/settings.json', '.ralph/settings.local.json'];
    expect(reader(first.digest)).toEqual({ kind: 'inputs', digest: first.digest, ignored: both });
    write('task.md', 'zwei\n');
    expect(reader(first.digest).inputs).toMatchObject({ prompt: 'zwei\n', agent: { command: 'claude' } });
    rmSync(join(cwd, '.ralph/settings.json'), { recursive: true });
    write('.ralph/settings.json', settings);
    expect(inputsReader(runRequest({ prompt: 'x', liveSettings: true }), at())).toThrow(
      '.ralph/settings.local.json:1:3: ',
    );
  });

  test('are not recorded again while nothing has changed, not even after a new start', () => {
    const request = runRequest({ prompt: 'x' });
    const { digest, inputs } = inputsReader(request, at())(null);
    expect(inputs).toBeDefined();
    expect(inputsReader(request, at())(digest)).toEqual({ kind: 'inputs', digest });
    expect(inputsReader(request, at())('another')).toEqual({ kind: 'inputs', digest, inputs });
  });

  test('survive the journal', () => {
    const { inputs } = inputsReader(runRequest({ prompt: 'x' }), at())(null);
    expect(JSON.parse(JSON.stringify(inputs))).toEqual(inputs);
  });

  test('contain a command as releases before kinds of checks did, whether its kind is named or not', () => {
    const asked = (guardrail: object): string => {
      const settings = { agent: { command: 'a' }, guardrails: [{ ...guardrail, failAction: 'append', timeout: '2s' }] };
      write('.ralph/settings.json', JSON.stringify(settings));
      return JSON.stringify(read({ prompt: 'x' }).inputs.guardrails);
    };
    const before = '[{"command":"make","failAction":"APPEND","hint":null,"timeoutMs":2000}]';
    expect(asked({ command: 'make' })).toBe(before);
    expect(asked({ kind: 'command', command: 'make' })).toBe(before);
  });

  test('use no SCM if there is nothing to do with it', () => {
    write('.ralph/settings.json', JSON.stringify({ agent: { command: 'a' }, scm: { command: 'git', tasks: [] } }));
    expect(read({ prompt: 'x' }).inputs.scm).toBeNull();
  });
});

describe('a prompt file', () => {
  test('that is gone is named, as a configuration error', () => {
    expect(() => read({ promptFile: 'gone.md' })).toThrow(
      expect.objectContaining({
        message: 'prompt file not found: gone.md',
        advice: expect.objectContaining({ exitCode: 2 }),
      }),
    );
  });

  test('that cannot be read is named, too', () => {
    mkdirSync(join(cwd, 'folder.md'));
    expect(() => read({ promptFile: 'folder.md' })).toThrow('cannot access prompt file: folder.md');
  });
});

test('settings that disappear during the loop are a configuration error, not a default', () => {
  rmSync(join(cwd, '.ralph'), { recursive: true });
  expect(() => read({ prompt: 'x' })).toThrow('agent.command must be configured');
});
