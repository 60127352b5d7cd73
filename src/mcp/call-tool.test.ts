import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { RalphError } from '../core/error.ts';
import type { LoopStore } from '../engine/store/loop-store.ts';
import type { CallRecord } from './call-record.ts';
import { callTool, type ToolServer } from './call-tool.ts';
import { tool } from './tool.ts';

/** A server with a tool that reads and one that acts; it fails to record the given outcome. */
function served(full: CallRecord['outcome'] | null) {
  const [kept, done]: [CallRecord[], string[]] = [[], []];
  const toolOf = (name: string, needs: 'read' | 'steer') =>
    tool({
      name,
      title: name,
      description: name,
      needs,
      form: z.strictObject({}),
      async run() {
        done.push(name);
        return { data: { told: name } };
      },
    });
  const server: ToolServer = {
    // None of these tools uses the store.
    store: {} as LoopStore,
    root: { path: '/none' },
    cwd: '/',
    variables: {},
    self: ['ralph'],
    mask: (text) => text,
    tools: [toolOf('look', 'read'), toolOf('act', 'steer')],
    async keep(record) {
      if (record.outcome === full) throw new RalphError('FULL', 'the disk is full');
      kept.push(record);
    },
    access: () => ({ tier: 'write', around: { is: 'none' } }),
  };
  const call = (name: unknown) =>
    callTool(server, {
      id: 1,
      params: { name },
      client: { name: 'c', version: '1' },
      signal: AbortSignal.timeout(60_000),
    });
  return { kept, done, call };
}

test('a call that was done is not called refused where only its end cannot be recorded', async () => {
  const { call, done } = served('done');
  expect(await call('act')).toMatchObject({
    isError: false,
    content: [{ text: '{"told":"act"}' }, { text: 'Its outcome cannot be recorded: the disk is full' }],
  });
  expect(done).toEqual(['act']);
});

test('a call that cannot be recorded before is not done, and what was read without a record is not shown', async () => {
  const acting = served('begun');
  const refused = { isError: true, content: [{ text: 'Refused: the call cannot be recorded: the disk is full' }] };
  expect(await acting.call('act')).toEqual({ isError: true, content: [{ type: 'text', ...refused.content[0] }] });
  expect(acting.done).toEqual([]);
  expect(await served('done').call('look')).toMatchObject(refused);
  expect(await served('refused').call('none')).toMatchObject(refused);
});

test.each([undefined, 7, { toString: 1 }, 'none'])('a tool that there is not is recorded: %j', async (name) => {
  const { call, kept } = served(null);
  await expect(call(name)).rejects.toThrow('Unknown tool: ');
  expect(kept).toMatchObject([{ tool: typeof name === 'string' ? name : '', outcome: 'refused' }]);
});
