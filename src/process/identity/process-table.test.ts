import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { filesOf } from '../../../test/support/programs/launching.ts';
import { endProcessesOf } from '../../../test/support/programs/processes.ts';
import { identify, type ProcessIdentity } from './identity.ts';
import { readTableFrom } from './identity-linux.ts';
import { livingOf, lookFor } from './process-table.ts';

function processesOf(mark: string, leader: ProcessIdentity | null): number[] {
  return livingOf(mark, leader).map(({ pid }) => pid);
}

const NOBODYS = 'nobodys-mark';

interface Leader {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
  write(name: string): void;
  /** The pid that the lines wrote to a file of this name. */
  pid(name: string): Promise<number>;
}

/** Runs lines in a group of their own; they write pids to files, and never end by themselves. */
function start(lines: string, mark?: string): Leader {
  const folder = testFolder();
  onTestFinished(() => void endProcessesOf(folder));
  const env = { PATH: process.env.PATH, SCENE: folder, ...(mark === undefined ? {} : { RALPH_MARK: mark }) };
  const child = spawn('sh', ['-c', `${lines}\nsleep 600; :`, folder], {
    cwd: folder,
    env,
    detached: true,
    stdio: 'ignore',
  });
  const identity = identify(child.pid ?? 0);
  if (identity === null) throw new Error('it ended before it was seen');
  const files = filesOf(folder);
  return {
    child,
    identity,
    write: (name) => writeFileSync(join(folder, name), ''),
    async pid(name) {
      await files.made(name);
      return Number(files.text(name));
    },
  };
}

describe('to a run belong', () => {
  test('its first process and everybody in its group', async () => {
    const leader = start('sleep 600 & echo $! >.member; mv .member member');
    const member = await leader.pid('member');
    expect(processesOf(NOBODYS, leader.identity)).toEqual(expect.arrayContaining([leader.identity.pid, member]));
  });

  test('its descendants in whatever session', async () => {
    const leader = start(`setsid sh -c 'echo $$ >.far; mv .far far; sleep 600; :' &`);
    const far = await leader.pid('far');
    expect(processesOf(NOBODYS, leader.identity)).toContain(far);
  });

  test('orphans of its group, when the first process is gone', async () => {
    const leader = start('sleep 600 & echo $! >.orphan; mv .orphan orphan; until [ -e go ]; do sleep 0.01; done; exit');
    const orphan = await leader.pid('orphan');
    leader.write('go');
    await once(leader.child, 'exit');
    // One of its short sleeps may still be running.
    expect(processesOf(NOBODYS, leader.identity)).toContain(orphan);
  });

  test('processes that carry its mark, also among other marks, and their children', async () => {
    const lines = `setsid sh -c 'env -i sleep 600 & echo $! >.child; mv .child child; sleep 600; :' &`;
    const child = await start(lines, 'outer run-1 inner').pid('child');
    // Its environment is empty, so the cleanup by the test's folder does not find it.
    onTestFinished(() => void process.kill(child, 'SIGKILL'));
    for (const mark of ['outer', 'run-1', 'inner']) expect(processesOf(mark, null)).toContain(child);
  });
});

describe('to a run do not belong', () => {
  test('processes with a mark that only begins like it', () => {
    start('', 'run-11');
    expect(processesOf('run-1', null)).toEqual([]);
  });

  test('processes of another that was given its pid', async () => {
    const leader = start('sleep 600 & echo $! >.member; mv .member member');
    await leader.pid('member');
    expect(processesOf(NOBODYS, { ...leader.identity, startTime: '1' })).toEqual([]);
  });

  test('the dead that are not reaped yet', async () => {
    const leader = start('until [ -e go ]; do :; done & echo $! >.dead; mv .dead dead; exec sleep 600');
    const dead = await leader.pid('dead');
    await vi.waitUntil(() => readFileSync(`/proc/${leader.identity.pid}/comm`, 'utf8') === 'sleep\n', { interval: 5 });
    expect(processesOf(NOBODYS, leader.identity)).toContain(dead);
    leader.write('go');
    await vi.waitUntil(() => identify(dead) === null, { interval: 5 });
    expect(processesOf(NOBODYS, leader.identity)).toEqual([leader.identity.pid]);
  });

  test('the process that asks', () => {
    expect(processesOf(NOBODYS, identify(process.pid))).not.toContain(process.pid);
  });
});

describe('a look at the table', () => {
  test('is certain where nothing was started meanwhile', async () => {
    const leader = start('');
    // Other programs on the machine may start something during one look, but not during all of them.
    await vi.waitFor(() => expect(lookFor(NOBODYS, leader.identity).isCertain).toBe(true), { timeout: 20_000 });
  });

  test('is not certain while a younger process shows no environment, as during an exec', async () => {
    const leader = start('');
    const bare = spawn('sleep', ['600'], { env: {}, stdio: 'ignore' });
    onTestFinished(() => void bare.kill('SIGKILL'));
    await vi.waitFor(() => expect(readFileSync(`/proc/${bare.pid}/comm`, 'utf8')).toBe('sleep\n'));
    expect(lookFor(NOBODYS, leader.identity)).toMatchObject({ isCertain: false });
  });

  test('is not certain where numbers began again, or where the run left none', () => {
    const { identity } = start('');
    expect(lookFor(NOBODYS, { ...identity, pid: 2 ** 22 }).isCertain).toBe(false);
    expect(lookFor(NOBODYS, null).isCertain).toBe(false);
  });
});

/** However long the test took to get here. */
function startedNow(identity: ProcessIdentity): ProcessIdentity {
  return { ...identity, startTime: String(Math.floor(uptime() * 100)) };
}

describe('of a run that has just begun, the processes above its number are enough', () => {
  test('whatever it started is among them', async () => {
    const leader = start('setsid env -i sleep 600 & echo $! >.far; mv .far far');
    const far = await leader.pid('far');
    // Its environment is empty, so the cleanup by the test's folder does not find it.
    onTestFinished(() => void process.kill(far, 'SIGKILL'));
    const { pid } = leader.identity;
    const rows = readTableFrom(startedNow(leader.identity), far)?.rows ?? [];
    expect(rows.map((row) => row.pid)).toEqual(expect.arrayContaining([pid, far]));
    expect(rows.every((row) => row.pid >= pid)).toBe(true);
  });

  test('unless numbers may have begun again since, or are many', () => {
    const identity = startedNow(start('').identity);
    const { pid } = identity;
    expect(readTableFrom(identity, pid)).not.toBeNull();
    expect(readTableFrom({ ...identity, startTime: '1' }, pid)).toBeNull();
    expect(readTableFrom(identity, pid - 1)).toBeNull();
    expect(readTableFrom(identity, pid + 1000)).toBeNull();
  });
});
