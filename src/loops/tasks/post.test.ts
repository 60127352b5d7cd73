import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { readMessages } from '../../bus/read.ts';
import { lockOf } from '../../state/under-lock.ts';
import { voiceOn } from './post.ts';

test('if another process keeps the bus locked, the message is lost with a warning, and later ones arrive again', async () => {
  const bus = join(testFolder(), 'bus.md');
  const told: string[] = [];
  const place = { bus, project: 'p', task: '' };
  const say = voiceOn(place, (line) => told.push(line), { lockTimeoutMs: 20, tries: 1 });
  symlinkSync('stranger@elsewhere', lockOf(bus));
  await say('FACT', 'first\nline');
  await say('INFO', 'second');
  rmSync(lockOf(bus));
  await say('INFO', 'third');
  const locked = `warning: message bus ${bus} is locked by another process (1 try)`;
  expect(told).toEqual([
    `${locked}; a message of type FACT is lost: first`,
    `${locked}; a message of type INFO is lost: second`,
  ]);
  expect(readMessages(bus).messages).toMatchObject([{ type: 'INFO', body: 'third' }]);
});
