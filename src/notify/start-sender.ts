/** Starts the sender as a process that outlives the loop and its terminal. Hooks use it, so nothing is loaded early. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `here`: the folder of the calling built program. The plugin has no `ralph` of its own and uses the one in PATH. */
export function startSender(env: NodeJS.ProcessEnv, here: string): void {
  const starter = join(here, '../../bin/ralph.cjs');
  const [program, ...before] = existsSync(starter) ? [process.execPath, starter] : ['ralph'];
  const { spawn } = require('node:child_process') as typeof import('node:child_process');
  const child = spawn(program ?? 'ralph', [...before, 'notify', 'send'], {
    cwd: '/',
    env,
    detached: true,
    stdio: 'ignore',
  });
  // If there is no `ralph`, the message waits for the next loop that has one.
  child.on('error', () => undefined);
  child.unref();
}
