/** Starts the sender: a process of its own, which outlives the loop and its terminal. Hooks use it: nothing is loaded early. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `here`: the folder of the built program that asks. The plugin brings no `ralph` of its own: there the one in PATH sends. */
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
  // Without one, the message waits for the next loop that has one.
  child.on('error', () => undefined);
  child.unref();
}
