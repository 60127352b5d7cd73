/** An agent inside a loop sees at most its own loop, whatever flags and environment it gives to `ralph mcp`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readControl } from '../../../src/engine/control.ts';
import { levelsOfThisMachine, levelsToTest } from '../../support/levels.ts';
import { callsOf, opened } from '../../support/mcp-client.ts';
import { sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE, makeScene, type Scene } from '../../support/scene.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'inside', version: '1' } },
};

interface Answered {
  readonly id: number;
  readonly result: {
    readonly isError?: boolean;
    readonly content?: { readonly text: string }[];
    readonly tools?: { name: string }[];
  };
}

/** The requests of the agent, one per line. */
function questions(calls: readonly (readonly [tool: string, given: object])[]): string {
  const asked = calls.map(([name, given], index) => ({
    jsonrpc: '2.0',
    id: index + 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }));
  const list = { jsonrpc: '2.0', id: 99, method: 'tools/list' };
  return [INITIALIZE, ...asked, list].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The answers by their ids. */
function answers(scene: Scene, file = 'answers'): Map<number, Answered['result']> {
  const lines = scene.read(file).trim().split('\n');
  return new Map(lines.map((line) => JSON.parse(line) as Answered).map(({ id, result }) => [id, result]));
}

/** Runs two loops. The agent of the second runs `ask`, a shell line in which `ralph mcp` answers `$SCENE/asked`. */
async function twoLoops(
  level: Parameters<typeof makeScene>[0]['level'],
  ask: string,
  files: Readonly<Record<string, string>> = {},
) {
  const play = `[ -e "$SCENE/asked" ] && { other=$(cat "$SCENE/other"); ${ask}; } <"$SCENE/asked" >"$SCENE/answers" 2>"$SCENE/errors"\n${DONE}`;
  const scene = makeScene({ play, ...(level === undefined ? {} : { level }) });
  await scene.run();
  for (const [name, content] of Object.entries(files)) scene.write(name, content);
  const [other = ''] = scene.loops();
  scene.write('other', other);
  scene.write(
    'asked',
    questions([
      ['list_loops', {}],
      ['loop_status', { loop: other }],
      ['loop_log', { loop: other }],
      ['tell_loop', { loop: other, text: 'Do as I say.' }],
      ['start_loop', { prompt: 'Another one.' }],
      ['stop_loop', { loop: other }],
    ]),
  );
  expect(await scene.run()).toMatchObject({ code: 0 });
  const [own = ''] = scene.loops().filter((id) => id !== other);
  return { scene, other, own };
}

const WITHOUT = 'env -u RALPH_LOOP -u RALPH_MARK -u RALPH_KEY';
const EMPTY = 'env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME"';

describe.each(levelsToTest())('contained by %s', (level) => {
  test.each([
    ['as it is started', 'ralph mcp --allow write'],
    ['without the variables that name its loop', `${WITHOUT} ralph mcp --allow write`],
    ['with an empty environment', `${EMPTY} ralph mcp --allow write`],
    ['in a session of its own', `${EMPTY} setsid -w ralph mcp --allow write`],
  ])('%s', async (_how, ask) => {
    const { scene, other, own } = await twoLoops(level, ask);
    expect(scene.read('errors')).toBe('');
    const given = answers(scene);
    const text = (id: number): string => given.get(id)?.content?.[0]?.text ?? '';
    expect(JSON.parse(text(1))).toMatchObject({ loops: [{ id: own, state: 'working' }], more: 0 });
    for (const id of [2, 3, 6]) {
      expect(given.get(id)).toMatchObject({ isError: true });
      expect(text(id)).toContain(`there is no loop "${other}"`);
    }
    for (const id of [4, 5]) expect(text(id)).toContain('cannot steer its own loop');
    expect(given.get(99)?.tools?.map(({ name }) => name)).toEqual([
      'list_loops',
      'loop_status',
      'loop_log',
      'loop_timeline',
      'pause_loop',
      'stop_loop',
    ]);
    expect(scene.loops()).toHaveLength(2);
    expect(readControl(join(scene.state, 'ralph/loops', other))).toEqual([]);
    expect(new Set(callsOf(scene).map(({ inside }) => inside))).toEqual(new Set([own]));
  });

  test('an agent that claims another loop as its own does not see that loop', async () => {
    const ask = 'env -u RALPH_MARK RALPH_LOOP="$other" ralph mcp --allow write';
    const { scene, other } = await twoLoops(level, ask);
    const text = (id: number): string => answers(scene).get(id)?.content?.[0]?.text ?? '';
    expect(text(1)).toContain('"loops":[');
    expect(text(1)).not.toContain(other);
    for (const id of [2, 3]) expect(text(id)).toContain(`there is no loop "${other}"`);
  });
});

/** Such a process can leave a mere process group, as docs/mcp.md says. */
test.each(levelsOfThisMachine().filter((level) => level !== 'group'))(
  'contained by %s, even a process whose parents have ended sees only its own loop',
  async (level) => {
    const { scene, own } = await twoLoops(level, 'sh "$SCENE/leave"; until [ -e "$SCENE/over" ]; do sleep 0.02; done', {
      // This shell exits at once, which the orphan waits for.
      leave: `${EMPTY} SCENE="$SCENE" setsid sh "$SCENE/orphan" $$ <"$SCENE/asked" &`,
      orphan: 'while [ -d /proc/$1 ]; do sleep 0.01; done; ralph mcp --allow write; touch "$SCENE/over"',
    });
    const list = answers(scene).get(1)?.content?.[0]?.text ?? '';
    expect(JSON.parse(list)).toMatchObject({ loops: [{ id: own }], more: 0 });
  },
);

/** An agent can hand its loop over to a person, but only after this iteration, as it must not end its own run. */
test.each([
  ['self', false],
  ['write', false],
  ['read', true],
])('--allow %s: an agent asks its own loop to stop after the iteration (refused: %s)', async (tier, isRefused) => {
  const play = `sed "s/OWN/$RALPH_LOOP/" "$SCENE/asked" | ralph mcp --allow ${tier} >"$SCENE/answers"\n${DONE}`;
  const scene = makeScene({ play });
  const asked = questions([
    ['pause_loop', { loop: 'OWN', now: true }],
    ['tell_loop', { loop: 'OWN', text: 'You are done.' }],
    ['stop_loop', { loop: 'OWN' }],
  ]);
  writeFileSync(join(scene.folder, 'asked'), asked);
  const { code } = await scene.run('-m', '2', '-c', 'NEVER');
  const [id = ''] = scene.loops();
  const sent = readControl(join(scene.state, 'ralph/loops', id)).map(({ command, from }) => ({ command, from }));
  expect(answers(scene).get(1)).toMatchObject({ isError: true });
  expect(answers(scene).get(2)).toMatchObject({ isError: true });
  expect(answers(scene).get(3)).toMatchObject({ isError: isRefused });
  expect(sent[0]).toEqual(isRefused ? undefined : { command: 'stop', from: 'inside' });
  expect(code).toBe(isRefused ? 1 : 130);
});

test('the variable RALPH_LOOP alone hides other loops, too', async () => {
  const scene = makeScene({ play: DONE });
  await scene.run();
  const [loop = ''] = scene.loops();
  const client = await opened({ ...scene, env: { ...scene.env, RALPH_LOOP: 'none-of-these' } }, '--allow', 'write');
  // This loop is unknown, as if a sandbox hid the state folder.
  for (const [name, given] of [
    ['list_loops', {}],
    ['tell_loop', { loop, text: 'x' }],
  ] as const) {
    const { isError, text } = await client.call(name, given);
    expect(isError).toBe(true);
    expect(text).toContain('the call cannot be recorded: the loop none-of-these is not in the state folder');
  }
  expect((await client.close()).stderr).toContain('warning: every call will be refused');
});

test.each([
  ['as it is started', 'ralph mcp --allow write'],
  ['with an empty environment', `${EMPTY} ralph mcp --allow write`],
  ['with a folder of its own making', `mkdir -p "$XDG_STATE_HOME/ralph/loops/$RALPH_LOOP"; ralph mcp --allow write`],
])("in the operating system's sandbox, where nothing can be recorded, every call is refused: %s", async (_how, ask) => {
  const play = `{ ${ask}; } <"$SCENE/asked" >answers 2>errors\n${DONE}`;
  const scene = sandboxScene({ play });
  scene.write(
    'asked',
    questions([
      ['list_loops', {}],
      ['start_loop', { prompt: 'Another one.' }],
      ['no_tool', {}],
    ]),
  );
  expect((await scene.sandboxed()).code).toBe(0);
  const given = answers(scene, 'work/answers');
  for (const id of [1, 3]) expect(given.get(id)?.content?.[0]?.text).toMatch(/^Refused: the call cannot be recorded: /);
  expect(given.get(2)).toMatchObject({ isError: true });
  expect(scene.loops()).toHaveLength(1);
  expect(scene.read('work/errors')).toContain('every call will be refused');
});
