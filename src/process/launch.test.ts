import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { levelsOfThisMachine } from '../../test/support/levels.ts';
import { filesOf, shell, start as startHere } from '../../test/support/programs/launching.ts';
import { nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { cgroupsHere, endProcessesOf, processesOf } from '../../test/support/programs/processes.ts';
import { exitNumber } from '../core/outcome.ts';
import { membersOf } from './containment/cgroup.ts';
import { containmentOf } from './containment/containment.ts';
import { endRun, isGone, sweep } from './end.ts';
import { LaunchError } from './launch.ts';
import { readTrace, type Trace } from './trace.ts';

const here = levelsOfThisMachine();

describe.each(here)('on the level "%s"', (level) => {
  const containment = containmentOf(level);
  const start = (spec: ReturnType<typeof shell>): ReturnType<typeof startHere> => startHere(containment, spec);

  test.each([
    ['exit 3', 3],
    ['exit 0', 0],
    ['kill -TERM $$; sleep 60', 143],
    ['kill -KILL $$; sleep 60', 137],
    ['kill -SEGV $$; sleep 60', 139],
  ])('the exit of `%s` arrives: a death by a signal is never 0', async (lines, number) => {
    const { exited } = await start(shell(lines));
    expect(exitNumber(await exited)).toBe(number);
  });

  test('a program reads its stdin from a file and writes to files that only the user may read', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'in'), 'the prompt');
    const { exited, text } = await start({ ...shell('cat; echo oops >&2', folder), stdin: 'in' });
    await exited;
    expect([text('stdout.log'), text('stderr.log')]).toEqual(['the prompt', 'oops\n']);
    expect(statSync(join(folder, 'stdout.log')).mode & 0o777).toBe(0o600);
  });

  test('without stdin there is nothing to read, and the program does not wait for it', async () => {
    const { exited, text } = await start(shell('cat; echo read'));
    await exited;
    expect(text('stdout.log')).toBe('read\n');
  });

  test('stdout and stderr can go to one file, in the order they were written', async () => {
    const lines = 'for i in 1 2 3; do echo out $i; echo err $i >&2; done';
    const { exited, text } = await start({ ...shell(lines), stdout: 'both', stderr: 'both' });
    await exited;
    expect(text('both')).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
  });

  test('arguments arrive as they are: nothing is expanded, split or joined', async () => {
    const words = ['$(id)', '`id`', 'a  b', "it's", '"', '', '-n', 'a\nb', '😀'];
    const argv = ['sh', '-c', 'printf "%s\\0" "$@"', 'sh', ...words] as const;
    const { exited, text } = await start({ ...shell(''), argv });
    await exited;
    expect(text('stdout.log')).toBe(words.map((word) => `${word}\0`).join(''));
  });

  test('what is on disk about the run leads to its processes, which are in a group of their own', async () => {
    const spec = shell('sleep 60; :');
    const { folder, trace } = await start(spec);
    expect(readTrace(folder, spec.mark)).toEqual(trace);
    expect(trace.plan).toMatchObject({ level: level, mark: spec.mark });
    expect(isGone(trace)).toBe(false);
    const first = trace.leader?.pid ?? membersOf(trace.plan.leaf ?? '')[0] ?? 0;
    expect(process.kill(-first, 0)).toBe(true);
  });

  test('runs that share a folder are told apart by their marks', async () => {
    const folder = testFolder();
    const [one, two] = [shell('sleep 60; :', folder), shell('sleep 60; :', folder)];
    const first = await start(one);
    const second = await start(two);
    await endRun(first.trace, 0);
    expect(readTrace(folder, one.mark)).toEqual(first.trace);
    expect(isGone(second.trace)).toBe(false);
  });

  test('its mark is added to the marks of the runs around it', async () => {
    const spec = shell('echo "$RALPH_MARK"');
    const { exited, text } = await start({ ...spec, env: { ...spec.env, RALPH_MARK: 'outer middle' } });
    await exited;
    expect(text('stdout.log')).toBe(`outer middle ${spec.mark}\n`);
  });

  test('a daemon that keeps the output open delays nothing: the end is the exit', async () => {
    const daemon = `setsid sh -c 'trap "" TERM; : >up; while :; do sleep 60; done' "$SCENE" &`;
    const lines = `${daemon}\nuntil [ -e up ]; do sleep 0.01; done; echo bye`;
    const { exited, trace, folder, text } = await start(shell(lines));
    await exited;
    expect(text('stdout.log')).toBe('bye\n');
    // It still exists until the sweep, except in a namespace, which ends with its init.
    expect(processesOf(folder).length > 0).toBe(level !== 'pid-namespace');
    await sweep(trace, 0);
    expect(processesOf(folder)).toEqual([]);
  });

  describe('a supervisor that is killed', () => {
    const supervise = (tethered: boolean): string => `
      import { containmentOf } from './src/process/containment/containment.ts';
      import { launch } from './src/process/launch.ts';
      const folder = process.argv[2];
      const lines = 'trap "" TERM HUP; echo >ready; while :; do sleep 60; done';
      await launch({ argv: ['sh', '-c', lines, folder], cwd: folder, env: process.env, folder, mark: folder,
        stdout: 'o', stderr: 'e', containment: containmentOf('${level}'), tethered: ${tethered} });
      console.log('launched');
      process.stdin.resume();`;

    async function killed(tethered: boolean): Promise<string> {
      const folder = testFolder();
      onTestFinished(() => void endProcessesOf(folder));
      const supervisor = startProgram(await nodeProgram(supervise(tethered)), [folder]);
      await Promise.all([once(supervisor.stdout ?? supervisor, 'data'), filesOf(folder).made('ready')]);
      supervisor.kill('SIGKILL');
      await once(supervisor, 'exit');
      return folder;
    }

    test('takes a tethered program with it', async () => {
      const folder = await killed(true);
      const programs = (): string[] =>
        processesOf(folder)
          .map(({ command }) => command)
          .filter((command) => command.includes('trap'));
      await expect.poll(programs, { interval: 5 }).toEqual([]);
      await expect(endRun(traceIn(folder), 0)).resolves.toBe(true);
    });

    test('leaves any other at work, and what is on disk is enough to end all of it', async () => {
      const folder = await killed(false);
      const trace = traceIn(folder);
      expect(isGone(trace)).toBe(false);
      expect(processesOf(folder)).not.toEqual([]);
      await expect(endRun(trace, 0)).resolves.toBe(true);
      expect(processesOf(folder)).toEqual([]);
    });
  });

  test('a directory that is not there is a LaunchError, and nothing is left', async () => {
    const spec = { ...shell('true'), cwd: '/not/there' };
    await expect(start(spec)).rejects.toThrow(LaunchError);
    const trace = readTrace(spec.folder, spec.mark);
    expect(trace).toMatchObject({ leader: null });
    expect(trace !== null && isGone(trace)).toBe(true);
    expect(leaves()).not.toContain(leafOf(spec.mark));
  });
});

describe('a program that is not there', () => {
  const missing = (): ReturnType<typeof shell> => ({ ...shell(''), argv: ['/not/there/agent'] });

  test.each(here.filter((level) => level !== 'pid-namespace'))(
    'is a LaunchError on the level "%s", and nothing is left',
    async (level) => {
      const spec = missing();
      await expect(startHere(containmentOf(level), spec)).rejects.toThrow(
        /^cannot start \/not\/there\/agent: .*ENOENT/,
      );
      await expect(startHere(containmentOf(level), missing())).rejects.toThrow(LaunchError);
      expect(leaves()).not.toContain(leafOf(spec.mark));
    },
  );

  test.each(here.filter((level) => level === 'pid-namespace'))(
    'is exit 127 on the level "%s", whose init looks for it',
    async (level) => {
      const { exited, text } = await startHere(containmentOf(level), missing());
      expect(await exited).toEqual({ by: 'code', code: 127 });
      expect(text('stderr.log')).toContain('/not/there/agent');
    },
  );
});

/** The trace of the supervisor's program, whose mark is its folder. */
function traceIn(folder: string): Trace {
  const trace = readTrace(folder, folder);
  if (trace === null) throw new Error('nothing leads to the program');
  return trace;
}

function leaves(): string[] {
  return cgroupsHere().map((path) => basename(path));
}

function leafOf(mark: string): string {
  return `ralph-${mark.replaceAll('/', '-')}`;
}
