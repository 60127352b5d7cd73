import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { writeFile } from '../process/files.ts';
import { keepBaseTests, readBaseTests } from './base-tests.ts';

test('they are read as they were kept, and not at all once the file is another one or gone', () => {
  const folder = testFolder();
  const tests = [[{ name: 'a', outcome: 'passed' }], null] as const;
  const digest = keepBaseTests(folder, tests);
  expect(readBaseTests(folder, digest)).toEqual(tests);
  writeFile(join(folder, 'base-tests.json'), '[[],null]');
  expect(readBaseTests(folder, digest)).toBeNull();
  expect(readBaseTests(testFolder(), digest)).toBeNull();
});
