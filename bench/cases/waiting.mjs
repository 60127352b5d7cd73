/** CPU of waiting for a slow agent (10 lines a second): both harnesses at once, a second per round. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFull, ralphRun } from '../harnesses.mjs';
import { compare, cpuUntilNow } from '../measure.mjs';

const LINE_MS = 100;
const START_UP_MS = 1500;
const ROUND_MS = 1000;
const AT_MOST = 1.5;

export async function measureWaiting({ workspace, rounds }) {
  const name = 'CPU per second of waiting on a slow agent';
  if (!existsSync('/proc/self/schedstat'))
    return [{ name, leftOut: 'only Linux tells it (/proc/<pid>/task/*/schedstat)' }];
  workspace.clear();
  const agent = workspace.agent('slow', { lineMs: LINE_MS });
  const harnesses = [nodeFull, ralphRun].map((harness) => start(harness(workspace, agent, 1)));
  const figures = harnesses.map(() => []);
  const tellAllToEnd = () => harnesses.forEach(tellToEnd);
  // Before the other exit handlers: one of them removes the workspace, which the harnesses write into.
  process.prependListener('exit', tellAllToEnd);
  try {
    await sleep(workspace.scaled(START_UP_MS));
    for (let round = 0; round < rounds; round++) {
      const before = harnesses.map(({ pid }) => cpuUntilNow(pid));
      await sleep(workspace.scaled(ROUND_MS));
      harnesses.forEach(({ pid }, i) => {
        figures[i].push(cpuUntilNow(pid) - before[i]);
      });
    }
  } finally {
    await Promise.all(harnesses.map(stop));
    process.off('exit', tellAllToEnd);
  }
  const [floor, ralph] = figures;
  return [compare({ name, unit: 'ms', figures: ralph, floor: { name: 'node-full', figures: floor }, atMost: AT_MOST })];
}

/** In its own process group, because node-full does not end its agent itself. */
function start({ argv: [command, ...args], cwd, env }) {
  return spawn(command, args, { cwd, env, stdio: 'ignore', detached: true });
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended early`);
  const exited = once(child, 'exit');
  tellToEnd(child);
  await exited;
}

/** Two different signals at once, which are not merged: ralph ends its agent at the second one. */
function tellToEnd(child) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.kill(-child.pid, signal);
}
