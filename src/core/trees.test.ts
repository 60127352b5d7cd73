import { describe, expect, test } from 'vitest';
import { firstRecord, nextRecord, type Recorded, type TreeRecord } from './record.ts';
import { allChanges, changesOf, treeAfter, treesOf } from './trees.ts';

const kept = (commit: string): TreeRecord => ({ commit });
const missing = (reason: string): TreeRecord => ({ commit: null, reason });

const started = (key: string, tree?: TreeRecord) =>
  ({
    key: `${key}/start`,
    result: { kind: 'started', handle: { runner: 'r', name: 'n' }, ...(tree && { tree }) },
  }) as const;
const ran = (key: string, tree?: TreeRecord) =>
  ({
    key: `${key}/await`,
    result: {
      kind: 'ran',
      outcome: { kind: 'worked' },
      said: { tag: null, firstLine: null },
      transcript: { path: '', bytes: 0 },
      ...(tree && { tree }),
    },
  }) as const;

function trees(...made: readonly (ReturnType<typeof started> | ReturnType<typeof ran>)[]) {
  const first = firstRecord({ id: 'i', loopKind: 'run', cwd: '/', release: '1', options: {} }, 0);
  const records: Recorded[] = [first];
  for (const [seq, one] of made.entries()) records.push(nextRecord({ seq }, { ...one, at: seq }));
  return treesOf(records);
}

describe('the changes of an iteration', () => {
  test('go from the tree of the iteration before to its own tree; the first one begins with the loop', () => {
    const all = trees(
      started('1/work/1', kept('a')),
      ran('1/work/1', kept('b')),
      started('2/work/1'),
      ran('2/work/1', kept('c')),
    );
    expect(changesOf(all, 1)).toEqual({ from: kept('a'), to: kept('b') });
    expect(changesOf(all, 2)).toEqual({ from: kept('b'), to: kept('c') });
    expect(treeAfter(all, 0)).toEqual(kept('a'));
    expect(allChanges(all)).toEqual({ from: kept('a'), to: kept('c') });
  });

  test('leave out what was done while the loop was not running', () => {
    const all = trees(
      started('1/work/1', kept('a')),
      ran('1/work/1', kept('b')),
      started('2/work/1', kept('edited')),
      ran('2/work/1', kept('c')),
    );
    expect(changesOf(all, 2)).toEqual({ from: kept('edited'), to: kept('c') });
    expect(allChanges(all)).toEqual({ from: kept('a'), to: kept('c') });
  });

  test('include all of its tries, also those of a supervisor that died', () => {
    const all = trees(
      started('1/work/1', kept('a')),
      started('1/work/2', kept('half')),
      ran('1/work/2', kept('b')),
      ran('1/message/1', kept('x')),
    );
    expect(changesOf(all, 1)).toEqual({ from: kept('a'), to: kept('b') });
  });
});

describe('if a tree is missing', () => {
  test('the reason is given, and the others are available', () => {
    const all = trees(
      started('1/work/1', missing('no git')),
      ran('1/work/1', kept('b')),
      started('2/work/1'),
      ran('2/work/1', missing('full disk')),
    );
    expect(changesOf(all, 1).from).toBe('the work tree before its first iteration was not kept: no git');
    expect(changesOf(all, 2)).toEqual({
      from: kept('b'),
      to: 'the work tree after iteration 2 was not kept: full disk',
    });
    expect(allChanges(all)).toEqual({ from: kept('b'), to: kept('b') });
    expect(treeAfter(all, 3)).toBe('its last iteration that has ended is 2');
  });

  test('it says so in a loop without an ended iteration, or of an earlier release', () => {
    expect(allChanges(trees(started('1/work/1', kept('a')))).to).toBe('none of its iterations has ended yet');
    const old = trees(started('1/work/1'), ran('1/work/1'), started('2/work/1'), ran('2/work/1'));
    expect(allChanges(old).to).toBe('the work tree after iteration 1 was not kept');
    const both = trees(
      started('1/work/1'),
      ran('1/work/1'),
      started('2/work/1', kept('a')),
      ran('2/work/1', kept('b')),
    );
    expect(allChanges(both)).toEqual({ from: kept('a'), to: kept('b') });
    expect(changesOf(both, 2)).toEqual({ from: kept('a'), to: kept('b') });
  });
});
