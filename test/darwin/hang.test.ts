/** Agents that hang, or only take long, on the simulated Mac, where ps shows CPU time, but TCP traffic is invisible. */
import { expect, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';
import { makeMac } from './mac.ts';

const DONE = 'claude_says "<response>DONE</response>"; claude_result done';

function macScene(play: string): Scene {
  const machine = makeMac();
  return makeScene({ play, agent: 'claude', settings: { maximumIterations: 1 }, machine, env: machine.env });
}

const outcomes = (scene: Scene): unknown[] =>
  scene.journal().flatMap(({ result }) => (result.kind === 'ran' ? [result.outcome] : []));

test('an agent that hangs is terminated and started again', async () => {
  const scene = macScene(`[ "$(grep -c agent "$SCENE/starts.log")" -gt 1 ] || exec sleep 1000; ${DONE}`);
  expect((await scene.run('--hang-after', '1s')).code).toBe(0);
  const reason = 'it printed nothing and used no CPU for 1s';
  expect(outcomes(scene)).toEqual([{ kind: 'hang', reason }, { kind: 'worked' }]);
});

test.each([
  ['computes', 'node -e "const end = Date.now() + 3000; while (Date.now() < end);"'],
  ['starts one short program after the other', 'i=0; while [ $i -lt 60 ]; do sleep 0.05; i=$((i + 1)); done'],
])('an agent that %s is left alone', async (_title, busy) => {
  const scene = macScene(`${busy}; ${DONE}`);
  expect((await scene.run('--hang-after', '1s')).code).toBe(0);
  expect(outcomes(scene)).toEqual([{ kind: 'worked' }]);
});
