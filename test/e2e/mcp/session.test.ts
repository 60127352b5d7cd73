/** In a session with an active loop, `ralph mcp` shows the agent only that loop; otherwise it shows all loops. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { readControl } from '../../../src/engine/control.ts';
import { opened } from '../../support/mcp-client.ts';
import { hookedSession } from '../../support/session/session-loop.ts';

interface List {
  readonly loops: { readonly id: string }[];
}

test('a server that started before the loop shows only that loop while it is active', async () => {
  const session = hookedSession();
  const other = hookedSession({ state: session.state });
  await other.type('ralph:ralph-loop', '"Another task."');
  const env = { ...session.env, CLAUDE_CODE_SESSION_ID: session.id };
  const client = await opened({ work: session.work, env }, '--allow', 'write');
  const seen = async (): Promise<string[]> => {
    const { data } = await client.call<List>('list_loops');
    return data.loops.map(({ id }) => id);
  };
  const others = basename(other.folder());
  expect(await seen()).toEqual([others]);

  await session.type('ralph:ralph-loop', '"Count."');
  const own = basename(session.folder());
  expect(await seen()).toEqual([own]);
  const told = await client.call('tell_loop', { loop: own, text: 'You are done.' });
  expect(told).toMatchObject({ isError: true, text: expect.stringContaining('cannot steer its own loop') });
  expect(await client.call('pause_loop', { loop: own })).toMatchObject({ isError: false });
  expect(readControl(session.folder())).toMatchObject([{ command: 'pause', from: 'test-client' }]);

  await session.type('ralph:cancel-ralph');
  expect((await seen()).sort()).toEqual([own, others].sort());
  await client.close();
});
