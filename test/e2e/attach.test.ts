/** `ralph attach` shows the tmux pane of a running agent; without a terminal it prints the tmux command for it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leaveLoops } from '../support/loops/many-loops.ts';
import { DONE, makeScene, PROMPT, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

const GATED = `echo "in the pane"; at_gate; ${DONE}`;

async function inPane(scene: Scene) {
  const ralph = scene.ralph(['run', '--runner', 'tmux', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  await scene.journalSays('"kind":"started"');
  return ralph;
}

describe('an agent in a pane', () => {
  test('ralph run, and ralph attach without a terminal, print the command that shows the pane', async () => {
    const scene = makeScene({ play: GATED });
    const ralph = await inPane(scene);
    await ralph.says('To attach to its pane: tmux -L ralph-');
    const { code, stdout } = await scene.ralph(['attach']).exited;
    expect(code).toBe(0);
    const [program = '', ...words] = stdout.trim().split(' ');
    expect([program, words.at(-1)]).toEqual(['tmux', 'attach-session']);
    const [, socket = ''] = words;
    const screen = execFileSync('tmux', ['-L', socket, 'capture-pane', '-p'], { env: scene.env, encoding: 'utf8' });
    expect(screen).toContain('in the pane');
    scene.openGate();
    const { stderr } = await ralph.exited;
    expect(stderr).toContain(`To attach to its pane: ${stdout.trim()}\n`);
  });

  test('in a terminal, ralph attach shows the pane until it is gone', async () => {
    const scene = makeScene({ play: GATED });
    const ralph = await inPane(scene);
    const terminal = openTerminal(scene, 'unset TMUX; ralph attach');
    await terminal.shows('in the pane');
    scene.openGate();
    expect((await terminal.ended()).screen).toMatch(/exited\]/);
    expect(await ralph.exited).toMatchObject({ code: 0 });
  });

  test('inside tmux, ralph attach prints the command for another terminal', async () => {
    const scene = makeScene({ play: GATED });
    const ralph = await inPane(scene);
    const terminal = openTerminal(scene, 'ralph attach');
    const { code, screen } = await terminal.ended();
    expect(screen).toMatch(/^You are inside tmux\. In another terminal, run:\ntmux -L ralph-\S+ attach-session$/);
    expect(code).toBe(0);
    scene.openGate();
    await ralph.exited;
  });
});

test('ralph attach refuses an agent without a pane and suggests ralph logs', async () => {
  const scene = makeScene({ play: GATED });
  const ralph = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  const { code, stderr } = await scene.ralph(['attach']).exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: no agent of loop (\S+) is at work in a pane\nhint: .*: ralph logs \1 -f\n$/);
  scene.openGate();
  await ralph.exited;
});

test('ralph attach refuses a loop inside a session', async () => {
  const scene = makeScene({ play: DONE });
  // One loop of every kind.
  leaveLoops(join(scene.state, 'ralph'), 7, scene.work);
  const [id = ''] = scene.loops().filter((name) => name.startsWith('session-'));
  expect(await scene.ralph(['attach', id]).exited).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('runs inside a session'),
  });
});
