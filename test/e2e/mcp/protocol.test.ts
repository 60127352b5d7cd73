/** How `ralph mcp` handles any input: stdout has only answers, and the server exits at the end of the input. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf, mcpClient, opened } from '../../support/mcp-client.ts';
import { DONE, makeScene, ROOT } from '../../support/scene.ts';

const REQUEST = { jsonrpc: '2.0', id: 'own', method: 'ping' };

test.each([
  ['no JSON', 'hello\n', -32_700],
  ['half of a message', '{"jsonrpc":"2.0",\n', -32_700],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), -32_700],
  ['a line without end', `${'x'.repeat(5 * 1024 * 1024)}\n`, -32_700],
  ['a text', '"hello"\n', -32_600],
  ['another version of JSON-RPC', '{"id":"own","method":"ping"}\n', -32_600],
  ['an id that is none', '{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32_600],
  ['an empty batch', '[]\n', -32_600],
  ['a batch, which this version has not', `[${JSON.stringify(REQUEST)}]\n`, -32_600],
  ['a method that is not there', '{"jsonrpc":"2.0","id":"own","method":"resources/list"}\n', -32_601],
  ['a tool that is not there', '{"jsonrpc":"2.0","id":"own","method":"tools/call","params":{"name":"x"}}\n', -32_602],
  ['no tool at all', '{"jsonrpc":"2.0","id":"own","method":"tools/call"}\n', -32_602],
])('%s is answered with an error, and the next request is answered as usual', async (_what, bytes, code) => {
  const client = await opened(makeScene({ play: DONE }));
  client.write(bytes);
  expect(await client.nextLine()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  expect(await client.request('ping')).toMatchObject({ result: {} });
  expect(await client.close()).toEqual({ code: 0, stderr: '' });
  expect(client.others()).toEqual([]);
});

test('arguments that are nested too deeply are refused, and the next call works', async () => {
  const scene = makeScene({ play: DONE });
  const client = await opened(scene);
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  client.write(
    `{"jsonrpc":"2.0","id":"own","method":"tools/call","params":{"name":"list_loops","arguments":{"x":${deep}}}}\n`,
  );
  expect(await client.nextLine()).toMatchObject({ id: 'own', result: { isError: true } });
  expect(await client.call('list_loops')).toMatchObject({ isError: false });
  expect(await client.close()).toEqual({ code: 0, stderr: '' });
  expect(callsOf(scene)[0]).toMatchObject({ outcome: 'refused', arguments: { why: 'nested too deeply' } });
});

test('an answer has the id of its request, even if the request is refused', async () => {
  const client = await opened(makeScene({ play: DONE }));
  client.write('{"jsonrpc":"2.0","id":"own","method":7}\n');
  expect(await client.nextLine()).toMatchObject({ id: 'own', error: { code: -32_600 } });
  client.write(`${JSON.stringify(REQUEST)}\r\n`);
  expect(await client.nextLine()).toEqual({ jsonrpc: '2.0', id: 'own', result: {} });
  await client.close();
});

test('notifications, answers and empty lines are not answered', async () => {
  const client = await opened(makeScene({ play: DONE }));
  client.write('\n\r\n{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n{"jsonrpc":"2.0","method":"x"}\n');
  client.write(
    '{"jsonrpc":"2.0","id":7,"result":{}}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}\n',
  );
  await client.request('ping');
  await client.close();
  expect(client.others()).toEqual([]);
});

test('before initialize, every request but ping gets an error', async () => {
  const client = mcpClient(makeScene({ play: DONE }));
  expect(await client.request('ping')).toMatchObject({ result: {} });
  expect(await client.request('tools/list')).toMatchObject({ error: { code: -32_600 } });
  expect(await client.request('server/discover')).toMatchObject({ error: { code: -32_601 } });
  expect(await client.initialize()).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  expect(await client.initialize()).toMatchObject({ error: { code: -32_600 } });
  await client.close();
});

test.each([
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2099-01-01', '2025-06-18'],
])('a client that speaks %s is answered in %s', async (asked, answered) => {
  const client = mcpClient(makeScene({ play: DONE }));
  const { result } = await client.initialize(asked);
  expect(result).toMatchObject({
    protocolVersion: answered,
    serverInfo: { name: 'ralph' },
    capabilities: { tools: {} },
  });
  await client.close();
});

test('a batch is answered in one line, in a protocol version that has batches', async () => {
  const client = mcpClient(makeScene({ play: DONE }));
  await client.initialize('2025-03-26');
  const call = { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'list_loops' } };
  client.write(`${JSON.stringify([{ ...REQUEST, id: 'a' }, { jsonrpc: '2.0', method: 'x' }, call, 3])}\n`);
  expect(await client.nextLine()).toMatchObject([
    { id: 'a', result: {} },
    { id: 'b', result: { structuredContent: { loops: [] } } },
    { id: null, error: { code: -32_600 } },
  ]);
  client.write(`${JSON.stringify([{ jsonrpc: '2.0', method: 'x' }])}\n`);
  await client.request('ping');
  await client.close();
  expect(client.others()).toEqual([]);
});

test('requests are answered while an earlier one is still running', async () => {
  const scene = makeScene({ play: `seq 1 200000; ${DONE}` });
  await scene.run();
  const [loop = ''] = scene.loops();
  const client = await opened(scene);
  const order: string[] = [];
  const log = client.call('loop_log', { loop, lines: 1 }).then(() => order.push('log'));
  const others = Array.from({ length: 5 }, () => client.request('ping').then(() => order.push('ping')));
  await Promise.all([log, ...others]);
  expect(order).toEqual(['ping', 'ping', 'ping', 'ping', 'ping', 'log']);
  await client.close();
});

test('requests before the end of the input are answered, and then the server exits', () => {
  const { env, work } = makeScene({ play: DONE });
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_loops' } };
  // The last line has no line feed.
  const input = `${JSON.stringify(initialize)}\n${JSON.stringify(call)}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/ralph.cjs'), 'mcp'], {
    cwd: work,
    env,
    input,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ id: 1 }, { id: 2, result: { isError: false } }]);
});

test('the server exits when its output is closed, although its input stays open', async () => {
  const scene = makeScene({ play: DONE });
  const ping = JSON.stringify(REQUEST);
  // The writer runs until the broken pipe ends it, which is when the server is gone.
  const writer = `while echo '${ping}'; do sleep 0.02; done 2>"$SCENE/errors"`;
  expect(await scene.shell(`{ ${writer}; } | ralph mcp | head -n 1`)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{"jsonrpc":"2\.0","id":"own",.*\n$/),
  });
});

test('an unknown tier is refused on stderr', async () => {
  const scene = makeScene({ play: DONE });
  expect(await scene.ralph(['mcp', '--allow', 'all']).exited).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--allow must be read, self or write, got "all"'),
  });
});
