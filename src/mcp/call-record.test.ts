import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { maskFor } from '../core/text/mask.ts';
import { type CallRecord, callRecorder, callsPath, olderCallsPath } from './call-record.ts';

const CALL: CallRecord = {
  pid: 7,
  client: { name: 'client', version: '1' },
  allow: 'read',
  inside: null,
  request: 1,
  tool: 'list_loops',
  arguments: {},
  outcome: 'done',
};

const linesOf = (path: string): CallRecord[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CallRecord);

test('calls are kept in their order, in a file of the user alone', async () => {
  const root = { path: `${testFolder()}/state` };
  const keep = callRecorder(root, maskFor({}));
  await Promise.all(Array.from({ length: 20 }, (_, request) => keep({ ...CALL, request })));
  expect(linesOf(callsPath(root)).map(({ request }) => request)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(statSync(callsPath(root)).mode & 0o777).toBe(0o600);
});

test('secrets are hidden, and long arguments are cut', async () => {
  const root = { path: testFolder() };
  const keep = callRecorder(root, maskFor({ MY_TOKEN: 'hidden-value-1' }));
  await keep({ ...CALL, arguments: { text: 'hidden-value-1' }, detail: 'no hidden-value-1\u001b[1m' });
  await keep({ ...CALL, arguments: { text: 'x'.repeat(10_000) } });
  const [masked, cut] = linesOf(callsPath(root));
  expect(masked).toMatchObject({ arguments: { text: '***' }, detail: 'no ***' });
  expect(cut).toMatchObject({ arguments: { characters: 10_011, cut: expect.stringMatching(/^\{"text":"x{3991}$/) } });
});

test('a full file is moved aside, so that two of them are the most there is', async () => {
  const root = { path: testFolder() };
  const keep = callRecorder(root, maskFor({}), 1000);
  for (let request = 0; request < 20; request++) await keep({ ...CALL, request });
  const [older, newer] = [linesOf(olderCallsPath(root)), linesOf(callsPath(root))];
  expect(newer.at(-1)?.request).toBe(19);
  expect(older.at(-1)?.request).toBe((newer[0]?.request as number) - 1);
  expect(statSync(callsPath(root)).size).toBeLessThanOrEqual(1000);
  expect(statSync(olderCallsPath(root)).size).toBeLessThanOrEqual(1000);
});

test('a line that was cut off by the death of its writer spoils no other', async () => {
  const root = { path: testFolder() };
  const keep = callRecorder(root, maskFor({}));
  await keep(CALL);
  appendFileSync(callsPath(root), '{"at":"20');
  await keep({ ...CALL, request: 2 });
  const lines = readFileSync(callsPath(root), 'utf8').split('\n');
  expect(lines[1]).toBe('{"at":"20');
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ request: 2 });
});

test('the name of a tool and the id of a request are masked and cut, so that they cannot push older calls out', async () => {
  const root = { path: testFolder() };
  const keep = callRecorder(root, maskFor({ MY_TOKEN: 'hidden-value-1' }));
  await keep(CALL);
  const long = `hidden-value-1 ${'x'.repeat(3_900_000)}`;
  for (let times = 0; times < 3; times++) await keep({ ...CALL, tool: long, request: long, outcome: 'refused' });
  const lines = linesOf(callsPath(root));
  expect(lines).toHaveLength(4);
  expect(lines[1]?.tool).toMatch(/^\*\*\* x{96}$/);
  expect(lines[1]?.request).toMatch(/^\*\*\* x{96}$/);
});
