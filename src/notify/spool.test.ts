import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import type { Notice } from '../core/notice.ts';
import { MOST_QUEUED, newNoticeId, queueFolder, queueNotice, readLog, readQueue } from './spool.ts';

const NOTICE: Notice = {
  v: 1,
  id: 'n1',
  at: 0,
  event: 'done',
  title: '✓ shop: done',
  text: 'x',
  loop: { id: 'l', name: 'k3x9', kind: 'run', place: 'shop' },
  can: [],
};

test('what is damaged is removed, and keeps nothing else from being read', () => {
  const root = { path: testFolder() };
  queueNotice(root, NOTICE);
  queueNotice(root, { ...NOTICE, id: 'n2', loop: null });
  const damaged = [
    { loop: 'l' },
    { loop: { id: 1 } },
    { at: 1e20 },
    { event: 'other' },
    { question: 7 },
    { can: null },
  ];
  damaged.forEach((field, index) => {
    const notice = { ...NOTICE, id: `x${index}`, ...field };
    writeFileSync(join(queueFolder(root), `x${index}.json`), JSON.stringify({ notice, tries: {} }));
  });
  expect(readQueue(root).map(({ notice }) => notice.id)).toEqual(['n1', 'n2']);
  expect(readdirSync(queueFolder(root))).toEqual(['n1.json', 'n2.json']);
});

test('a full queue takes no more, and says so', () => {
  const root = { path: testFolder() };
  mkdirSync(queueFolder(root), { recursive: true });
  for (let index = 1; index < MOST_QUEUED; index++) writeFileSync(join(queueFolder(root), `${index}.json`), '');
  expect(queueNotice(root, { ...NOTICE, id: newNoticeId(1) })).toBe(true);
  expect(queueNotice(root, { ...NOTICE, id: newNoticeId(2) })).toBe(false);
  expect(readdirSync(queueFolder(root))).toHaveLength(500);
  expect(readLog(root, 1)[0]).toMatch(/"✓ shop: done" was not queued: the queue is full$/);
});
