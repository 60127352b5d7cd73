/** A folder of the test's own, gone when the test is. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function testFolder(parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'ralph-unit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** In memory, where the machine can: for a test that writes thousands of times. */
export function testFolderInMemory(): string {
  return testFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}
