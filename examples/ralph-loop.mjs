// Starts an agent again and again until its task folder holds a DONE file. Run it: node examples/ralph-loop.mjs
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RalphLoop } from 'ralph-harness';

const project = await mkdtemp(join(tmpdir(), 'my-project-'));
const folder = join(project, 'task-20260220-153045-example');
await mkdir(folder);
const agent = 'echo "attempt $ATTEMPT"; [ "$ATTEMPT" -lt 2 ] || echo finished >"$TASK_FOLDER/DONE"';

const loop = new RalphLoop(folder, join(folder, 'TASK-MESSAGE-BUS.md'), {
  project: 'my-project',
  task: 'task-20260220-153045-example',
  maxRestarts: 10,
  restartDelay: 100, // in milliseconds, like all times
  // One run of the agent. Only the DONE file ends the loop, whatever the exit code.
  runRoot: async (signal, attempt) => {
    const env = { ...process.env, TASK_FOLDER: folder, ATTEMPT: String(attempt) };
    const child = spawn('sh', ['-c', agent], { env, signal, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code ?? 1;
  },
});

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
console.log(await loop.run(stop.signal)); // { status: 'done', attempts: 3 }
