/** `ralph run --prove`: an interrupted proof leaves no process and no checkout, and resume repeats it. */
import { expect, test } from 'vitest';
import { processesOf } from '../../support/programs/processes.ts';
import type { Program } from '../../support/programs/program.ts';
import { checkoutsOf, type ProofScene, proofScene } from '../../support/proof/proof-scene.ts';
import { DONE } from '../../support/scene.ts';

/** A check that waits at the gate when it first runs on the agent's work in a clean checkout. */
const GATED = `[ "$PWD" = "$SCENE/work" ] || [ ! -e made ] || { echo "proving $RALPH_ATTEMPT" >>"$SCENE/starts.log"
  [ $RALPH_ATTEMPT != 1 ] || read x <"$SCENE/gate"; }`;
const PLAY = `echo made >made; ${DONE}`;
const AT_GATE = ['agent 1/work/1', 'proving 1'];
const AGAIN = [...AT_GATE, 'proving 2'];

async function atGate(scene: ProofScene): Promise<Program> {
  const ralph = scene.startProving();
  await scene.logged('proving 1');
  return ralph;
}

async function expectProvedAgain(scene: ProofScene): Promise<void> {
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect(code).toBe(0);
  expect(stderr).toContain('✓ proved in a clean checkout of the work tree');
  expect(scene.starts()).toEqual(AGAIN);
  scene.expectNoCheckouts();
  expect(processesOf(scene.folder)).toEqual([]);
}

test('after kill -9, resume terminates the check, removes the checkout and proves again', async () => {
  const scene = proofScene({ play: PLAY, check: GATED });
  const ralph = await atGate(scene);
  ralph.signal('SIGKILL');
  await ralph.exited;
  expect(checkoutsOf(scene)).toHaveLength(1);
  await expectProvedAgain(scene);
});

test('after kill -9 while the start is checked, resume checks it again before it starts the agent', async () => {
  const check = `[ "$PWD" = "$SCENE/work" ] || [ -e made ] || { echo "proving $RALPH_ATTEMPT" >>"$SCENE/starts.log"
    [ $RALPH_ATTEMPT != 1 ] || read x <"$SCENE/gate"; }`;
  const scene = proofScene({ play: PLAY, check });
  const ralph = await atGate(scene);
  ralph.signal('SIGKILL');
  await ralph.exited;
  expect((await scene.ralph(['resume']).exited).code).toBe(0);
  expect(scene.starts()).toEqual(['proving 1', 'proving 2', 'agent 1/work/1']);
  scene.expectNoCheckouts();
});

test('Ctrl-C twice terminates the proof and removes its checkout, and resume proves again', async () => {
  const scene = proofScene({ play: PLAY, check: GATED });
  const ralph = await atGate(scene);
  ralph.signalGroup('SIGINT');
  await ralph.says('Received signal, shutting down...');
  ralph.signalGroup('SIGINT');
  expect((await ralph.exited).code).toBe(130);
  scene.expectNoCheckouts();
  expect(processesOf(scene.folder)).toEqual([]);
  expect(scene.proofs()).toEqual([]);
  await expectProvedAgain(scene);
});

test('after one Ctrl-C, the proof is finished first', async () => {
  const scene = proofScene({ play: PLAY, check: GATED });
  const ralph = await atGate(scene);
  ralph.signalGroup('SIGINT');
  await ralph.says('Received signal, shutting down...');
  scene.openGate();
  expect((await ralph.exited).code).toBe(130);
  expect(scene.proofs()).toHaveLength(1);
  expect((await scene.ralph(['resume']).exited).code).toBe(0);
  expect(scene.starts()).toEqual(AT_GATE);
});
