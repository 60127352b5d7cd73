import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { makeFolders } from '../process/files.ts';
import { identify } from '../process/identity/identity.ts';
import { writeTrace } from '../process/trace.ts';
import { loopFolder } from '../state/paths.ts';
import { runsFolder } from '../state/run-files.ts';
import { loopAround } from './own-loop.ts';

const [OWN, OTHER] = ['20261118-140000-0000000a', '20261118-140000-0000000b'];

test('without a sign of a loop, a process is in none', () => {
  expect(loopAround({ path: testFolder() }, {}, [{ id: OWN }])).toEqual({ is: 'none' });
});

test('a variable names the loop, or the innermost mark', () => {
  const root = { path: testFolder() };
  expect(loopAround(root, { RALPH_LOOP: OWN }, [])).toEqual({ is: 'loop', id: OWN });
  const marks = `${OTHER}/1/work/1#1 ${OWN}/2/work/1#1`;
  expect(loopAround(root, { RALPH_MARK: marks }, [])).toEqual({ is: 'loop', id: OWN });
  // An agent can have started a worker of swarm that is not a loop.
  expect(loopAround(root, { RALPH_MARK: 'swarm-0123' }, [])).toEqual({ is: 'unclear', ids: ['swarm-0123'] });
  expect(loopAround(root, { RALPH_MARK: `${OWN}/1/work/1#1 swarm-0123` }, [])).toEqual({ is: 'loop', id: OWN });
});

test('a descendant of the leader of a run is in its loop, whatever its variables say', () => {
  const root = { path: testFolder() };
  const folder = runsFolder(loopFolder(root, OWN));
  makeFolders(folder);
  const mark = `${OWN}/1/work/1#1`;
  writeTrace(folder, { plan: { v: 1, level: 'group', mark, leaf: null } });
  const leader = identify(process.ppid);
  if (leader === null) throw new Error('there is no parent');
  writeTrace(folder, { mark, leader });
  const unfinished = [{ id: OTHER }, { id: OWN }];
  expect(loopAround(root, {}, unfinished)).toEqual({ is: 'loop', id: OWN });
  expect(loopAround(root, { RALPH_LOOP: OTHER }, unfinished)).toEqual({ is: 'loop', id: OWN });
  // The pid alone is not enough.
  writeTrace(folder, { mark, leader: { ...leader, startTime: '1' } });
  expect(loopAround(root, {}, unfinished)).toEqual({ is: 'none' });
});
