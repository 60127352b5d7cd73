/**
 * A session may be in a loop of its own in a project whose stories are being worked on. The stories' Stop hook comes first:
 * what it does not let stop is no stop, and its answer is the only one.
 */
import { writeSync } from 'node:fs';

/** Passes the stories' answer on. `hook` is absent where there are no stories. */
export function isHeldByStories(
  input: Readonly<Record<string, unknown>>,
  hook: string | undefined,
  project: string | undefined,
): boolean {
  if (hook === undefined || project === undefined) return false;
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const { stdout, stderr } = spawnSync(process.execPath, [hook, project], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  if (stderr !== '') writeSync(2, stderr);
  if (!stdout.includes('"decision":"block"')) return false;
  writeSync(1, stdout);
  return true;
}
