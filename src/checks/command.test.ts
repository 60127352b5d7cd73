import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { filesOf } from '../../test/support/programs/launching.ts';
import { endProcessesOf, processesOf } from '../../test/support/programs/processes.ts';
import type { Checked } from '../core/check.ts';
import { thisHost } from '../process/host.ts';
import { shellCommand } from './command.ts';
import { type CheckRun, runCheck } from './index.ts';

const LOG = '.ralph/guardrail_001_x.log';
let cwd: string;

beforeEach(() => {
  cwd = testFolder();
});

function check(command: string, keepChars = 100, given: Partial<CheckRun> = {}): Promise<Checked | null> {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const run: CheckRun = {
    check: { kind: 'command', given: { command }, index: 2, log: LOG, keepChars, timeoutMs: null },
    cwd,
    folder,
    mark: folder,
    extraEnv: { RALPH_KEY: '1/check/2' },
    signal: new AbortController().signal,
    expired: () => null,
    grace: 10_000,
    ...given,
  };
  return runCheck(run, thisHost({ PATH: process.env.PATH, FROM: 'outside' }, null));
}

function log(): string {
  return readFileSync(join(cwd, LOG), 'utf8');
}

describe('a guardrail', () => {
  test('passes with exit code 0; its output is in the log, and not told', async () => {
    expect(await check('echo fine; echo also >&2')).toMatchObject({
      index: 2,
      outcome: { is: 'passed' },
      log: LOG,
      output: '',
      truncated: false,
    });
    expect(log()).toBe('fine\nalso\n');
  });

  test('fails with any other, and its output is reported', async () => {
    expect(await check('echo one; echo two >&2; exit 3')).toMatchObject({
      outcome: { is: 'failed', how: 'exit 3', code: 3 },
      output: 'one\ntwo\n',
      truncated: false,
    });
  });

  test('fails when a signal ends it', async () => {
    const checked = await check('kill -SEGV $$; sleep 60');
    expect(checked?.outcome.is).not.toBe('passed');
  });

  test.each([
    ['a pipe', 'mkfifo'],
    ['a link to another file', 'ln -s ../victim'],
  ])('%s that lies in the place of its log is neither waited for nor followed', async (_what, make) => {
    mkdirSync(join(cwd, '.ralph'));
    writeFileSync(join(cwd, 'victim'), 'precious');
    execFileSync('sh', ['-c', `${make} "$0"`, LOG], { cwd });
    expect(await check('echo out; false')).toMatchObject({ outcome: { is: 'failed' }, output: 'out\n' });
    expect(log()).toBe('out\n');
    expect(readFileSync(join(cwd, 'victim'), 'utf8')).toBe('precious');
  });

  test.each(['mkfifo', 'ln -s ../victim', 'true'])(
    'may put something else there itself (%s), and no error is shown',
    async (make) => {
      writeFileSync(join(cwd, 'victim'), 'not its output');
      expect(await check(`echo out; rm ${LOG}; ${make} ${LOG}; false`)).toMatchObject({
        outcome: { is: 'failed' },
        output: '',
      });
    },
  );

  test('runs in a shell, in the work tree, with the environment and its key, and nothing to read', async () => {
    await check('pwd; echo "$FROM $RALPH_KEY" | cat; cat');
    expect(log()).toBe(`${cwd}\noutside 1/check/2\n`);
  });

  test('that does not exist fails with what the shell says', async () => {
    expect(await check('no-such-tool --all')).toMatchObject({
      outcome: { is: 'unrunnable', code: 127 },
      output: expect.stringContaining('no-such-tool'),
    });
  });

  test('leaves nothing running', async () => {
    await check(`(setsid sh -c ': >up; sleep 600; :' ${cwd} &); until [ -e up ]; do sleep 0.01; done; exit 1`);
    expect(existsSync(join(cwd, 'up'))).toBe(true);
    expect(processesOf(cwd)).toEqual([]);
  });

  test('overwrites its log in a second attempt', async () => {
    await check('echo a long first line');
    await check('echo short');
    expect(log()).toBe('short\n');
  });
});

describe('what is told of its output', () => {
  test('is the first characters, and whether there are more; the log has all', async () => {
    expect(await check('printf 0123456789; exit 1', 4)).toMatchObject({ output: '0123', truncated: true });
    expect(log()).toBe('0123456789');
    expect(await check('printf 0123; exit 1', 4)).toMatchObject({ output: '0123', truncated: false });
    expect(await check('exit 1', 4)).toMatchObject({ output: '', truncated: false });
  });

  test('is counted in characters, of which none is cut in two', async () => {
    expect(await check('printf "😀€ä😀€ä😀€ä😀€ä"; exit 1', 5)).toMatchObject({ output: '😀€ä😀€', truncated: true });
    expect(await check('printf "😀😀"; exit 1', 2)).toMatchObject({ output: '😀😀', truncated: false });
    expect(await check('printf "😀😀😀"; exit 1', 2)).toMatchObject({ output: '😀😀', truncated: true });
  });

  test('may be the beginning of a great deal', async () => {
    const checked = await check('yes no | head -c 20000000; exit 1', 5000);
    expect(checked).toMatchObject({ truncated: true });
    expect(checked?.output).toBe('no\n'.repeat(2000).slice(0, 5000));
    expect(log()).toHaveLength(20_000_000);
  });

  test('is the last characters where the check says so', async () => {
    const end = (command: string, keepChars: number) =>
      check(command, keepChars, {
        check: { kind: 'command', given: { command }, index: 0, log: LOG, keepChars, keeps: 'end', timeoutMs: null },
      });
    expect(await end('printf 0123456789; exit 1', 4)).toMatchObject({ output: '6789', truncated: true });
    expect(await end('printf 0123; exit 1', 4)).toMatchObject({ output: '0123', truncated: false });
    expect(await end('exit 1', 4)).toMatchObject({ output: '', truncated: false });
    expect(await end('printf "😀€ä😀€ä😀€ä😀€ä"; exit 1', 5)).toMatchObject({ output: '€ä😀€ä', truncated: true });
    expect(await end('printf "%0100d" 0; printf "ä€"; exit 1', 2)).toMatchObject({ output: 'ä€', truncated: true });
  });

  test('holds no key that the environment holds', async () => {
    expect(await check('echo "key: sk-abcdefghijklmnop1234"; exit 1')).toMatchObject({ output: 'key: ***\n' });
    expect(log()).toBe('key: ***\n');
  });
});

describe('ended from outside', () => {
  async function ended(expired: CheckRun['expired']): Promise<Checked | null> {
    const cancel = new AbortController();
    const running = check('echo begun; : >ready; sleep 600', 100, { signal: cancel.signal, expired });
    await filesOf(cwd).made('ready');
    cancel.abort();
    const checked = await running;
    expect(existsSync(join(cwd, LOG))).toBe(true);
    return checked;
  }

  test('it has said nothing', async () => {
    expect(await ended(() => null)).toBeNull();
  });

  test('for taking too long, it has failed with what it had printed', async () => {
    const late = { by: 'timeout', afterMs: 1000 } as const;
    expect(await ended(() => late)).toMatchObject({
      outcome: { is: 'timed-out', afterMs: late.afterMs },
      output: 'begun\n',
    });
  });
});

test('the shell is that of the platform', () => {
  expect(shellCommand('make "a b"', 'linux')).toEqual(['sh', '-c', 'make "a b"']);
  expect(shellCommand('make "a b"', 'darwin')).toEqual(['sh', '-c', 'make "a b"']);
  expect(shellCommand('make "a b"', 'win32')).toEqual(['cmd', '/c', 'make "a b"']);
});
