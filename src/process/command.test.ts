import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { levelsOfThisMachine } from '../../test/support/levels.ts';
import { filesOf, shell, start } from '../../test/support/programs/launching.ts';
import { endProcessesOf, processesOf } from '../../test/support/programs/processes.ts';
import { type Exit, exitNumber } from '../core/outcome.ts';
import { type CommandRun, endCutOff, runThroughPipe, runToFile } from './command.ts';
import { type Host, thisHost } from './host.ts';
import { LaunchError } from './launch.ts';

const STUBBORN = 'trap "" TERM HUP INT; echo >ready; while :; do sleep 60; done';
const POLITE = 'trap "echo bye; exit 7" TERM; echo >ready; while :; do sleep 0.01; done';
/** Long enough never to run out. */
const PATIENT = 60_000;

const RUNNERS = { runToFile, runThroughPipe } as const;
const EACH_WAY = levelsOfThisMachine().flatMap((level) =>
  (['runToFile', 'runThroughPipe'] as const).map((how) => [how, level] as const),
);

interface Scene {
  readonly run: CommandRun;
  readonly host: Host;
  readonly said: () => string;
  readonly made: (name: string) => Promise<void>;
  readonly abort: () => void;
}

/** Runs shell lines in a folder that they find in `$SCENE`. */
function scene(lines: string, level: Host['containment']['level'], given: Partial<CommandRun> = {}): Scene {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const controller = new AbortController();
  const run: CommandRun = {
    argv: ['sh', '-c', lines],
    cwd: folder,
    folder,
    mark: `test/${randomUUID()}`,
    output: join(folder, 'output.log'),
    extraEnv: {},
    signal: controller.signal,
    grace: 0,
    ...given,
  };
  return {
    run,
    host: thisHost({ PATH: process.env.PATH, SCENE: folder }, level),
    said: () => readFileSync(run.output, 'utf8'),
    made: filesOf(folder).made,
    abort: () => controller.abort(),
  };
}

function numberOf(exit: Exit | null): number | null {
  return exit === null ? null : exitNumber(exit);
}

describe.each(EACH_WAY)('%s, on the level "%s"', (how, level) => {
  const runCommand = RUNNERS[how];

  test('keeps the order of stdout and stderr, and tells the exit code', async () => {
    const { run, host, said } = scene('for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; exit 3', level);
    expect(await runCommand(run, host)).toEqual({ by: 'code', code: 3 });
    expect(said()).toBe([1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join(''));
    expect(statSync(run.output).mode & 0o777).toBe(0o600);
  });

  test('keeps every byte of much output', async () => {
    const { run, host, said } = scene('seq 1 300000; seq 300001 300100 >&2', level);
    expect(numberOf(await runCommand(run, host))).toBe(0);
    const expected = Array.from({ length: 300_100 }, (_, index) => `${index + 1}\n`).join('');
    expect(said() === expected).toBe(true);
  });

  test('never tells of a death by a signal as success', async () => {
    const { run, host } = scene('kill -KILL $$', level);
    expect(numberOf(await runCommand(run, host))).toBe(137);
  });

  test('gives the command its directory, its environment, its words and nothing to read', async () => {
    const lines = 'pwd; echo "$RALPH_KEY $1 $2"; cat; env | grep -c "^SECRET="';
    const { run, host, said } = scene('', level, {
      argv: ['sh', '-c', lines, 'sh', 'two words', '$HOME'],
      extraEnv: { RALPH_KEY: '1/check/1' },
    });
    expect(numberOf(await runCommand(run, host))).toBe(1);
    expect(said()).toBe(`${run.cwd}\n1/check/1 two words $HOME\n0\n`);
  });

  test('leaves nothing behind that the command left at work', async () => {
    const { run, host, said } = scene('sleep 60 & (setsid sleep 60 &) ; echo done', level);
    expect(numberOf(await runCommand(run, host))).toBe(0);
    expect(said()).toBe('done\n');
    expect(processesOf(run.cwd)).toEqual([]);
  });

  test('ends what ignores the request to end, and has no exit then', async () => {
    const { run, host, made, abort } = scene(STUBBORN, level, { grace: 10 });
    const ended = runCommand(run, host);
    await made('ready');
    abort();
    expect(await ended).toBeNull();
    expect(processesOf(run.cwd)).toEqual([]);
  });

  test('lets who heeds the request say good-bye', async () => {
    const { run, host, said, made, abort } = scene(POLITE, level, { grace: PATIENT });
    const ended = runCommand(run, host);
    await made('ready');
    abort();
    expect(await ended).toBeNull();
    // Some shells also report their child's end.
    expect(said()).toMatch(/bye\n$/);
  });

  test('that is not wanted any more when it begins is ended at once', async () => {
    const { run, host, abort } = scene('sleep 60; echo late >late', level);
    abort();
    expect(await runCommand(run, host)).toBeNull();
    expect(processesOf(run.cwd)).toEqual([]);
    expect(existsSync(join(run.cwd, 'late'))).toBe(false);
  });
});

describe('what comes through a pipe', () => {
  test('is not emptied by a command that opens /dev/stderr or /dev/stdout', async () => {
    const { run, host, said } = scene('echo first; echo x >/dev/stderr; echo y >/dev/stdout; echo last', 'group');
    expect(numberOf(await runThroughPipe(run, host))).toBe(0);
    expect(said()).toBe('first\nx\ny\nlast\n');
  });

  test('replaces what an earlier run wrote', async () => {
    const { run, host, said } = scene('echo new', 'group');
    writeFileSync(run.output, 'old and longer\n');
    await runThroughPipe(run, host);
    expect(said()).toBe('new\n');
  });

  test('for which there is no room ends the command, and says where', async () => {
    const lines = 'echo much; echo >ready; while :; do sleep 60; done';
    const { run, host } = scene(lines, 'group', { output: '/dev/full' });
    await expect(runThroughPipe(run, host)).rejects.toMatchObject({ code: 'ENOSPC', path: '/dev/full' });
    expect(processesOf(run.cwd)).toEqual([]);
  });

  test('of a program that is not there cannot come: it is reported', async () => {
    const { run, host } = scene('', 'group', { argv: ['/no/such/program'] });
    await expect(runThroughPipe(run, host)).rejects.toThrow(LaunchError);
  });
});

test('to a file: a program that is not there cannot be started', async () => {
  const { run, host } = scene('', 'group', { argv: ['/no/such/program'] });
  await expect(runToFile(run, host)).rejects.toThrow('cannot start /no/such/program');
});

describe.each(levelsOfThisMachine())('what an attempt left whose supervisor died, on the level "%s"', (level) => {
  const { containment } = thisHost({}, level);

  test('is ended with everything it started', async () => {
    const spec = shell(`(setsid sleep 60 &) ; ${STUBBORN}`);
    const { folder, made } = await start(containment, spec);
    await made('ready');
    await endCutOff(folder, [spec.mark], 10);
    expect(processesOf(folder)).toEqual([]);
  });

  test('is asked first', async () => {
    const spec = shell(POLITE);
    const { folder, made, text } = await start(containment, spec);
    await made('ready');
    await endCutOff(folder, [spec.mark], PATIENT);
    expect(text('stdout.log')).toBe('bye\n');
  });

  test('is let finish where it must not be cut off', async () => {
    const spec = shell('echo >ready; until [ -e go ]; do sleep 0.01; done; echo >finished');
    const { folder, made } = await start(containment, spec);
    await made('ready');
    const over = endCutOff(folder, [spec.mark], 0, PATIENT);
    expect(existsSync(join(folder, 'finished'))).toBe(false);
    writeFileSync(join(folder, 'go'), '');
    await over;
    expect(existsSync(join(folder, 'finished'))).toBe(true);
    expect(processesOf(folder)).toEqual([]);
  });

  test('is ended also there when it takes too long', async () => {
    const spec = shell(STUBBORN);
    const { folder, made } = await start(containment, spec);
    await made('ready');
    await endCutOff(folder, [spec.mark], 10, 20);
    expect(processesOf(folder)).toEqual([]);
  });

  test('is of the last attempt that came to a start', async () => {
    const first = shell('echo first');
    const { exited } = await start(containment, first);
    await exited;
    const last = shell('echo >ready; sleep 60', first.folder);
    const { folder, made } = await start(containment, last);
    await made('ready');
    await endCutOff(folder, [first.mark, last.mark, `${last.mark}-only-claimed`], 0);
    expect(processesOf(folder)).toEqual([]);
  });

  test('is not confused with another run', async () => {
    const spec = shell('echo >ready; sleep 60');
    const { folder, made } = await start(containment, spec);
    await made('ready');
    for (const others of [[], [`${spec.mark}1`]]) {
      await endCutOff(folder, others, 0);
      await endCutOff(folder, others, 0, PATIENT);
    }
    expect(processesOf(folder)).not.toEqual([]);
  });
});
