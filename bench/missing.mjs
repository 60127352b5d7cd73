/** Which programs a case needs that are not on the PATH: then its figures are left out, and the reason is named. */
import { spawnSync } from 'node:child_process';

/** In a sentence; null where all are there. */
export function whyMissing(programs) {
  const isThere = (name) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { stdio: 'ignore' }).status === 0;
  const missing = programs.filter((name) => !isThere(name));
  return missing.length === 0 ? null : `${missing.join(', ')} not found`;
}
