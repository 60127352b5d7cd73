import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { readQuotas, writeQuota } from './quota-file.ts';

const SAMPLE = { agent: 'claude', at: 1000, windows: [{ name: 'five_hour', used: 0.5, resetsAt: null }] };

test('the last sample of each agent is kept', () => {
  const root = { path: testFolder() };
  expect(readQuotas(root)).toEqual([]);
  writeQuota(root, { ...SAMPLE, at: 1 });
  writeQuota(root, SAMPLE);
  writeQuota(root, { ...SAMPLE, agent: 'amp' });
  expect(readQuotas(root)).toEqual([{ ...SAMPLE, agent: 'amp' }, SAMPLE]);
});

test('a name that would lead elsewhere is not written, and a folder that cannot be made stops nothing', () => {
  const root = { path: testFolder() };
  writeQuota(root, { ...SAMPLE, agent: '../x' });
  expect(readQuotas(root)).toEqual([]);
  writeFileSync(join(root.path, 'file'), '');
  expect(() => writeQuota({ path: join(root.path, 'file') }, SAMPLE)).not.toThrow();
});

test('files that are damaged are left out, and so are windows', () => {
  const root = { path: testFolder() };
  mkdirSync(join(root.path, 'quota'));
  const put = (name: string, text: string): void => writeFileSync(join(root.path, 'quota', name), text);
  put('torn.json', '{"at":');
  put('old.json', '{"windows":[]}');
  put('notes.txt', '{}');
  put('claude.json', JSON.stringify({ at: 1000, windows: [SAMPLE.windows[0], { name: 'x', used: '1' }, null] }));
  expect(readQuotas(root)).toEqual([SAMPLE]);
});

test('what a scripted model told is kept apart', () => {
  const root = { path: testFolder() };
  const rehearsed = { ...SAMPLE, at: 2000, isRehearsal: true } as const;
  writeQuota(root, SAMPLE);
  writeQuota(root, rehearsed);
  expect(readQuotas(root)).toEqual([SAMPLE, rehearsed]);
});
