/**
 * Kills the binary with `kill -9` around records and process starts and at random moments, and resumes the loop. Tries
 * every moment when run nightly, otherwise a sample.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { CONTAINMENT_LEVELS, type ContainmentLevel } from '../../src/process/containment/levels.ts';
import { levelsOfThisMachine } from '../support/levels.ts';
import { sweep, times } from '../support/sweep.ts';
import { judge } from './oracle.ts';
import { deathOf, journals, makeScene, type Scene } from './scene.ts';

const RUN = ['run', '-p', 'Do the next step.', '-m', '20'];
const RANDOM_KILLS = times(200, 10);
/** How many moments are tried per level in CI; each level draws different ones. */
const RECORD_MOMENTS = 9;
const START_MOMENTS = 4;
const AT_ONCE = 3;

const here = levelsOfThisMachine();

test(`this machine has the containment levels ${here.join(', ')}`, () => {
  expect(here).toContain('group');
  expect(CONTAINMENT_LEVELS).toEqual(expect.arrayContaining(here));
});

describe.each(here)('contained by %s', (level) => {
  let records = 0;
  let starts = 0;
  let kills = 0;
  afterAll(() =>
    console.log(
      `${level}: ${records} records and ${starts} starts in an unharmed loop; ${kills} kills at random moments`,
    ),
  );

  test('a loop that is not killed satisfies the oracle', async () => {
    await inScene(level, async (scene) => {
      const death = await deathOf(scene.ralph(RUN));
      expect(death).toMatchObject({ killed: false, code: 0 });
      const [journal = ''] = journals(scene);
      records = journal.trim().split('\n').length;
      // Agents and their messages, guardrails, calls of git and commits.
      starts = journal.match(/"kind":"(started|checked|published)"/g)?.length ?? 0;
    });
  });

  test('a loop killed before, after or in the middle of a record can be resumed', async () => {
    expect(records).toBeGreaterThan(20);
    const moments = numbers(records).flatMap((n) => [`before:${n}`, `after:${n}`, `torn:${n}`]);
    await each(sweep(moments, RECORD_MOMENTS, here.indexOf(level)), (moment) => killedOnce(level, moment));
  });

  test('a loop killed before or after it starts a process, before it records that, can be resumed', async () => {
    expect(starts).toBeGreaterThan(10);
    const moments = numbers(starts).flatMap((n) => [`before-spawn:${n}`, `after-spawn:${n}`]);
    await each(sweep(moments, START_MOMENTS, here.indexOf(level)), (moment) => killedOnce(level, moment));
  });

  test(`loops killed at ${RANDOM_KILLS} random moments can be resumed until they end`, async () => {
    const enough = (): boolean => kills >= RANDOM_KILLS;
    await each(numbers(AT_ONCE), async () => {
      while (!enough()) {
        await inScene(level, (scene) =>
          turnUntilEnd(scene, async (child) => {
            // Later each time, so that the loop also ends on a slow machine.
            await Promise.race([sleep(40 + Math.random() * (260 + 40 * child.earlierKills)), child.exited]);
            if (child.kill()) kills++;
          }),
        );
      }
    });
    expect(kills).toBeGreaterThanOrEqual(RANDOM_KILLS);
  });
});

async function killedOnce(level: ContainmentLevel, moment: string): Promise<void> {
  await inScene(level, async (scene) => {
    const death = await deathOf(scene.ralph(RUN, moment));
    expect({ moment, ...death }).toEqual({ moment, killed: true });
    await turnUntilEnd(scene, leaveAlone);
  });
}

interface Victim {
  readonly exited: Promise<unknown>;
  readonly earlierKills: number;
  kill(): boolean;
}

/** Starts and resumes the loop until it has ended; `meddle` may kill each run. */
async function turnUntilEnd(scene: Scene, meddle: (child: Victim) => Promise<void>): Promise<void> {
  for (let earlierKills = 0; ; earlierKills++) {
    const began = journals(scene).some((text) => text.includes('\n'));
    const child = scene.ralph(began ? ['resume'] : RUN);
    const exited = deathOf(child);
    await meddle({ exited, earlierKills, kill: () => child.exitCode === null && child.kill('SIGKILL') });
    const death = await exited;
    if (death.killed) continue;
    // If it was killed between its last record and its exit, nothing is left to resume.
    const nothingLeft = death.code === 2 && death.stderr.includes('no unfinished loop');
    expect(death.code === 0 || nothingLeft ? 'ended' : death).toBe('ended');
    return;
  }
}

async function leaveAlone(): Promise<void> {
  // Lets the run end by itself.
}

async function inScene(level: ContainmentLevel, play: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = makeScene(level);
  await play(scene);
  judge(scene);
  // The folder of a failed scene is kept for inspection.
  scene.remove();
}

async function each<T>(items: readonly T[], play: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await play(item);
  };
  await Promise.all(numbers(AT_ONCE).map(worker));
}

function numbers(upTo: number): number[] {
  return Array.from({ length: upTo }, (_, index) => index + 1);
}
