import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { describeRefusal, keepRefusal, readRefusals, refusalFrom } from './refusals.ts';

const POLICY = {
  writable: ['/home/me/.claude'],
  unreadable: ['/home/me/.ssh'],
  readOnly: ['/work/.git/hooks'],
  quiet: ['/home/me/.claude.json'],
};

const isThere = (path: string): boolean => path === '/etc/hosts';

describe('what was refused', () => {
  test.each([
    ['deny openat /etc/hosts', 'refused to write /etc/hosts (to allow it: --allow-write /etc/hosts)'],
    ['deny openat /etc/new', 'refused to write /etc/new (to allow it: --allow-write /etc)'],
    ['deny mkdirat /a folder/b', "refused to write /a folder/b (to allow it: --allow-write '/a folder')"],
    [
      'deny openat /work/.git/hooks/pre-commit',
      'refused to write /work/.git/hooks/pre-commit (to allow it: --allow-write /work/.git/hooks)',
    ],
    [
      'deny network-outbound example.com:443 (host is not on the allow list)',
      'refused to connect to example.com:443 (to allow it: --allow-host example.com)',
    ],
    [
      'deny network-outbound db.example.com:5432 (host is not on the allow list)',
      'refused to connect to db.example.com:5432 (to allow it: --allow-host db.example.com:5432)',
    ],
  ])('%s: is reported with what would allow it', (line, told) => {
    const refusal = refusalFrom(line, POLICY, isThere);
    expect(refusal === null ? null : describeRefusal(refusal)).toBe(told);
  });

  test.each([
    'deny openat /proc/self/oom_score_adj',
    'deny openat /dev/shm/x',
    'deny openat /home/me/.ssh/known_hosts',
    'deny openat /home/me/.claude.json.tmp.1',
    'deny mkdirat /home/me',
    'something else',
    '',
  ])('%j is not told: it was not refused, or there is nothing to be done about it', (line) => {
    expect(refusalFrom(line, POLICY, isThere)).toBeNull();
  });

  test('is read back from its file, but for a line that was cut off or is not ours', () => {
    const file = join(testFolder(), 'refused');
    const refusal = { what: 'write', target: '/etc/a\n"b"', allow: '/etc' } as const;
    keepRefusal(file, refusal);
    appendFileSync(file, '{"what":"eat"}\n{"what":"wri');
    expect(readRefusals(file)).toEqual([refusal]);
  });

  test('is nothing where there is no file', () => {
    expect(readRefusals(join(testFolder(), 'none'))).toEqual([]);
  });
});
