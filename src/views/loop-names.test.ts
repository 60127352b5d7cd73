import { describe, expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { readableLoop as loop } from '../../test/support/loops/stored-loop.ts';
import type { StoredLoop } from '../engine/store/loop-store.ts';
import { shortNames } from '../state/short-names.ts';
import { findLoop } from './loop-names.ts';

const ID = '20261117-070000-';
const meant = (loops: readonly StoredLoop[], name: string | null) => findLoop(loops, { name, cwd: '/here' }).id;

describe('the short name of a loop', () => {
  test('has four characters of what tells it from others, or as many as it takes', () => {
    const ids = [`${ID}aaaa0000`, `${ID}bbbb1111`, `${ID}bbbb1122`];
    expect([...shortNames(ids).values()]).toEqual(['aaaa', 'bbbb111', 'bbbb112']);
  });

  test('means this loop and no other, also for the loops of one session', () => {
    const ids = ['session-0123abcd-45', 'session-0123abcd-45.2', 'session-0123abcd-45.3', `${ID}0123abcd`];
    const loops = ids.map((id) => loop({ id }));
    for (const [id, short] of shortNames(ids)) expect(meant(loops, short)).toBe(id);
  });
});

describe('the loop that is meant', () => {
  const old = loop({ id: `${ID}aaaa0000`, cwd: '/here' });
  const worker = loop({ id: `${ID}bbbb1111`, cwd: '/there', about: { limit: 3, agent: 'a', name: 'agent2' } });
  const again = loop({ id: `${ID}bbbb2222`, cwd: '/there', about: { limit: 3, agent: 'a', name: 'agent2' } });
  const task = loop({ id: `${ID}cccc3333`, cwd: '/runs/p/t', about: { limit: 3, agent: 'a', cwd: '/here' } });
  const damaged: StoredLoop = { id: `${ID}dddd4444`, problem: 'it is damaged at line 3' };
  const all = [old, worker, again, task, damaged];

  test('is the newest whose agent works here, where none is named', () => {
    expect(meant(all, null)).toBe(task.id);
    expect(() => findLoop(all, { name: null, cwd: '/nowhere' })).toThrow('there is no loop in /nowhere');
  });

  test('is that of the project, in a folder of the project', () => {
    expect(findLoop(all, { name: null, cwd: '/here/src/deep' }).id).toBe(task.id);
  });

  test('may be one of a sort', () => {
    const among = { is: ({ id }: { id: string }) => id === old.id, what: 'unfinished loop' };
    expect(findLoop(all, { name: null, cwd: '/here', among }).id).toBe(old.id);
    expect(() => findLoop([task], { name: null, cwd: '/here', among })).toThrow('there is no unfinished loop in /here');
  });

  test.each([
    ['its id', old.id, old.id],
    ['the beginning of what tells it from others', 'aaa', old.id],
    ['the name of a worker, which the newest has now', 'agent2', again.id],
    ['the beginning of the id, where no other has it', `${ID}c`, task.id],
  ])('is found by %s', (_by, name, id) => {
    expect(meant(all, name)).toBe(id);
  });

  test('is asked for again where a name means several, with their ids', () => {
    expect(() => meant(all, 'bbbb')).toThrow('"bbbb" means 2 loops');
    const { advice } = errorOf(() => meant(all, 'bbbb'));
    expect(advice.hint).toBe('Type more of one of these: bbbb1, bbbb2');
  });

  test('is refused where there is none, or it cannot be read', () => {
    expect(() => meant(all, 'zzzz')).toThrow('there is no loop "zzzz" on this machine');
    expect(() => meant(all, 'dddd')).toThrow(/cannot be read: it is damaged at line 3/);
  });
});
