import { expect, test } from 'vitest';
import { RECORD_VERSION, type Recorded, upcast } from './record.ts';

const written = (v: number, result: object) => ({ v, seq: 3, at: 1, key: 'k', attempt: 1, result }) as Recorded;

test('up to version 2, a loop kind was called a door', () => {
  const loop = { kind: 'created', id: 'x', cwd: '/w', release: '0', options: null, parent: 'y' };
  expect(upcast(written(2, { ...loop, door: 'insession' }))).toEqual(written(4, { ...loop, loopKind: 'session' }));
  expect(upcast(written(2, { ...loop, door: 'run' })).result).toEqual({ ...loop, loopKind: 'run' });
});

test.each([
  [{ exit: { by: 'code', code: 0 }, passed: true }, { is: 'passed' }],
  [
    { exit: { by: 'code', code: 2 }, passed: false },
    { is: 'failed', how: 'exit 2', code: 2 },
  ],
  [
    { exit: { by: 'signal', signal: 'SIGKILL' }, passed: false },
    { is: 'failed', how: 'signal SIGKILL', code: 137 },
  ],
  [
    { exit: { by: 'code', code: 127 }, passed: false, tree: 't' },
    { is: 'unrunnable', code: 127, tree: 't' },
  ],
  [
    { exit: { by: 'timeout', afterMs: 5 }, passed: false },
    { is: 'timed-out', afterMs: 5 },
  ],
  [{ exit: { by: 'unseen' }, passed: false }, { is: 'unseen' }],
])('up to version 3, a check recorded the exit of its command: %j', (before, outcome) => {
  const rest = { kind: 'checked', index: 0, log: 'l', output: '', truncated: false, durationMs: 1 };
  // Not the current version: these records lack what it added.
  expect(upcast(written(3, { ...rest, ...before }))).toEqual(written(4, { ...rest, outcome }));
});

test('a current record is returned as the same object', () => {
  const record = written(RECORD_VERSION, { kind: 'waited' });
  expect(upcast(record)).toBe(record);
});
