/** `ralph mcp --allow write`: a loop gets the messages of a client with its name; loops that it starts outlive it. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readControl } from '../../../src/engine/control.ts';
import { callsOf, opened } from '../../support/mcp-client.ts';
import { processesOf } from '../../support/programs/processes.ts';
import { DONE, makeScene, PROMPT, type Scene } from '../../support/scene.ts';

const controlOf = (scene: Scene, loop: string) => readControl(join(scene.state, 'ralph/loops', loop));

/** The first iteration waits at the gate, the second is the last. */
const TWICE = `[ "$n" = 1 ] && at_gate; [ "$n" = 2 ] && ${DONE}; true`;

test('a message is in the next prompt, with the name of the client that sent it', async () => {
  const scene = makeScene({ play: TWICE });
  const loop = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  const [id = ''] = scene.loops();
  const client = await opened(scene, '--allow', 'write');
  const { data, isError } = await client.call<{ said: string[] }>('tell_loop', { loop: id, text: 'Use tabs.' });
  expect({ isError, said: data.said }).toEqual({
    isError: false,
    said: [`Loop ${id.slice(-8, -4)} gets it with its next prompt.`],
  });
  const status = await client.call('loop_status', { loop: id });
  expect(status.data.messages).toEqual([{ as: 'tell', text: 'Use tabs.', from: 'test-client' }]);
  await client.close();
  scene.openGate();
  expect(await loop.exited).toMatchObject({ code: 0 });
  expect(scene.promptOf('2/work/1')).toContain(
    'From the program "test-client", which the person who runs this loop lets steer it:\n\nUse tabs.',
  );
  expect(callsOf(scene)).toMatchObject([
    { tool: 'tell_loop', outcome: 'begun', arguments: { loop: id, text: 'Use tabs.' } },
    { tool: 'tell_loop', outcome: 'done', detail: id },
    { tool: 'loop_status', outcome: 'done' },
  ]);
});

test('a client answers and resumes a loop that asks, and raises the limit of one that has reached it', async () => {
  const asks = `echo '<response>BLOCKED: tabs or blanks?</response>'`;
  const scene = makeScene({ play: `case "$n $prompt" in 2*) ${DONE} ;; *Tabs.*) ;; *) ${asks} ;; esac` });
  expect(await scene.ralph(['run', 'Make the tests pass.', '-m', '1']).exited).toMatchObject({ code: 5 });
  const [id = ''] = scene.loops();
  // From another directory.
  const client = await opened({ ...scene, work: scene.folder }, '--allow', 'write');
  const list = await client.call('list_loops');
  expect(list.data).toMatchObject({ loops: [{ id, state: 'needs-you', asks: 'tabs or blanks?' }] });
  const answered = await client.call<{ loop: string; said: string[] }>('answer_loop', { loop: id, text: 'Tabs.' });
  const { loop: short, said } = answered.data;
  expect(said[0]).toBe(`Saved: loop ${short} gets it with its first prompt when you resume it.`);
  expect(await client.call('resume_loop', { loop: id })).toMatchObject({ isError: false, data: { id } });
  await scene.journalSays('"kind":"iteration-limit"');
  while ((await client.call('loop_status', { loop: id })).data.supervisor !== null) await sleep(10);
  const refused = await client.call('resume_loop', { loop: id });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining('has reached its limit of 1 iteration'),
  });
  expect(refused.text).toContain(`To continue, call resume_loop with {"loop":"${short}","maxIterations":2}`);
  expect(await client.call('resume_loop', { loop: id, maxTime: '--x' })).toMatchObject({ isError: true });
  expect(await client.call('resume_loop', { loop: short, maxIterations: 2 })).toMatchObject({ isError: false });
  await client.close();
  await scene.journalSays('"kind":"done"');
  await untilAllIsOver(scene);
  expect(scene.promptOf('1/work/2')).toContain('## The answer to your question\nFrom the program "test-client"');
});

test('a loop that waits for an answer does not need to be paused', async () => {
  const scene = makeScene({ play: `echo '<response>BLOCKED: tabs or blanks?</response>'` });
  const loop = scene.ralph(['run', 'Make the tests pass.', '--on-blocked', 'wait']);
  const client = await opened(scene, '--allow', 'write');
  const states = async () => (await client.call<{ loops: { state: string }[] }>('list_loops')).data.loops;
  while ((await states())[0]?.state !== 'needs-you') await sleep(10);
  const [id = ''] = scene.loops();
  expect(await client.call('pause_loop', { loop: id })).toMatchObject({
    isError: false,
    data: { said: [`Loop ${id.slice(-8, -4)} is already waiting for an answer.`] },
  });
  await client.call('stop_loop', { loop: id });
  expect(await loop.exited).toMatchObject({ code: 130 });
  await client.close();
});

test('a client pauses, resumes and stops a loop; the queue has its name', async () => {
  const scene = makeScene({ play: `at_gate; ${DONE}` });
  const loop = scene.ralph(['run', '-p', PROMPT, '-c', 'NEVER']);
  await scene.logged('at gate 1/work/1');
  const [id = ''] = scene.loops();
  const client = await opened(scene, '--allow', 'write');
  const short = id.slice(-8, -4);
  const second = await client.call('start_loop', { prompt: 'x' });
  expect(second).toMatchObject({ isError: true, text: expect.stringMatching(/^Error: a loop is already running in /) });
  expect(second.text).toContain(`Stop it first: call stop_loop with {"loop":"${short}"}`);
  const paused = await client.call<{ said: string[] }>('pause_loop', { loop: id });
  expect(paused.data.said.at(-1)).toBe(`To continue, call resume_loop with {"loop":"${short}"}`);
  scene.openGate();
  await scene.journalSays('"command":"pause"');
  expect(await client.call('resume_loop', { loop: id })).toMatchObject({ isError: false });
  await scene.logged('at gate 2/work/1');
  expect(await client.call('resume_loop', { loop: id })).toMatchObject({
    isError: true,
    text: expect.stringContaining('is running'),
  });
  expect(await client.call('stop_loop', { loop: id, now: true })).toMatchObject({ isError: false });
  expect(await loop.exited).toMatchObject({ code: 130 });
  await client.close();
  expect(controlOf(scene, id).map(({ command, from }) => [command, from])).toEqual([
    ['pause', 'test-client'],
    ['resume', 'test-client'],
    ['stop', 'test-client'],
  ]);
});

test('a loop that a client starts gets the unchanged prompt, and continues when the client has exited', async () => {
  const scene = makeScene({ play: `at_gate; ${DONE}` });
  const client = await opened(scene, '--allow', 'write');
  const prompt = 'Say "hello".\n--detach $(touch x)';
  const started = await client.call<{ id: string }>('start_loop', { prompt, maxIterations: 3 });
  expect(started.isError).toBe(false);
  await client.close();
  await scene.logged('at gate 1/work/1');
  expect(scene.loops()).toEqual([started.data.id]);
  expect(scene.promptOf('1/work/1')).toContain(prompt);
  scene.openGate();
  await scene.journalSays('"kind":"ended"');
  await untilAllIsOver(scene);
  expect(scene.journal().at(-1)).toMatchObject({ result: { kind: 'ended', ending: { kind: 'done' } } });
});

test.each([
  [{ prompt: 'x', directory: 'work' }, 'directory: work is not the absolute path of a directory'],
  [{ prompt: 'x', directory: '/no/such/place' }, 'is not the absolute path of a directory'],
  [{ prompt: 'x', agent: '/bin/sh' }, 'agent must be one of claude, codex'],
  [{ prompt: 'x', model: '--dangerous' }, 'model must be the name of a model'],
  [{ prompt: 'x', maxIterations: 0 }, 'maxIterations must be at least 1'],
  [{ prompt: 'x', check: 'true' }, 'there is no argument check'],
  [{ prompt: 'x', iterations: 3 }, 'there is no argument iterations (did you mean "maxIterations"?)'],
  [{ prompt: '' }, 'prompt must not be empty'],
])('start_loop %j is refused', async (given, why) => {
  const scene = makeScene({ play: DONE });
  const client = await opened(scene, '--allow', 'write');
  expect(await client.call('start_loop', given)).toMatchObject({ isError: true, text: expect.stringContaining(why) });
  await client.close();
  expect(scene.loops()).toEqual([]);
});

test('start_loop says why a loop cannot begin', async () => {
  const scene = makeScene({ play: DONE, settings: { guardrails: 'none' } });
  const client = await opened(scene, '--allow', 'write');
  expect(await client.call('start_loop', { prompt: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('guardrails'),
  });
  await client.close();
  expect(callsOf(scene).at(-1)).toMatchObject({ tool: 'start_loop', outcome: 'failed' });
});

test('a cancelled call has no effect and gets no answer', async () => {
  const scene = makeScene({ play: DONE });
  const client = await opened(scene, '--allow', 'write');
  const start = { name: 'start_loop', arguments: { prompt: 'x' } };
  const asked = { jsonrpc: '2.0', id: 'start', method: 'tools/call', params: start };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'start' } };
  client.write(`${JSON.stringify(asked)}\n${JSON.stringify(cancelled)}\n`);
  expect(await client.request('ping')).toMatchObject({ result: {} });
  await client.close();
  expect(client.others()).toEqual([]);
  expect(scene.loops()).toEqual([]);
  expect(callsOf(scene).map(({ outcome }) => outcome)).toEqual(['begun', 'cancelled']);
});

async function untilAllIsOver({ folder }: Scene): Promise<void> {
  while (processesOf(folder).length > 0) await sleep(10);
}
