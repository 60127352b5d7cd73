/** What git says, or null where it cannot tell. Loaded in the moment of need: starting a program is slow. */
const PATIENCE_MS = 5000;

export function askGit(folder: string, ...args: readonly string[]): string | null {
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const { status, stdout } = spawnSync('git', ['-C', folder, '--no-optional-locks', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? stdout : null;
}
