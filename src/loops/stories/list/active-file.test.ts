import { expect, test } from 'vitest';
import { APPROVED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import { type Marker, markerText, readMarker } from './active-file.ts';
import { snapshotOf } from './tasks.ts';

const MARKER: Marker = {
  timestamp: '2025-06-15T10:30:00Z',
  pid: 12345,
  maxIterations: 15,
  mode: 'direct',
  skipReview: false,
  reviewCap: 5,
  iteration: 3,
  iterationMode: 'implement',
  stuckCount: 0,
  story: 'US-001',
  ralphDir: 'ralph',
  process: { startTime: '1', boot: 'b', pidNamespace: 'n' },
  preIterationSnapshot: snapshotOf(tasksOf(story('US-001'), story('US-002', APPROVED))),
  verifyCommands: ['npm test'],
};

test('it has the fields that the seed shows', () => {
  expect(JSON.parse(markerText(MARKER))).toMatchObject({
    timestamp: '2025-06-15T10:30:00Z',
    pid: 12345,
    max_iterations: 15,
    mode: 'direct',
    skipReview: false,
    reviewCap: 5,
    iterationMode: 'implement',
    preIterationSnapshot: {
      'US-001': { passes: false, reviewStatus: null, reviewCount: 0 },
      'US-002': { passes: true, reviewStatus: 'approved', reviewCount: 1 },
    },
  });
});

test('what was written is read again', () => {
  const { isBroken, isSandboxed, isPaused, frozen, ...fields } = readMarker(markerText(MARKER));
  expect({ isBroken, isSandboxed, isPaused }).toEqual({ isBroken: false, isSandboxed: false, isPaused: false });
  expect(frozen).toEqual({ verifyCommands: ['npm test'] });
  expect(readMarker(markerText({ ...MARKER, verifyCommands: null })).frozen).toEqual({});
  expect(readMarker('{}').frozen).toBeNull();
  expect(MARKER).toMatchObject(fields);
});

test('ids such as __proto__ stay ids', () => {
  const ids = ['__proto__', 'constructor', 'toString'];
  const preIterationSnapshot = snapshotOf(tasksOf(...ids.map((id) => story(id))));
  const read = readMarker(markerText({ ...MARKER, preIterationSnapshot }));
  expect([...(read.preIterationSnapshot?.keys() ?? [])]).toEqual(ids);
});

test.each(['', '[]', 'null', '{"pid":'])('one that makes no sense leaves the checks on: %j', (text) => {
  expect(readMarker(text)).toMatchObject({
    skipReview: false,
    reviewCap: 5,
    iterationMode: null,
    preIterationSnapshot: null,
    isBroken: true,
  });
});

test.each([
  ['no snapshot', {}, null],
  ['an empty snapshot', { preIterationSnapshot: {} }, 0],
  ['a torn snapshot', { preIterationSnapshot: { a: { passes: 1 } } }, null],
])('%s', (_what, marker, size) => {
  expect(readMarker(JSON.stringify(marker)).preIterationSnapshot?.size ?? null).toBe(size);
});
