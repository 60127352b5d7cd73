/** Runs the model that a scenario's agent asks, and can stop it like a dead connection once it has begun to answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { logAs, logged } from './witnessed.mjs';

const PROGRAM = resolve(import.meta.dirname, '../agent/model.mjs');

export async function startModel(scene, { thinksMs, dies }) {
  const model = spawn(process.execPath, [PROGRAM, scene.folder, String(thinksMs)], { stdio: 'ignore' });
  const exited = once(model, 'exit');
  await fileAppears(scene.folder, 'model.port');
  if (dies) void stopWhenAsked(scene, model);
  return {
    pid: model.pid,
    async close() {
      model.kill('SIGKILL');
      await exited;
    },
  };
}

/** The kernel still acknowledges what is sent to the model, but no answer comes back. */
async function stopWhenAsked(scene, model) {
  if (!(await logged(scene, 'connected'))) return;
  model.kill('SIGSTOP');
  // The kernel needs a moment to stop all threads.
  while (stateOf(model) !== 'T' && model.exitCode === null) await nextTurn();
  logAs(scene, 'model stopped', { state: stateOf(model) });
}

function stateOf({ pid }) {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return /^State:\s+(\w)/m.exec(status)?.[1] ?? null;
}

async function fileAppears(folder, name) {
  let watcher;
  await new Promise((resolve) => {
    const look = () => existsSync(join(folder, name)) && resolve();
    watcher = watch(folder, look);
    look();
  });
  watcher.close();
}
