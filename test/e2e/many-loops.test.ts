/** Lists of a thousand loops of every kind, including damaged ones and those of another release. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { idOf, leaveLoops } from '../support/loops/many-loops.ts';
import { DONE, makeScene, ROOT } from '../support/scene.ts';

const COUNT = 1000;
const KINDS = ['job', 'ralph-loop', 'run', 'session', 'stories', 'swarm', 'task'];

test('ralph ls lists all readable loops and names the unreadable ones; ralph status finds one of them', async () => {
  const scene = makeScene({ play: DONE });
  const left = leaveLoops(join(scene.state, 'ralph'), COUNT, scene.work);
  expect(left).toEqual({ readable: 940, unreadable: 40, none: 20 });
  const { code, stdout } = await scene.ralph(['ls', '--all', '--json']).exited;
  expect(code).toBe(0);
  const listed = JSON.parse(stdout) as { id: string; kind?: string; problem?: string }[];
  const readable = listed.filter(({ problem }) => problem === undefined);
  expect([readable.length, listed.length - readable.length]).toEqual([left.readable, left.unreadable]);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);

  const table = (await scene.ralph(['ls', '--all']).exited).stdout.split('\n');
  const rows = table.filter((line) => /^[!●◐✗✓] /.test(line));
  expect(rows).toHaveLength(left.readable);
  expect(new Set(rows.map((row) => row.split(/\s+/)[2]))).toEqual(new Set(KINDS));
  const id = idOf('run', 0);
  const status = await scene.ralph(['status', id]).exited;
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
  expect(status.stdout).toContain('\nFix it.\n');
  // Loops of this folder and recent ones from elsewhere: a list that fits on a screen.
  const here = (await scene.ralph(['ls']).exited).stdout.split('\n');
  expect(here.filter((line) => /^[!●◐✗✓] /.test(line))).toHaveLength(10);
});

test.each(['ls --all', `status ${idOf('run', 0)}`])(
  '%s loads neither the code that runs loops nor the parser of all commands',
  async (command) => {
    const scene = makeScene({ play: DONE });
    leaveLoops(join(scene.state, 'ralph'), 100, scene.work);
    const loads = join(scene.folder, 'loads');
    const trace = join(ROOT, 'test/fakes/trace-loads.cjs');
    await scene.shell(`NODE_OPTIONS='--require ${trace}' LOADS='${loads}' ralph ${command}`);
    const names = readFileSync(loads, 'utf8')
      .split('\n')
      .map((path) => basename(path));
    expect(names).toContain('views.cjs');
    for (const other of ['loop.cjs', 'program.cjs']) expect(names).not.toContain(other);
  },
);

test('ralph ls ends quietly when its reader goes away, and still refuses a mistyped flag with a hint', async () => {
  const scene = makeScene({ play: DONE });
  leaveLoops(join(scene.state, 'ralph'), COUNT, scene.work);
  const shown = await scene.shell('(ralph ls --all; echo "exit $?" >&2) | head -1');
  expect(shown).toMatchObject({ stdout: expect.stringMatching(/^ +LOOP .*\n$/), stderr: 'exit 0\n' });
  const mistyped = await scene.ralph(['ls', '--al']).exited;
  expect(mistyped).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') });
});
