/** Where node is, by a name that outlives an update of it as far as there is one. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Package managers put each release into a folder of its own, and lead to it from one of these places. */
const STEADY = ['/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin', '/usr/local/bin', '/usr/bin'];

export function steadyNode(execPath: string, home: string): string {
  const names = [...STEADY, join(home, '.local/bin')].map((folder) => join(folder, 'node'));
  return names.find((name) => realpathOf(name) === realpathOf(execPath)) ?? execPath;
}

function realpathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // No such name.
    return null;
  }
}
