/**
 * What a work tree looks like, in a few letters: another print means that something in it was changed. Null where git
 * cannot tell. Asked only where the host does not say what its agent has done.
 */
import { digestOf } from '../../core/digest.ts';

const PATIENCE_MS = 5000;

export function treePrint(cwd: string): string | null {
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const git = (...args: string[]): string | null => {
    const { status, stdout } = spawnSync('git', ['-C', cwd, '--no-optional-locks', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: PATIENCE_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return status === 0 ? stdout : null;
  };
  const status = git('status', '--porcelain');
  if (status === null) return null;
  return digestOf([git('rev-parse', 'HEAD') ?? '', status, git('diff', 'HEAD') ?? git('diff') ?? ''].join('\n'));
}
