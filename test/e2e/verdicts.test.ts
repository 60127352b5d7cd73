/** How users see a loop's verdicts: on a terminal, in a pipe, at the end, and afterwards with `ralph show`. */
import { describe, expect, test } from 'vitest';
import type { Timeline } from '../../src/views/timeline/timeline.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

const SECOND_TIME = 'test -e ../second || { echo "no second time"; exit 1; }';

/** Its first DONE is rejected, its second one is proved. */
function rejectedOnce(): Scene {
  const guardrails = [
    { command: SECOND_TIME, failAction: 'APPEND' },
    { command: 'true', failAction: 'APPEND' },
  ];
  const settings = { guardrails, scm: { command: 'git', tasks: ['commit'] } };
  const play = `echo line >>work.txt; [ $n = 1 ] || touch ../second; ${DONE}`;
  return makeScene({ play, settings });
}

describe('on a terminal', () => {
  const [RED, GREEN] = ['\u001b[31m', '\u001b[32m'];

  test('failures are red, passes are green, and no line is wider than 80 columns', async () => {
    const terminal = openTerminal(rejectedOnce(), 'ralph run -p "Do the work." -m 5');
    const { code, screen } = await terminal.ended();
    expect(code).toBe(0);
    expect(screen.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
    const colored = terminal.colors();
    for (const verdict of ['✗ test -e', '✗ DONE rejected', 'DONE rejected']) expect(colored).toContain(RED + verdict);
    for (const verdict of ['✓ test -e', '✓ Done in 2', 'done ']) expect(colored).toContain(GREEN + verdict);
  });

  test.each([
    ['NO_COLOR', 'NO_COLOR=1 ralph run -p "Do the work."'],
    ['a stderr that goes elsewhere', 'ralph run -p "Do the work." 2>../stderr; cat ../stderr'],
  ])('with %s there is no colour, but every word is still there', async (_what, line) => {
    const terminal = openTerminal(rejectedOnce(), line);
    const { screen } = await terminal.ended();
    expect(screen).toContain('✗ DONE rejected: test -e');
    for (const color of [RED, GREEN]) expect(terminal.colors()).not.toContain(color);
  });
});

test('the table at the end includes the iterations before a resume', async () => {
  const scene = makeScene({ play: `[ $n = 1 ] || at_gate; [ $n -lt 3 ] || ${DONE}` });
  const first = scene.ralph(['run', '-p', 'Work.']);
  await scene.logged('at gate 2/work/1');
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  scene.openGate();
  scene.openGate();
  scene.openGate();
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect(code).toBe(0);
  expect(stderr.match(/^ {2}\d {2}\S+/gm)).toEqual(['  1  no', '  2  no', '  3  done']);
});

describe('ralph show', () => {
  test('shows the same verdicts for a finished loop as while it ran', async () => {
    const scene = rejectedOnce();
    await scene.run();
    const { code, stdout } = await scene.ralph(['show']).exited;
    const lines = stdout.split('\n');
    expect(code).toBe(0);
    expect(lines[1]).toBe('Do the work.');
    expect(lines[3]).toMatch(/^\d\d:\d\d {2}1 {2}█+▒* +\d+s {2}DONE rejected$/);
    expect(lines[4]).toMatch(/^ {10}test -e .* ✗ exit 1 \(\d\.\ds\)$/);
    expect(lines[5]).toBe('          true ✓ · 1 file changed');
    expect(stdout).toContain(`  done → ${scene.git('rev-parse', 'HEAD').slice(0, 7)}\n`);
    expect(stdout).toMatch(/\nended {2}Done in 2 iterations\n$/);
  });

  test('--json prints the timeline', async () => {
    const scene = rejectedOnce();
    await scene.run();
    const { stdout } = await scene.ralph(['show', scene.loops()[0] ?? '', '--json']).exited;
    const timeline = JSON.parse(stdout) as Timeline;
    expect(timeline).toMatchObject({ id: scene.loops()[0], loopKind: 'run', ending: { kind: 'done' } });
    expect(timeline.iterations.map(({ outcome }) => outcome.words)).toEqual(['DONE rejected', 'done']);
    expect(timeline.totals).toMatchObject({ runs: 3, costUsd: null });
  });

  test('a name that matches no loop is refused with a hint', async () => {
    const { code, stderr } = await makeScene({ play: DONE }).ralph(['show', 'nothing']).exited;
    expect(stderr).toMatch(/^error: there is no loop "nothing" on this machine\nhint: /);
    expect(code).toBe(2);
  });
});
