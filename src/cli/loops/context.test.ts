import { describe, expect, test } from 'vitest';
import type { LoopStore, StoredLoop } from '../../engine/store/loop-store.ts';
import { foundLoop, type LoopsContext } from './context.ts';

const ID = '20260101-000000-9e3779b1';
const OTHER = '20260101-000000-9e37aaaa';

/** A context whose store must not be asked for its list, unless `list` is given. */
function contextOf(loops: readonly object[], list?: readonly object[]): LoopsContext {
  const store: Partial<LoopStore> = {
    ids: async () => (list ?? loops).map((loop) => (loop as StoredLoop).id),
    read: async (id) => (loops as StoredLoop[]).find((loop) => loop.id === id) ?? null,
    list: async () => {
      if (list === undefined) throw new Error('every loop is read');
      return [...(list as StoredLoop[])];
    },
  };
  return { store, cwd: '/here' } as LoopsContext;
}

describe('a loop named by its whole id', () => {
  const [loop, other] = [ID, OTHER].map((id) => ({ id, loopKind: 'run', about: {}, cwd: '/there' }));

  test.each([ID, '9e3779b1'])(
    'is found as %s without reading the others, and has the name that lists show',
    async (name) => {
      const found = await foundLoop(contextOf([loop ?? {}, other ?? {}]), { name });
      expect(found).toMatchObject({ loop, short: '9e377' });
    },
  );

  test('of a task is looked for among all, because a newer loop can have taken its place', async () => {
    const task = { ...loop, loopKind: 'task' };
    const { all } = await foundLoop(contextOf([task], [task, other ?? {}]), { name: ID });
    expect(all).toHaveLength(2);
  });

  test('is looked for among all if only its beginning is given', async () => {
    await expect(foundLoop(contextOf([loop ?? {}]), { name: '9e377' })).rejects.toThrow('every loop is read');
  });
});
