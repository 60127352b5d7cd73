import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelsOfThisMachine } from '../../test/support/levels.ts';
import { shell, start } from '../../test/support/programs/launching.ts';
import { processesOf } from '../../test/support/programs/processes.ts';
import { exitNumber } from '../core/outcome.ts';
import { containmentOf } from './containment/containment.ts';
import { endRun, isGone, sweep } from './end.ts';

const here = levelsOfThisMachine();
const STUBBORN = 'trap "" TERM HUP INT; echo >ready; while :; do sleep 60; done';
const UNTIL_READY = 'until [ -e ready ]; do sleep 0.01; done; exit 5';
/** Two forks and its own session; `tail` has the folder on its command line, whatever its environment. */
const DAEMON = '(setsid tail -f "$SCENE/stdout.log" >/dev/null 2>&1 &)';
const BARE_DAEMON = '(env -i setsid tail -f "$SCENE/stdout.log" >/dev/null 2>&1 &)';

function daemonsOf(folder: string): string[] {
  return processesOf(folder)
    .map(({ command }) => command)
    .filter((command) => command.startsWith('tail -f'));
}

describe.each(here)('on the level "%s"', (level) => {
  const containment = containmentOf(level);

  test('an agent that ignores SIGTERM is gone after the grace, and not before', async () => {
    const { trace, exited, made, folder } = await start(containment, shell(STUBBORN));
    await made('ready');
    const began = performance.now();
    await expect(endRun(trace, 100)).resolves.toBe(true);
    expect(performance.now() - began).toBeGreaterThanOrEqual(100);
    expect(processesOf(folder)).toEqual([]);
    expect(exitNumber(await exited)).toBe(137);
  });

  test('an agent that heeds SIGTERM is given the time to say good-bye, and its exit code arrives', async () => {
    const lines = 'trap "sleep 0.05; echo bye; exit 7" TERM; echo >ready; while :; do sleep 0.01; done';
    const { trace, exited, made, text } = await start(containment, shell(lines));
    await made('ready');
    await expect(endRun(trace, 20_000)).resolves.toBe(true);
    expect(text('stdout.log')).toBe('bye\n');
    expect(await exited).toEqual({ by: 'code', code: 7 });
  });

  test('without grace no process is asked', async () => {
    const lines = 'trap "echo asked; exit 7" TERM; echo >ready; while :; do sleep 0.01; done';
    const { trace, exited, made, text } = await start(containment, shell(lines));
    await made('ready');
    await expect(endRun(trace, 0)).resolves.toBe(true);
    expect(exitNumber(await exited)).toBe(137);
    expect(text('stdout.log')).toBe('');
  });

  test('everything an agent started goes with it: children, their children, and daemons', async () => {
    const lines = `${DAEMON}; sh -c 'sh -c "sleep 60; :" & sleep 60; :' & ${STUBBORN}`;
    const { trace, made, folder } = await start(containment, shell(lines));
    await made('ready');
    await expect.poll(() => daemonsOf(folder), { interval: 5 }).toHaveLength(1);
    await expect.poll(() => processesOf(folder).length, { interval: 5 }).toBeGreaterThanOrEqual(5);
    await expect(endRun(trace, 10)).resolves.toBe(true);
    expect(processesOf(folder)).toEqual([]);
    expect(isGone(trace)).toBe(true);
  });

  test('a daemon that its agent left behind is gone after the sweep', async () => {
    const { trace, exited, folder } = await start(
      containment,
      shell(`${DAEMON}; until [ -e go ]; do sleep 0.01; done`),
    );
    await expect.poll(() => daemonsOf(folder), { interval: 5 }).toHaveLength(1);
    writeFileSync(join(folder, 'go'), '');
    await exited;
    await sweep(trace, 20_000);
    expect(daemonsOf(folder)).toEqual([]);
    expect(isGone(trace)).toBe(true);
  });

  test('what an agent left behind is asked first, and has the grace to say good-bye', async () => {
    const lines = `(trap 'sleep 0.05; echo bye; exit' TERM; echo >ready; while :; do sleep 0.01; done) & ${UNTIL_READY}`;
    const { trace, exited, text, folder } = await start(containment, { ...shell(lines), grace: 20_000 });
    await expect(exited).resolves.toEqual({ by: 'code', code: 5 });
    await sweep(trace, 20_000);
    expect(text('stdout.log')).toBe('bye\n');
    expect(processesOf(folder)).toEqual([]);
  });

  test('what does not mind is killed after the grace', async () => {
    const { trace, exited, folder } = await start(containment, {
      ...shell(`(${STUBBORN}) & ${UNTIL_READY}`),
      grace: 100,
    });
    await expect(exited).resolves.toEqual({ by: 'code', code: 5 });
    await sweep(trace, 100);
    expect(processesOf(folder)).toEqual([]);
    expect(isGone(trace)).toBe(true);
  });

  const holds = level !== 'group';
  const verdict = holds ? 'is gone, too' : 'escapes: this level is best effort';
  test(`a daemon with an emptied environment ${verdict}`, async () => {
    const lines = `${BARE_DAEMON}; until [ -e go ]; do sleep 0.01; done`;
    const { trace, exited, folder } = await start(containment, shell(lines));
    await expect.poll(() => daemonsOf(folder), { interval: 5 }).toHaveLength(1);
    writeFileSync(join(folder, 'go'), '');
    await exited;
    await sweep(trace, 0);
    expect(isGone(trace)).toBe(true);
    expect(daemonsOf(folder)).toHaveLength(holds ? 0 : 1);
  });

  test('ending what is gone already says so at once, and leaves nothing of the containment', async () => {
    const { trace, exited } = await start(containment, { ...shell('true'), grace: 60_000 });
    await exited;
    await expect(endRun(trace, 60_000)).resolves.toBe(true);
    await sweep(trace, 60_000);
    expect(existsSync(trace.plan.leaf ?? '/no/leaf')).toBe(false);
  });

  test('a run that was planned and never started is gone', async () => {
    const { trace, exited } = await start(containment, shell('true'));
    await exited;
    await sweep(trace, 0);
    expect(isGone({ plan: { ...trace.plan, mark: 'never' }, leader: null })).toBe(true);
  });
});

// On the weakest level this is a race that ralph does not have to win.
test.each(here.filter((level) => level !== 'group'))(
  'on the level "%s" a chain of processes that each start the next and leave is ended',
  async (level) => {
    const lines =
      'printf \'#!/bin/sh\\nenv -i setsid "$0" &\\n\' >chain; chmod +x chain; "$SCENE/chain"; echo >ready; sleep 60';
    const { trace, made, folder } = await start(containmentOf(level), shell(lines));
    await made('ready');
    await expect(endRun(trace, 0)).resolves.toBe(true);
    expect(processesOf(folder)).toEqual([]);
  },
);
