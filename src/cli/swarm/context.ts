/** What the worker commands are handed, from this process: its environment, its folder and its two streams. */
import { readEnvironment } from '../../config/environment.ts';
import type { RalphSide, Swarm } from '../../doors/swarm/workers/swarm.ts';
import { thisPlace } from '../../process/identity.ts';

export function thisSwarm(): Swarm {
  const { variables, swarmHome, containment } = readEnvironment();
  return {
    home: { path: swarmHome },
    env: variables,
    place: thisPlace(),
    cwd: process.cwd(),
    containment,
    self: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    ralph: noLoop,
    say: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    show: (text) => void process.stdout.write(text),
  };
}

const noLoop: RalphSide = {
  // No worker has a loop yet that would have to hear of it.
  killed: () => Promise.resolve(),
};
