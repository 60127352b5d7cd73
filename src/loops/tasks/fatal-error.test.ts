import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { RalphError } from '../../core/error.ts';
import { exitCodeOf, InvalidConfigError, isFatalError } from './fatal-error.ts';

test('a program that is not there, or may not be run, as Node tells it', () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o644);
  for (const program of ['/no/such/program', file]) {
    const { error } = spawnSync(program);
    expect(error).toBeDefined();
    expect(isFatalError(error)).toBe(true);
  }
});

test('a wrong configuration, by the error for it', () => {
  expect(isFatalError(new InvalidConfigError('no model'))).toBe(true);
  expect(isFatalError(new RalphError('X', 'x', { exitCode: 2 }))).toBe(true);
});

test('one that is wrapped, as a cause or among others', () => {
  const missing = spawnSync('/no/such/program').error;
  expect(isFatalError(new Error('start agent', { cause: new Error('spawn', { cause: missing }) }))).toBe(true);
  expect(isFatalError(new AggregateError([new Error('network'), new InvalidConfigError('no model')], 'both'))).toBe(
    true,
  );
  const circle = new Error('circle');
  circle.cause = circle;
  expect(isFatalError(circle)).toBe(false);
});

test.each([
  new Error('network'),
  Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  // A file that an agent misses is no program.
  Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }),
  'words',
  null,
  undefined,
])('%s may pass', (error) => {
  expect(isFatalError(error)).toBe(false);
});

test('the exit code of an error is its own, else 1', () => {
  expect(exitCodeOf(Object.assign(new Error('x'), { exitCode: 42 }))).toBe(42);
  expect(exitCodeOf(Object.assign(new Error('x'), { code: 3 }))).toBe(3);
  expect(exitCodeOf(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe(1);
  expect(exitCodeOf('words')).toBe(1);
});
