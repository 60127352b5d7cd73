/** `ralph mcp` inside a loop on the simulated Mac: no cgroups, and the environments of Apple's programs are hidden. */
import { expect, test } from 'vitest';
import { callsOf } from '../support/mcp-client.ts';
import { DONE, makeScene } from '../support/scene.ts';
import { makeMac } from './mac.ts';

const ASKED = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
  { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_loops' } },
];

test.each([
  ['as it is started', ''],
  ['with an empty environment', 'env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME"'],
])('the agent sees only its own loop, %s', async (_how, front) => {
  const machine = makeMac();
  const ask = `${front} ralph mcp --allow write <"$SCENE/asked" >"$SCENE/answers"`;
  const scene = makeScene({ play: `[ -e "$SCENE/asked" ] && ${ask}\n${DONE}`, machine, env: machine.env });
  await scene.run();
  const [other = ''] = scene.loops();
  scene.write('asked', ASKED.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await scene.run()).toMatchObject({ code: 0 });
  const [own = ''] = scene.loops().filter((id) => id !== other);
  expect(callsOf(scene)).toMatchObject([{ tool: 'list_loops', inside: own, outcome: 'done' }]);
  expect(scene.read('answers')).toContain(own);
  expect(scene.read('answers')).not.toContain(other);
});
