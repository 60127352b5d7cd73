import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import type { Created } from '../core/record.ts';
import { runMachine } from '../loops/run/rules.ts';
import { tryLock } from '../state/lock.ts';
import { statusPath } from '../state/paths.ts';
import { isStatus } from '../state/registry.ts';
import { beginUnder, openUnder } from './loop.ts';

const mask = (text: string): string => text.replaceAll('sesame', '***');

/** What the status says that a loop was asked: when it begins, and when it is opened again. */
function askedOf(prompt: string): unknown[] {
  const root = { path: testFolder() };
  const lock = () => {
    const attempt = tryLock(join(root.path, 'lock'), 'a test');
    if (!attempt.got) throw new Error('the lock is taken');
    return attempt.lock;
  };
  const created: Created = {
    id: 'a',
    loopKind: 'run',
    cwd: '/here',
    release: '0.1.0',
    options: { prompt, promptFile: null, maximumIterations: 3 },
  };
  const loop = beginUnder(lock(), runMachine, created, { root, mask });
  loop.close();
  const again = openUnder(lock(), runMachine, loop.folder, mask);
  again.close();
  const status: unknown = JSON.parse(readFileSync(statusPath(loop.folder), 'utf8'));
  expect(isStatus(status)).toBe(true);
  const { asked, task } = status as { readonly asked?: unknown; readonly task?: unknown };
  return [asked, again.asked, task];
}

test.each([
  ['Fix it.\nThen tell me.', 'Fix it.'],
  ['  \n Open sesame, then go on', 'Open ***, then go on'],
  [' ', null],
])('the status has the first line of the task, with keys hidden: %j', (prompt, line) => {
  expect(askedOf(prompt)).toEqual([line, line, line]);
});

test('a line that is longer than any list shows is only in the journal', () => {
  expect(askedOf('x'.repeat(5000))).toEqual([undefined, undefined, undefined]);
});
