import { expect, test } from 'vitest';
import { readableLoop } from '../../test/support/loops/stored-loop.ts';
import { notSucceeded, successorOf, successorsIn } from './resumable.ts';

test('the newest loop of a task stays, with those that still go on and those of other kinds', () => {
  const over = { kind: 'done' } as const;
  const loops = [
    readableLoop({ id: 'first', loopKind: 'task', cwd: '/a', ending: over }),
    readableLoop({ id: 'still on', loopKind: 'task', cwd: '/a', ending: null }),
    readableLoop({ id: 'elsewhere', loopKind: 'task', cwd: '/b', ending: over }),
    readableLoop({ id: 'no task', loopKind: 'run', cwd: '/a', ending: over }),
    readableLoop({ id: 'newest', loopKind: 'task', cwd: '/a', ending: over }),
    readableLoop({ id: 'newer, no task', loopKind: 'run', cwd: '/a', ending: over }),
  ];

  const kept = notSucceeded(loops);

  expect(kept.map(({ id }) => id)).toEqual(['still on', 'elsewhere', 'no task', 'newest', 'newer, no task']);
  expect(kept).toEqual(loops.filter((loop) => successorOf(loop, loops) === null));
  const successors = successorsIn(loops);
  for (const loop of loops) expect(successors.get(loop.id) ?? null).toBe(successorOf(loop, loops));
});
