import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { RalphError } from '../../core/error.ts';
import {
  exitCodeFromError,
  InvalidConfigError,
  isFatalError,
  loopRequest,
  type RalphLoopOptions,
} from './ralph-loop-options.ts';

const runRoot = (): void => undefined;

test('missing options have the seed’s defaults', () => {
  expect(loopRequest('/t', '/t/bus', { runRoot, project: 'p' })).toMatchObject({
    folder: '/t',
    bus: '/t/bus',
    project: 'p',
    task: '',
    maxRestarts: 100,
    waitTimeoutMs: 300_000,
    pollIntervalMs: 1000,
    restartDelayMs: 1000,
    cwd: '/t',
    sandbox: { kind: 'none' },
  });
});

test.each<[string, string, string, Partial<RalphLoopOptions>]>([
  ['run directory is empty', '', '/b', {}],
  ['run directory is empty', '  ', '/b', {}],
  ['message bus is nil', '/t', '', {}],
  ['wait timeout must be positive', '/t', '/b', { waitTimeout: 0 }],
  ['poll interval must be positive', '/t', '/b', { pollInterval: -1 }],
  ['restart delay must not be negative', '/t', '/b', { restartDelay: -1 }],
  ['max restarts must not be negative', '/t', '/b', { maxRestarts: -1 }],
  ['max restarts must not be negative', '/t', '/b', { maxRestarts: Number.NaN }],
  // A program in JavaScript could call it like this.
  ['root runner is nil', '/t', '/b', { runRoot: null as unknown as () => void }],
  ['project id is empty', '/t', '/b', { project: ' ' }],
])('refused: %s', (message, runDir, bus, given) => {
  expect(() => loopRequest(runDir, bus, { runRoot, project: 'p', ...given })).toThrow(new TypeError(message));
});

test('no restarts and no delay are allowed', () => {
  expect(loopRequest('/t', '/b', { runRoot, project: 'p', maxRestarts: 0, restartDelay: 0 })).toMatchObject({
    maxRestarts: 0,
    restartDelayMs: 0,
  });
});

test('a program that does not exist or is not executable, as Node reports it, is fatal', () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o644);
  for (const program of ['/no/such/program', file]) {
    const { error } = spawnSync(program);
    expect(error).toBeDefined();
    expect(isFatalError(error)).toBe(true);
  }
});

test('a wrong configuration is fatal', () => {
  expect(isFatalError(new InvalidConfigError('no model'))).toBe(true);
  expect(isFatalError(new RalphError('X', 'x', { exitCode: 2 }))).toBe(true);
});

test('a fatal error that is wrapped, as a cause or among others, is fatal, too', () => {
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
  // The missing file is not the program itself.
  Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }),
  'words',
  null,
  undefined,
])('%s is not fatal', (error) => {
  expect(isFatalError(error)).toBe(false);
});

test('the exit code of an error is its own, otherwise 1', () => {
  expect(exitCodeFromError(Object.assign(new Error('x'), { exitCode: 42 }))).toBe(42);
  expect(exitCodeFromError(Object.assign(new Error('x'), { code: 3 }))).toBe(3);
  expect(exitCodeFromError(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe(1);
  expect(exitCodeFromError('words')).toBe(1);
});
