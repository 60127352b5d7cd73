/** `--at`: the loop is created at once and shows when it starts; its first agent starts at that time. */
import { describe, expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

/** The local time, to the second. */
function inSeconds(seconds: number): string {
  const at = Date.now() + seconds * 1000;
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const TOMORROW = inSeconds(24 * 60 * 60);

async function listed(scene: Scene): Promise<string> {
  return (await scene.shell('ralph ls')).stdout;
}

describe('ralph run --at', () => {
  test('starts its agent at that time, and does not count the wait as work', async () => {
    const scene = makeScene({ play: DONE });
    const from = Date.now();
    const { code, stderr } = await scene.run('--at', inSeconds(3));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Starts at \d{4}-\d\d-\d\d \d\d:\d\d \(in [23]s\)\.$/m);
    const [created, ...rest] = scene.journal();
    const notBefore = created?.result.kind === 'created' ? (created.result.terms?.notBefore ?? 0) : 0;
    const started = rest.find(({ result }) => result.kind === 'started');
    expect(notBefore).toBeGreaterThan(from);
    expect(started?.at).toBeGreaterThanOrEqual(notBefore);
    expect((await scene.shell('ralph ls --json')).stdout).toMatch(/"workedMs": [01]?\d{1,3},/);
  });

  test('shows when it starts, can be stopped, and keeps its start time when resumed', async () => {
    const scene = makeScene({ play: DONE });
    const waiting = scene.ralph(['run', '-p', 'x', '--at', TOMORROW]);
    await waiting.says('Starts at ');
    await expect.poll(() => listed(scene)).toContain(`starts at ${new Date(TOMORROW).toDateString().slice(0, 3)} `);
    expect((await scene.shell('ralph stop')).code).toBe(0);
    expect((await waiting.exited).code).toBe(130);
    expect(scene.starts()).toEqual([]);
    const resumed = scene.ralph(['resume']);
    await resumed.says('Starts at ');
    expect(await listed(scene)).toContain('starts at');
    resumed.signal('SIGINT');
    expect((await resumed.exited).code).toBe(130);
    expect(scene.starts()).toEqual([]);
  });

  test('waits in the background with --detach', async () => {
    const scene = makeScene({ play: DONE });
    expect((await scene.run('--detach', '--at', TOMORROW)).code).toBe(0);
    await scene.journalSays('"kind":"inputs"');
    await expect.poll(() => listed(scene)).toContain('starts at');
    expect((await scene.shell('ralph stop --now')).code).toBe(0);
    await expect.poll(() => processesOf(scene.folder)).toEqual([]);
    expect(scene.journal().at(-1)?.result.kind).toBe('ended');
    expect(scene.starts()).toEqual([]);
  });
});
