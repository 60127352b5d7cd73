/** A folder of the test's own, gone when the test is. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function testFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-unit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
