import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { findProgram } from '../../process/which.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { type RunRequest, runRequest } from './request.ts';
import { resolveRun } from './resolve.ts';

const FREE = { ...NO_SANDBOX, kind: 'none' as const };
let cwd: string;
let bin: string;

beforeEach(() => {
  cwd = testFolder();
  bin = testFolder();
  for (const name of ['sh', 'sleep']) symlinkSync(findProgram(name, process.env.PATH, '/') ?? '', join(bin, name));
  program('claude', 'echo "2.1.325 (Claude Code)"');
});

function program(name: string, lines: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`);
  chmodSync(join(bin, name), 0o755);
}

function settings(value: object): void {
  mkdirSync(join(cwd, '.ralph'), { recursive: true });
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(value));
}

/** On a machine without a sandbox on its PATH; IS_SANDBOX makes agents accept root. */
function planned(given: Partial<RunRequest>, asksVersion = true, IS_SANDBOX = '1') {
  const env = { PATH: bin, HOME: cwd, IS_SANDBOX };
  return resolveRun(runRequest({ prompt: 'x', ...given }), { cwd, env, self: ['ralph'] }, asksVersion);
}

describe('without settings', () => {
  test('the installed agent works unattended, and the checks are those of the project', async () => {
    writeFileSync(join(cwd, 'go.mod'), 'module x');
    const { request, unprotected } = await planned({ sandbox: FREE });
    expect(request.chosen).toEqual({
      agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
      version: '2.1.325',
      isUnattended: true,
      checks: ['go test ./...', 'go vet ./...'].map((command) => {
        return { command, failAction: 'APPEND', hint: null, timeoutMs: null };
      }),
      origins: { agent: 'installed', checks: 'go.mod' },
    });
    expect(unprotected).toBeNull();
  });

  test('without a sandbox, a person has to agree first; a flag on the command line is enough', async () => {
    const { unprotected } = await planned({});
    const hint = expect.stringContaining('--no-sandbox');
    expect(unprotected).toMatchObject({ agent: 'claude', flags: ['--dangerously-skip-permissions'], hint });
    program('mine', 'true');
    expect((await planned({ agent: 'mine' })).unprotected).toBeNull();
    program('gemini', 'true');
    expect((await planned({ agent: 'gemini' })).unprotected).toMatchObject({ agent: 'gemini', flags: [] });
  });

  test.runIf(process.getuid?.() === 0)('as root, the only problem is that the agent would refuse', async () => {
    expect((await planned({ sandbox: FREE }, false, '')).problems.map(({ code }) => code)).toEqual(['ROOT']);
    expect((await planned({ sandbox: FREE }, false)).problems).toEqual([]);
  });

  test('a version that takes too long is not waited for, and a dry run does not ask for it', async () => {
    program('claude', `echo $$ >"${join(bin, 'asked')}"; exec sleep 60`);
    expect((await planned({ sandbox: FREE }, false)).request.chosen?.version).toBeNull();
    expect(findProgram('asked', bin, '/')).toBeNull();
    expect((await planned({ sandbox: FREE })).request.chosen?.version).toBeNull();
  });

  test('the choice survives the journal', async () => {
    const { request } = await planned({ sandbox: FREE, checks: ['make'] });
    expect(runRequest(JSON.parse(JSON.stringify(request)) as RunRequest)).toEqual(request);
  });
});

describe('with settings', () => {
  test('nothing is chosen, asked or detected', async () => {
    settings({ agent: { command: 'claude' } });
    writeFileSync(join(cwd, 'go.mod'), 'module x');
    const { request, unprotected } = await planned({});
    expect(request).toMatchObject({ chosen: null, sandbox: { kind: 'none' } });
    expect(unprotected).toBeNull();
  });

  test('another agent gets none of their flags, the same agent gets them', async () => {
    settings({ agent: { command: 'claude', flags: ['--verbose'] } });
    program('codex', 'true');
    const chosen = async (agent: string) => (await planned({ agent })).request.chosen?.agent ?? null;
    expect(await chosen('codex')).toEqual({ command: 'codex', flags: [] });
    expect(await chosen('claude')).toBeNull();
  });

  test('need no agent if the command line names one, and need one otherwise', async () => {
    settings({ maximumIterations: 3 });
    expect((await planned({ agent: 'claude' })).taken.settings).toMatchObject({ maximumIterations: 3 });
    await expect(planned({})).rejects.toThrow('agent.command must be configured in settings file');
  });
});
