/** Whether a peer is installed, and which release of it. */
import { spawnSync } from 'node:child_process';

const LONGEST_MS = 10_000;

/** Null if no such program answers. */
export function versionOf(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: LONGEST_MS });
  return status === 0 ? (/\d+\.\d+[\w.-]*/.exec(stdout)?.[0] ?? '') : null;
}
