/** `ralph mcp` without a flag: a client sees the loops of the machine, but cannot change them. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localStore } from '../../../src/engine/store/local-store.ts';
import { isReadable } from '../../../src/engine/store/loop-store.ts';
import { CONDITIONS } from '../../../src/views/loop-condition.ts';
import { machineOf } from '../../../src/views/machines.ts';
import { notSucceeded } from '../../../src/views/resumable.ts';
import { idOf, leaveLoops } from '../../support/loops/many-loops.ts';
import { callsOf, opened } from '../../support/mcp-client.ts';
import { DONE, makeScene } from '../../support/scene.ts';

test('the list, the status, the log and the timeline show the loop', async () => {
  const commits = 'git commit --quiet --allow-empty --message=own';
  const scene = makeScene({ play: `echo "line of $n"; [ "$n" = 2 ] && ${DONE} || ${commits}` });
  expect(await scene.run()).toMatchObject({ code: 0 });
  const [id = ''] = scene.loops();
  const client = await opened(scene);
  const list = await client.call('list_loops');
  expect(JSON.parse(list.text)).toEqual(list.data);
  const shown = { id, kind: 'run', directory: scene.work, state: 'done', iterations: 2, task: 'Do the work.' };
  expect(list.data).toMatchObject({ loops: [shown], more: 0 });
  const status = await client.call('loop_status', { loop: id.slice(-8) });
  expect(status.data).toMatchObject({ id, ending: { kind: 'done' }, canBeResumed: false, messages: [] });
  // The agent prints plain text, which has none of these figures.
  const unknown = { costUsd: null, inputTokens: null, outputTokens: null, toolCalls: null };
  expect(status.data).toMatchObject({ costUsd: null, usage: { runs: 2, runsWithoutCost: 2, ...unknown } });
  const log = await client.call('loop_log', { loop: id, iteration: 1 });
  expect(log.data).toMatchObject({ iteration: 1, from: 1, lines: expect.arrayContaining(['line of 1']) });
  expect(log.text).not.toContain('line of 2');
  expect((await client.call('loop_log', { loop: id })).data.lines).toContain('line of 2');
  const timeline = await client.call('loop_timeline', { loop: id });
  const [from, to] = ['HEAD~1', 'HEAD'].map((name) => scene.git('rev-parse', name).trim());
  expect(timeline.data.iterations).toMatchObject([
    { number: 1, agentCommits: { from, to } },
    { number: 2, outcome: 'done', agentCommits: null },
  ]);
  expect(await client.close()).toEqual({ code: 0, stderr: '' });
});

test('a log can be read page by page, or only its last lines', async () => {
  const scene = makeScene({ play: `seq 1 1000; ${DONE}` });
  await scene.run();
  const [loop = ''] = scene.loops();
  const client = await opened(scene);
  const first = (await client.call<Page>('loop_log', { loop, from: 1, lines: 300 })).data;
  const second = (await client.call<Page>('loop_log', { loop, from: first.next, lines: 300 })).data;
  expect([first.lines.length, second.lines.length, second.from, second.next]).toEqual([300, 300, 301, 601]);
  const last = (await client.call<Page>('loop_log', { loop, lines: 5 })).data;
  expect([last.lines.length, last.next, last.total]).toEqual([5, last.total + 1, first.total]);
  const whole = (await client.call<Page>('loop_log', { loop, from: 1, lines: 500 })).data;
  expect([...first.lines, ...second.lines].slice(0, 500)).toEqual(whole.lines);
  expect(whole.lines).toContain('400');
  await client.close();
});

interface Page {
  readonly lines: string[];
  readonly from: number;
  readonly next: number;
  readonly total: number;
}

test('the output of an agent has secrets masked, long lines cut and control characters removed', async () => {
  const secret = 'sk-ant-0123456789abcdefghij';
  const scene = makeScene({
    play: `printf 'a \\033[31mred\\033[0m \\a%s hid\\342\\200\\256den\\n' ${secret}; head -c 5000 /dev/zero | tr '\\0' x; echo; ${DONE}`,
  });
  await scene.run();
  const [loop = ''] = scene.loops();
  const client = await opened(scene);
  const { data, text } = await client.call<Page>('loop_log', { loop });
  expect(data.lines).toContain('a red *** hidden');
  expect(text).not.toContain(secret);
  expect(Math.max(...data.lines.map((line) => line.length))).toBe(1000);
  await client.close();
});

test('tools that steer loops are not listed, and refused with a hint how to allow them', async () => {
  const scene = makeScene({ play: DONE });
  await scene.run();
  const [loop = ''] = scene.loops();
  const client = await opened(scene);
  const { result } = await client.request('tools/list');
  const names = (result as { tools: { name: string; annotations: { readOnlyHint: boolean } }[] }).tools;
  expect(names.map(({ name }) => name)).toEqual(['list_loops', 'loop_status', 'loop_log', 'loop_timeline']);
  expect(names.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
  for (const [name, given] of [
    ['tell_loop', { loop, text: 'Use tabs.' }],
    ['answer_loop', { loop, text: 'Yes.' }],
    ['pause_loop', { loop }],
    ['stop_loop', { loop }],
    ['resume_loop', { loop }],
    ['start_loop', { prompt: 'Do it.' }],
  ] as const) {
    expect(await client.call(name, given)).toMatchObject({
      isError: true,
      text: expect.stringContaining('ralph mcp --allow write'),
    });
  }
  await client.close();
  expect(scene.loops()).toEqual([loop]);
  expect(callsOf(scene).map(({ tool, outcome }) => [tool, outcome])).toEqual(
    ['tell_loop', 'answer_loop', 'pause_loop', 'stop_loop', 'resume_loop', 'start_loop'].map((tool) => [
      tool,
      'refused',
    ]),
  );
});

test('the record names client, tier and arguments, and hides secrets', async () => {
  const scene = makeScene({ play: DONE, env: { MY_TOKEN: 'hidden-0123456789' } });
  const client = await opened(scene, '--allow', 'self');
  await client.call('loop_status', { loop: 'hidden-0123456789' });
  await client.call('loop_status', { loop: 3 });
  const unknown = await client.request('tools/call', { name: 'no_tool' });
  expect(unknown.error).toMatchObject({ code: -32_602, message: 'Unknown tool: no_tool' });
  await client.close();
  const same = { pid: client.pid, client: { name: 'test-client', version: '1.0' }, allow: 'self', inside: null };
  expect(callsOf(scene)).toMatchObject([
    { ...same, tool: 'loop_status', arguments: { loop: '***' }, outcome: 'failed' },
    { ...same, tool: 'loop_status', arguments: { loop: 3 }, outcome: 'refused', detail: 'loop must be a text' },
    { ...same, tool: 'no_tool', outcome: 'refused' },
  ]);
});

test('a call that cannot be recorded is refused', async () => {
  const scene = makeScene({ play: DONE });
  await scene.run();
  await scene.shell(`mkdir "$XDG_STATE_HOME/ralph/mcp-calls.jsonl"`);
  const client = await opened(scene);
  expect(await client.call('list_loops')).toMatchObject({
    isError: true,
    text: expect.stringContaining('the call cannot be recorded'),
  });
  await client.close();
});

interface List {
  readonly loops: { readonly state: (typeof CONDITIONS)[number] }[];
  readonly more: number;
  readonly unreadable: number;
}

test('of a thousand loops, those that need a person come first, and the rest are counted', async () => {
  const scene = makeScene({ play: DONE });
  const root = join(scene.state, 'ralph');
  const left = leaveLoops(root, 1000, scene.work);
  // The older loops of a task are left out.
  const listed = notSucceeded((await localStore({ path: root }, machineOf).list()).filter(isReadable));
  expect(listed.length).toBeLessThan(left.readable);
  const client = await opened(scene);
  const { data } = await client.call<List>('list_loops', { most: 100 });
  const { loops, more, unreadable } = data;
  expect([loops.length, more, unreadable]).toEqual([100, listed.length - 100, left.unreadable]);
  const ranks = loops.map(({ state }) => CONDITIONS.indexOf(state));
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(new Set(ranks).size).toBeGreaterThan(1);
  const status = await client.call('loop_status', { loop: idOf('run', 0) });
  expect(status.data).toMatchObject({ id: idOf('run', 0), task: 'Fix it.' });
  await client.close();
});
