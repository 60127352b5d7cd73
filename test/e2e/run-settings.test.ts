/** Settings that change while `ralph run` is running: when they take effect, and what a broken file does. */
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendCommand } from '../../src/engine/control.ts';
import { DONE, makeScene, PROMPT } from '../support/scene.ts';

describe('settings that change mid-loop', () => {
  const guardrails = [{ command: 'echo first; false', failAction: 'APPEND' }];

  test('have no effect, and each change is reported once: an agent cannot remove its guardrails', async () => {
    const play = `[ $n -gt 2 ] || echo "{\\"agent\\": {\\"command\\": \\"agent\\"}, \\"maximumIterations\\": 9$n}" >.ralph/settings.json; ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails, maximumIterations: 4 } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(1);
    expect(scene.starts()).toHaveLength(4);
    expect(stderr.match(/^warning: \.ralph\/settings\.json has changed;[\s\S]*?--live-settings/gm)).toHaveLength(2);
  });

  test('take effect on resume', async () => {
    const play = `case $n in 1) echo '{"agent": {"command": "agent"}}' >.ralph/settings.json ;; 2) at_gate ;; esac; ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails } });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 2/work/1');
    first.signal('SIGINT');
    await first.says('Stopping after this step');
    first.signal('SIGINT');
    expect(await first.exited).toMatchObject({ code: 130 });
    scene.openGate();
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/^. echo first; false /m);
  });

  test('take effect after a pause', async () => {
    const play = `case $n in 1) at_gate; echo '{"agent": {"command": "agent"}}' >.ralph/settings.json ;; esac; ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails } });
    const loop = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const folder = dirname(scene.journalFile());
    sendCommand(folder, 'pause');
    scene.openGate();
    await scene.journalSays('"command":"pause"');
    sendCommand(folder, 'resume');
    const { code, stderr } = await loop.exited;
    expect(code).toBe(0);
    expect(stderr.match(/^✗ echo first; false /gm)).toHaveLength(1);
    expect(stderr).not.toContain('has changed');
  });

  test('can be broken: the loop continues with the ones it has', async () => {
    const scene = makeScene({ play: `echo '{' >.ralph/settings.json; [ $n = 1 ] || ${DONE}` });
    expect(await scene.run()).toMatchObject({ code: 0, stderr: expect.stringContaining('settings.json has changed') });
  });
});

test('with --live-settings, an edit takes effect in the next iteration; so does one of the prompt file', async () => {
  const play = `case $n in
    1) echo "Second prompt." >"$SCENE/prompt"; sed -i 's/"echo first; false"/"echo second; false"/' .ralph/settings.json ;;
    2) sed -i 's/NEVER/finished/' .ralph/settings.json ;;
    3) sed -i 's/"echo second; false"/"true"/' .ralph/settings.json ;;
    esac; echo "<response>finished</response>"`;
  const guardrails = [{ command: 'echo first; false', failAction: 'APPEND' }];
  const scene = makeScene({ play, settings: { guardrails, completionResponse: 'NEVER' } });
  scene.write('prompt', 'First prompt.\n');
  const args = ['run', '-f', '../prompt', '-m', '9', '--live-settings'];
  expect(await scene.ralph(args).exited).toMatchObject({ code: 0 });
  expect(scene.promptOf('1/work/1')).toBe('First prompt.\n');
  expect(scene.promptOf('2/work/1')).toMatch(/^Second prompt\.\n\n\nGuardrail "echo first; false" failed/);
  expect(scene.promptOf('3/work/1')).toMatch(/^Second prompt\.\n\n\nGuardrail "echo second; false" failed/);
  expect(scene.starts()).toHaveLength(4);
});

test('with --live-settings, broken settings stop the loop with exit 2; once fixed, it can be resumed', async () => {
  const scene = makeScene({ play: `cp .ralph/settings.json "$SCENE/good"; echo '{' >.ralph/settings.json` });
  const { code, stderr } = await scene.run('--live-settings');
  expect(code).toBe(2);
  expect(stderr).toMatch(/\nerror: \.ralph\/settings\.json:1:2: expected .*\n[\s\S]*\nhint: /);
  scene.write('work/.ralph/settings.json', scene.read('good'));
  scene.write('play', DONE);
  expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
});
