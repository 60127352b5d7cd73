/** Which of the programs that a case needs are not on the PATH: then its figures are left out, with the reason. */
import { spawnSync } from 'node:child_process';

/** In a sentence; null if none is missing. */
export function whyMissing(programs) {
  const isThere = (name) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { stdio: 'ignore' }).status === 0;
  const missing = programs.filter((name) => !isThere(name));
  return missing.length === 0 ? null : `${missing.join(', ')} not found`;
}
